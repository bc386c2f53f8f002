/** Promise: both sides prove themselves; a page stores nothing for, and signs nothing for, a daemon that cannot. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { toBase64url } from "../../src/pairing/base64url.ts";
import { authenticate, pair, type Channel, type Identity } from "../../src/pairing/conversation.ts";
import { isProof, isSignature, keyFromCode, newDeviceKeys, prove, publicKeyText, sign } from "../../src/pairing/crypto.ts";

const HOST = "127.0.0.1:17673";
const CODE = "K7QF2M9XTB";

type Message = Readonly<Record<string, unknown>>;

/** A daemon that answers each message with what `reply` makes of it. */
function daemon(reply: (message: Message) => Promise<Message>): Channel & { readonly heard: Message[] } {
  const replies: Promise<Message>[] = [];
  const heard: Message[] = [];
  return {
    heard,
    send: (message) => {
      heard.push(message);
      replies.push(reply(message));
    },
    receive: () => replies.shift() ?? Promise.reject(new Error("nothing was said")),
  };
}

/** The honest daemon of a code, with any of its words replaced. */
function honest(code: string, instead: Message = {}) {
  return daemon(async ({ nonce, publicKey, proof, name }) => {
    const key = await keyFromCode(code);
    if (!(await isProof(key, String(proof), ["mirrord pair client", HOST, String(nonce), String(publicKey)]))) {
      return { type: "refused", code: "wrong_code", message: "Look at the terminal.", triesLeft: 4 };
    }
    const daemonKey = await publicKeyText(await newDeviceKeys());
    const lines = ["mirrord pair server", HOST, String(nonce), String(publicKey), "00ff", daemonKey];
    return { type: "paired", device: "00ff", name, role: "controller", daemonKey, proof: await prove(key, lines), ...instead };
  });
}

test("the code pairs, and the key of this browser cannot be read", async () => {
  const end = await pair(honest(CODE), HOST, CODE, "Chrome on Android");
  assert.ok(end.kind === "paired");
  assert.deepEqual([end.identity.device, end.identity.name, end.identity.role], ["00ff", "Chrome on Android", "controller"]);
  assert.equal(end.identity.keys.privateKey.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("pkcs8", end.identity.keys.privateKey));
});

test("another code is refused, in the daemon's words", async () => {
  const end = await pair(honest("0000000000"), HOST, CODE, "n");
  assert.deepEqual(end, { kind: "refused", code: "wrong_code", message: "Look at the terminal.", triesLeft: 4 });
});

test("nothing that is sent tells the code", async () => {
  const channel = honest(CODE);
  await pair(channel, HOST, CODE, "n");
  assert.ok(!JSON.stringify(channel.heard).includes(CODE));
});

test("a daemon that does not know the code is found out", async () => {
  const stranger = await publicKeyText(await newDeviceKeys());
  for (const instead of [
    { proof: toBase64url(new Uint8Array(32)) },
    { daemonKey: stranger },
    { device: "another" },
    { daemonKey: "short" },
    { type: "token" },
    { proof: 3 },
  ]) {
    assert.deepEqual(await pair(honest(CODE, instead), HOST, CODE, "n"), { kind: "not_genuine" });
  }
});

async function pairedSides() {
  const daemonKeys = await newDeviceKeys();
  const keys = await newDeviceKeys();
  const identity: Identity = { device: "00ff", name: "n", role: "observer", keys, daemonKey: await publicKeyText(daemonKeys) };
  return { identity, daemonKeys, devicePublic: await publicKeyText(keys) };
}

/** The daemon of `sides`, signing its challenge with `signer`. */
function challenger(sides: Awaited<ReturnType<typeof pairedSides>>, signer: CryptoKeyPair, host = HOST) {
  const challenge = toBase64url(crypto.getRandomValues(new Uint8Array(32)));
  return daemon(async (message) => {
    if (message["type"] === "authenticate") {
      return { type: "challenge", challenge, signature: await sign(signer, ["mirrord daemon", host, String(message["nonce"]), challenge]) };
    }
    const lines = ["mirrord device", HOST, "00ff", challenge];
    const good = await isSignature(sides.devicePublic, String(message["signature"]), lines);
    return good
      ? { type: "token", token: "mrs_x", expiresAt: 5, name: "n", role: "observer" }
      : { type: "refused", code: "bad_signature", message: "Pair again." };
  });
}

test("a paired browser gets a token from its daemon", async () => {
  const sides = await pairedSides();
  const end = await authenticate(challenger(sides, sides.daemonKeys), HOST, sides.identity);
  assert.deepEqual(end, { kind: "token", token: "mrs_x", expiresAt: 5, name: "n", role: "observer" });
});

test("another daemon, and the same one behind another address, get no signature", async () => {
  const sides = await pairedSides();
  for (const channel of [challenger(sides, await newDeviceKeys()), challenger(sides, sides.daemonKeys, "evil.example:80")]) {
    assert.deepEqual(await authenticate(channel, HOST, sides.identity), { kind: "not_genuine" });
    assert.equal(channel.heard.length, 1, "the answer was never sent");
  }
});

test("a device that is not known any more is told so", async () => {
  const sides = await pairedSides();
  const stranger = { ...sides.identity, keys: await newDeviceKeys() };
  const end = await authenticate(challenger(sides, sides.daemonKeys), HOST, stranger);
  assert.equal(end.kind === "refused" && end.code, "bad_signature");
});
