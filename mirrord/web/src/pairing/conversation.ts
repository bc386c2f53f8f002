/** The two conversations at `/v1/pair` (docs/pairing.md): becoming a device by a code, and proving to be one for a token. */

import { literal, named, number, struct, text } from "../core/reading.ts";
import { fromBase64url } from "./base64url.ts";
import {
  CHALLENGE_BYTES,
  isProof,
  isSignature,
  keyFromCode,
  newDeviceKeys,
  newNonce,
  prove,
  PUBLIC_KEY_BYTES,
  publicKeyText,
  sign,
} from "./crypto.ts";

export const PAIR_ENDPOINT = "/v1/pair";
export const PAIR_SUBPROTOCOL = "mirrord.pair.v1";

export type DeviceRole = "observer" | "controller";

/** What this browser keeps. The private key cannot leave it. */
export interface Identity {
  readonly device: string;
  readonly name: string;
  readonly role: DeviceRole;
  readonly keys: CryptoKeyPair;
  /** The daemon's public key, pinned. */
  readonly daemonKey: string;
}

/** Messages to and from the daemon, in order. Both reject with `Unreachable` once the connection is gone. */
export interface Channel {
  send(message: Readonly<Record<string, unknown>>): void;
  receive(): Promise<unknown>;
}

/** The connection failed, ended or took too long. */
export class Unreachable extends Error {}

/** The daemon said no. `message` is its sentence for the person. */
export interface Refusal {
  readonly kind: "refused";
  readonly code: string;
  readonly message: string;
  readonly triesLeft?: number;
}

/** The other side could not prove what a daemon can: nothing was stored, nothing was sent that helps it. */
export interface NotGenuine {
  readonly kind: "not_genuine";
}

export interface Paired {
  readonly kind: "paired";
  readonly identity: Identity;
}

export interface TokenGiven {
  readonly kind: "token";
  readonly token: string;
  /** Milliseconds since the epoch, by the daemon's clock. */
  readonly expiresAt: number;
  readonly name: string;
  readonly role: DeviceRole;
}

const readRole = named(["observer", "controller"], "observer");
const readRefused = struct({ type: literal("refused"), code: text, message: text }, { triesLeft: number });
const readPaired = struct({ type: literal("paired"), device: text, name: text, role: readRole, daemonKey: text, proof: text }, {});
const readChallenge = struct({ type: literal("challenge"), challenge: text, signature: text }, {});
const readToken = struct({ type: literal("token"), token: text, expiresAt: number, name: text, role: readRole }, {});

/** Become a device. `host` is the address's host with its port; `code` as `readCode` gives it. */
export async function pair(channel: Channel, host: string, code: string, name: string): Promise<Paired | Refusal | NotGenuine> {
  const [key, keys] = await Promise.all([keyFromCode(code), newDeviceKeys()]);
  const [nonce, publicKey] = [newNonce(), await publicKeyText(keys)];
  const proof = await prove(key, ["mirrord pair client", host, nonce, publicKey]);
  channel.send({ type: "pair", nonce, publicKey, name, proof });

  const reply = await channel.receive();
  const refused = refusal(reply);
  if (refused !== undefined) return refused;
  const paired = readPaired(reply);
  if (paired === undefined || fromBase64url(paired.daemonKey, PUBLIC_KEY_BYTES) === undefined) return { kind: "not_genuine" };
  const { device, daemonKey } = paired;
  const lines = ["mirrord pair server", host, nonce, publicKey, device, daemonKey];
  if (!(await isProof(key, paired.proof, lines))) return { kind: "not_genuine" };
  return { kind: "paired", identity: { device, name: paired.name, role: paired.role, keys, daemonKey } };
}

/** Get a token. The daemon proves itself first; only then anything is signed for it. */
export async function authenticate(channel: Channel, host: string, identity: Identity): Promise<TokenGiven | Refusal | NotGenuine> {
  const nonce = newNonce();
  channel.send({ type: "authenticate", device: identity.device, nonce });

  const reply = await channel.receive();
  const refused = refusal(reply);
  if (refused !== undefined) return refused;
  const given = readChallenge(reply);
  if (given === undefined || fromBase64url(given.challenge, CHALLENGE_BYTES) === undefined) return { kind: "not_genuine" };
  const { challenge, signature } = given;
  if (!(await isSignature(identity.daemonKey, signature, ["mirrord daemon", host, nonce, challenge]))) return { kind: "not_genuine" };
  channel.send({ type: "answer", signature: await sign(identity.keys, ["mirrord device", host, identity.device, challenge]) });

  const end = await channel.receive();
  const token = readToken(end);
  if (token === undefined) return refusal(end) ?? { kind: "not_genuine" };
  return { kind: "token", token: token.token, expiresAt: token.expiresAt, name: token.name, role: token.role };
}

function refusal(reply: unknown): Refusal | undefined {
  const refused = readRefused(reply);
  if (refused === undefined) return undefined;
  const { code, message, triesLeft } = refused;
  return { kind: "refused", code, message, ...(triesLeft === undefined ? {} : { triesLeft }) };
}
