// Promise: both sides of the bridge wire read the same messages. What the daemon may say decodes; what breaks the protocol is refused.
import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, ProtocolError } from "../../../bridge/extension/decode.ts";
import { FRAME_BYTES } from "../../../bridge/extension/limits.ts";
import { encode, type Outgoing } from "../../../bridge/extension/protocol.ts";
import { rows, type Message } from "./fixtures.ts";

interface Good {
  readonly name: string;
  readonly from: "extension" | "daemon";
  readonly message: Message;
  readonly ignored?: boolean;
}

interface Bad {
  readonly name: string;
  readonly from: "extension" | "daemon";
  readonly line: string;
  readonly error: string;
}

const GOOD = rows<Good>("bridge/messages.jsonl");
const BAD = rows<Bad>("bridge/malformed.jsonl");
const PAIRING = ["pair_code", "pair_code_refused", "pair_code_ended"];
const CHAT = ["chat_history", "chat_resync", "turn_part", "turn", "action"];
const DAEMON_TYPES = ["screen_view", "welcome", "refused", "ack", "resync", "response_part", "response", "stop", ...PAIRING, ...CHAT, "ping", "pong"];

for (const { name, message, ignored } of GOOD.filter(({ from }) => from === "daemon")) {
  test(`the daemon's ${name} decodes to ${ignored ? "nothing" : "itself"}`, () => {
    const decoded = decode(JSON.stringify(message));
    assert.equal(decoded.seq, message.seq);
    if (ignored === true) assert.equal(decoded.message, undefined);
    else for (const [field, value] of Object.entries(decoded.message ?? {})) assert.partialDeepStrictEqual(message[field], value, field);
  });
}

for (const { name, line, error } of BAD.filter(({ from }) => from === "daemon")) {
  test(`the daemon breaks the protocol by ${name} (${error})`, () => {
    assert.throws(() => decode(line), ProtocolError);
  });
}

test("each type of the daemon has an example", () => {
  const seen = new Set(GOOD.filter(({ from, ignored }) => from === "daemon" && ignored !== true).map(({ message }) => message.type));
  assert.deepEqual([...seen].sort(), [...DAEMON_TYPES].sort());
});

for (const { name, message } of GOOD.filter(({ from }) => from === "extension")) {
  test(`the extension's ${name} becomes the line of the example`, () => {
    const { seq, ...body } = message;
    assert.deepEqual(JSON.parse(encode(seq, body as unknown as Outgoing) ?? ""), message);
  });
}

test("a line ends with its only line feed", () => {
  const line = encode(1, { type: "notification", message: "a\nb" });
  assert.equal(line?.indexOf("\n"), line === undefined ? 0 : line.length - 1);
});

test("a message of FRAME_BYTES is a line, one byte more is none", () => {
  const overhead = Buffer.byteLength(encode(1, { type: "notification", message: "" }) ?? "");
  const fits = encode(1, { type: "notification", message: "x".repeat(FRAME_BYTES - overhead) });
  assert.equal(Buffer.byteLength(fits ?? ""), FRAME_BYTES);
  assert.equal(encode(1, { type: "notification", message: "x".repeat(FRAME_BYTES - overhead + 1) }), undefined);
});

test("a field that is null counts as not given, as in Python", () => {
  const { message } = decode('{"type":"response","seq":1,"responseId":"r","id":"p","by":{"name":"n","kind":"k"},"index":null,"confirmed":true}');
  assert.deepEqual(message, { type: "response", responseId: "r", id: "p", by: { name: "n", kind: "k" }, confirmed: true });
});
