/** Promise: a screen reader is told of each message once, when it is whole; rows nobody saw are guessed at near enough, whatever is in them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { ChatMessage, Row } from "../../src/chat/contract.ts";
import { EMPTY_MODEL, modelOf } from "../../src/chat/rows/model.ts";
import { estimate } from "../../src/chat/timeline/estimate.ts";
import { news } from "../../src/chat/timeline/spoken.ts";

function row(id: string, kind: string, words: string, more: Partial<ChatMessage> = {}): Row {
  return { key: id, message: { id, kind, at: 0, state: "done", display: true, parts: [{ type: "text", text: words }], ...more } };
}

test("a message is told when it is whole, and not while it comes", () => {
  const before = [row("u", "user", "Hello")];
  const coming = [...before, row("a", "assistant", "Good mor", { state: "streaming" })];
  const whole = [...before, row("a", "assistant", "Good morning")];
  assert.equal(news(before, coming), "");
  assert.equal(news(coming, coming), "");
  assert.equal(news(coming, whole), "Pi: Good morning");
  assert.equal(news(whole, whole), "");
});

test("earlier pages, other conversations, hidden messages and what was typed here are not told", () => {
  const rows = [row("u", "user", "Hello")];
  assert.equal(news(rows, [row("o", "user", "Before"), ...rows]), "");
  assert.equal(news(rows, [row("x", "user", "Elsewhere")]), "");
  assert.equal(news([], rows), "");
  assert.equal(news(rows, [...rows, row("h", "custom", "secret", { display: false })]), "");
  assert.equal(news(rows, [...rows, row("v", "user", "Again", { clientTurnId: "t" })]), "");
  assert.equal(news(rows, [...rows, row("t", "tool", "output")]), "");
});

test("how an answer ended is told, and a long one is cut", () => {
  const rows = [row("u", "user", "Hello")];
  assert.equal(news(rows, [...rows, row("a", "assistant", "I", { state: "error", error: "Overloaded" })]), "Pi: I. failed: Overloaded");
  assert.equal(news(rows, [...rows, row("a", "assistant", "", { state: "aborted" })]), "Pi: stopped");
  assert.ok(news(rows, [...rows, row("a", "assistant", "word ".repeat(10_000))]).length < 320);
});

test("each kind of row has a size, larger where there is more to read, and never without bound", () => {
  const of = (kind: string, words: string): number => {
    const item = modelOf(EMPTY_MODEL, [row("r", kind, words)], { hidden: true, streaming: false, isStart: false }).items[0];
    assert.ok(item !== undefined);
    return estimate(item, 360);
  };
  for (const kind of ["user", "assistant", "bash", "custom", "compaction", "tool", "later"]) assert.ok(of(kind, "a") >= 36, kind);
  assert.ok(of("assistant", "word ".repeat(400)) > 5 * of("assistant", "word"));
  assert.ok(of("assistant", `a${"\n".repeat(1_000_000)}`) < 10_000);
  assert.ok(of("user", `a${"\n".repeat(1_000_000)}`) < 1_000);
});
