// Promise: a request fits its bounds and says what was cut; its end is when Pi ends it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { CONTENT_BYTES, OPTIONS_BYTES, OPTIONS_KEPT, OPTIONS_SENT, PROMPT_BYTES, TEXT_BYTES } from "../../../bridge/extension/limits.ts";
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

test("the options after the first come in pages that fit, all of them in order", () => {
  const options = Array.from({ length: 5_000 }, (_, n) => `option ${n} ${"x".repeat(150)}`);
  const request = describe("select", ["t", options]);
  const shown = [...(request.display.options ?? [])];
  for (const page of before("id", request)) {
    assert.equal(page.type, "options_part");
    if (page.type !== "options_part") continue;
    assert.deepEqual([page.id, page.offset], ["id", shown.length]);
    assert.ok(Buffer.byteLength(JSON.stringify(page.options)) <= PROMPT_BYTES + 2);
    shown.push(...page.options);
  }
  assert.deepEqual(shown, options);
});

test("of options past OPTIONS_KEPT or OPTIONS_BYTES no more is sent", () => {
  const sent = (values: readonly string[]): string[] => {
    const request = describe("select", ["t", values]);
    const pages = [...before("id", request)].flatMap((page) => (page.type === "options_part" ? page.options : []));
    return [...(request.display.options ?? []), ...pages];
  };
  assert.equal(sent(Array.from({ length: OPTIONS_KEPT + 1 }, () => "x")).length, OPTIONS_KEPT);
  assert.equal(sent(Array.from({ length: 60 }, () => "x".repeat(TEXT_BYTES))).length, OPTIONS_BYTES / TEXT_BYTES);
});

test("an editor's content is in the prompt, or in pieces before it, or nowhere", () => {
  assert.deepEqual(describe("editor", ["t", "a\r\n\t\u001b"]).display, { method: "editor", title: "t", prefill: "a\r\n\t\u001b" });
  assert.deepEqual(describe("editor", ["t", undefined]).display, { method: "editor", title: "t", prefill: "" });
  const long = "x".repeat(CONTENT_BYTES);
  const request = describe("editor", ["t", long]);
  const parts = [...before("id", request)].map((part) => (part.type === "prefill_part" ? part : assert.fail()));
  assert.deepEqual(request.display, { method: "editor", title: "t", prefillParts: parts.length });
  assert.ok(parts.map(({ text }) => text).join("") === long);
  assert.deepEqual(describe("editor", ["t", `${long}x`]).display, { method: "editor", title: "t", terminalOnly: "too_large" });
  assert.deepEqual(describe("editor", ["t", "\udc00"]).display, { method: "editor", title: "t", terminalOnly: "half_characters" });
});

test("what a method refuses or what asks nothing is not offered", () => {
  for (const [method, args] of [
    ["editor", ["t", 5]],
    ["ask", [[]]],
    ["ask", [[{ id: 5 }]]],
    ["ask", ["which?"]],
  ] as const) {
    assert.equal(requestOf(method, args, undefined, undefined), undefined);
  }
});

test("a custom dialog is named after what it waits for, or after who opens it", () => {
  const title = (options: unknown, source?: string): string => describe("custom", [() => ({}), options], undefined, source).display.title;
  assert.equal(title(undefined), "A dialog");
  assert.equal(title({ overlay: true }, "snake"), "A dialog of snake");
  assert.equal(title({ blocked: { kind: "question", message: "Your move" } }, "snake"), "Your move");
  assert.partialDeepStrictEqual(describe("custom", []).display, { terminalOnly: "custom", cancellable: false });
});
