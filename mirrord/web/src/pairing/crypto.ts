/** What pairing proves and signs (docs/pairing.md), with WebCrypto alone. Strings are hashed as UTF-8. */

import { fromBase64url, toBase64url, type Bytes } from "./base64url.ts";

export const NONCE_BYTES = 16;
export const CHALLENGE_BYTES = 32;
export const PROOF_BYTES = 32;
export const SIGNATURE_BYTES = 64;
export const PUBLIC_KEY_BYTES = 65;

const SALT = "mirrord pair v1";
const ITERATIONS = 100_000;
const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNING = { name: "ECDSA", hash: "SHA-256" } as const;

/** The key that both sides make of the code. */
export async function keyFromCode(code: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", utf8(code), "PBKDF2", false, ["deriveKey"]);
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt: utf8(SALT), iterations: ITERATIONS };
  return crypto.subtle.deriveKey(derivation, material, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign", "verify"]);
}

/** `lines` are joined by line feeds. */
export async function prove(key: CryptoKey, lines: readonly string[]): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(lines.join("\n")))));
}

export async function isProof(key: CryptoKey, proof: string, lines: readonly string[]): Promise<boolean> {
  const bytes = fromBase64url(proof, PROOF_BYTES);
  return bytes !== undefined && crypto.subtle.verify("HMAC", key, bytes, utf8(lines.join("\n")));
}

/** This browser's key pair: the private half can be used, and read by nobody. */
export async function newDeviceKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(CURVE, false, ["sign", "verify"]);
}

/** The uncompressed point. */
export async function publicKeyText(keys: CryptoKeyPair): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey)));
}

/** r and s one after the other. */
export async function sign(keys: CryptoKeyPair, lines: readonly string[]): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.sign(SIGNING, keys.privateKey, utf8(lines.join("\n")))));
}

/** Whether the holder of this public key signed these lines. A key or signature that is none: false. */
export async function isSignature(publicKey: string, signature: string, lines: readonly string[]): Promise<boolean> {
  const point = fromBase64url(publicKey, PUBLIC_KEY_BYTES);
  const bytes = fromBase64url(signature, SIGNATURE_BYTES);
  if (point === undefined || bytes === undefined) return false;
  try {
    const key = await crypto.subtle.importKey("raw", point, CURVE, false, ["verify"]);
    return await crypto.subtle.verify(SIGNING, key, bytes, utf8(lines.join("\n")));
  } catch {
    return false;
  }
}

export function newNonce(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}
