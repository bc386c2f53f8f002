// Promise: the same bytes give the same lines however they arrive, and a line without an end costs at most one frame.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ProtocolError } from "../../../bridge/extension/decode.ts";
import { Lines } from "../../../bridge/extension/framing.ts";
import { FRAME_BYTES } from "../../../bridge/extension/limits.ts";
import { fixture } from "./fixtures.ts";

const BYTES = Buffer.from(fixture("bridge/messages.jsonl"));
const WHOLE = new Lines().push(BYTES);

test("whole", () => {
  assert.deepEqual(WHOLE, BYTES.toString("utf8").split("\n").slice(0, -1));
});

test("byte by byte", () => {
  const lines = new Lines();
  assert.deepEqual([...BYTES].flatMap((byte) => lines.push(Buffer.from([byte]))), WHOLE);
});

test("cut at every byte of a line of several bytes a character", () => {
  const bytes = Buffer.from("Grüße 🍎\nnext\n");
  for (let at = 0; at <= bytes.length; at += 1) {
    const lines = new Lines();
    assert.deepEqual([...lines.push(bytes.subarray(0, at)), ...lines.push(bytes.subarray(at))], ["Grüße 🍎", "next"]);
  }
});

test("a byte order mark is not taken away", () => {
  assert.deepEqual(new Lines().push(Buffer.from("\uFEFF{}\n")), ["\uFEFF{}"]);
});

test("FRAME_BYTES with the line feed are a line, one more is not", () => {
  const [line] = new Lines().push(Buffer.from(`${"x".repeat(FRAME_BYTES - 1)}\n`));
  assert.equal(line?.length, FRAME_BYTES - 1);
  assert.throws(() => new Lines().push(Buffer.from(`${"x".repeat(FRAME_BYTES)}\n`)), ProtocolError);
});

test("a line that has not ended is refused as soon as it cannot fit any more", () => {
  const lines = new Lines();
  assert.deepEqual(lines.push(Buffer.alloc(FRAME_BYTES - 1, "x")), []);
  assert.throws(() => lines.push(Buffer.from("x")), ProtocolError);
});

test("invalid UTF-8 is refused", () => {
  assert.throws(() => new Lines().push(Buffer.from([0x22, 0xff, 0x22, 0x0a])), ProtocolError);
});
