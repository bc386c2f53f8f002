// Promise: a request fits its bounds and says what was cut; its end is when Pi ends it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { OPTIONS_SENT, PROMPT_BYTES, TEXT_BYTES } from "../../../bridge/extension/limits.ts";
import { before, describe as requestOf, expiry, type Request } from "../../../bridge/extension/prompt.ts";
import type { Method } from "../../../bridge/extension/protocol.ts";

function describe(method: Method, args: readonly unknown[], timeout?: unknown, source?: string): Request {
  const request = requestOf(method, args, timeout, source);
  assert.ok(request, "it can be offered");
  return request;
}

for (const [timeout, ends] of [
  [undefined, undefined],
  [0, undefined],
  [-5, undefined],
  [Number.NaN, undefined],
  [Infinity, undefined],
  [0.5, 1000],
  [1, 1000],
  [999.9, 1000],
  [1000, 1000],
  [1000.1, 2000],
  [1500, 2000],
  [60_000, 60_000],
] as const) {
  test(`a timeout of ${timeout} ends after ${ends}`, () => assert.equal(expiry(timeout), ends));
}

test("a timeout that JSON cannot hold is not told", () => {
  assert.equal(describe("select", ["t", []], Infinity).display.timeout, undefined);
  assert.equal(describe("select", ["t", []], Number.NaN).display.timeout, undefined);
  assert.equal(describe("select", ["t", []], 0.5).display.timeout, 0.5);
});

test("a timeout given as text is the number that Pi makes of it", () => {
  assert.equal(describe("select", ["t", []], "1500").timeout, 1500);
});

test("texts at the limit are whole, one byte more is cut and noted", () => {
  const at = "x".repeat(TEXT_BYTES);
  assert.equal("truncated" in describe("confirm", [at, at], undefined).display, false);
  const { display } = describe("confirm", [`${at}y`, `${at}z`], undefined);
  assert.deepEqual([display.title, display.message], [at, at]);
  assert.deepEqual(display.truncated, [
    { field: "title", shown: TEXT_BYTES, total: TEXT_BYTES + 1 },
    { field: "message", shown: TEXT_BYTES, total: TEXT_BYTES + 1 },
  ]);
});

test("OPTIONS_SENT options are sent, of more the rest is counted", () => {
  const options = Array.from({ length: OPTIONS_SENT + 1 }, (_, n) => `${n}`);
  const { display: fits } = describe("select", ["t", options.slice(1)], undefined);
  assert.deepEqual([fits.options?.length, fits.optionCount, fits.truncated], [OPTIONS_SENT, OPTIONS_SENT, undefined]);
  const { display } = describe("select", ["t", options], undefined);
  assert.deepEqual([display.options?.length, display.optionCount], [OPTIONS_SENT, OPTIONS_SENT + 1]);
  assert.deepEqual(display.truncated, [{ field: "options", shown: OPTIONS_SENT, total: OPTIONS_SENT + 1 }]);
});

test("a prompt of PROMPT_BYTES is whole; what exceeds it is cut and noted", () => {
  const eight = Array.from({ length: PROMPT_BYTES / TEXT_BYTES }, () => "x".repeat(TEXT_BYTES));
  assert.equal(describe("select", ["", eight], undefined).display.truncated, undefined);
  const { options, truncated } = describe("select", ["t", [...eight, "y"]], undefined).display;
  assert.equal((options ?? []).join("").length + 1, PROMPT_BYTES);
  assert.deepEqual(truncated, [
    { field: "options.7", shown: TEXT_BYTES - 1, total: TEXT_BYTES },
    { field: "options", shown: 8, total: 9 },
  ]);
});

test("an input without a placeholder has none", () => {
  assert.deepEqual(describe("input", ["t", undefined], undefined).display, { method: "input", title: "t" });
  assert.deepEqual(describe("input", ["t", ""], undefined).display, { method: "input", title: "t", placeholder: "" });
});
