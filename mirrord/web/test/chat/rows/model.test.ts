/** Promise: each message is shown once, a call and its result as one; what did not change stays the same object, however the rows came. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { ChatMessage, ChatPart, Row } from "../../../src/chat/contract.ts";
import { countAfter, EMPTY_MODEL, modelOf, type Item, type Model, type Options } from "../../../src/chat/rows/model.ts";

const DAY = 86_400_000;
const OPTIONS: Options = { hidden: false, streaming: false, isStart: true };

function row(id: string, kind: string, more: Partial<ChatMessage> = {}): Row {
  return { key: id, message: { id, kind, at: 12 * 3_600_000, state: "done", display: true, parts: [], ...more } };
}
const said = (words: string): ChatPart => ({ type: "text", text: words });
const call = (id: string): ChatPart => ({ type: "tool_call", toolCallId: id, name: "read", args: "{}" });
const result = (id: string, of: string, more: Partial<ChatMessage> = {}): Row => row(id, "tool", { toolCallId: of, toolName: "read", ...more });
const shape = ({ items }: Model): readonly string[] => items.map((item) => `${item.kind} ${item.key}`);
const tool = (model: Model): Extract<Item, { kind: "tool" }> => {
  const found = model.items.find((item) => item.kind === "tool");
  assert.ok(found?.kind === "tool");
  return found;
};

test("an answer is its parts, and a call is one row with its result", () => {
  const rows = [row("u", "user"), row("a", "assistant", { parts: [{ type: "thinking", text: "hm" }, said("Look:"), call("c"), said(" ")] }), result("t", "c")];
  const model = modelOf(EMPTY_MODEL, rows, OPTIONS);
  assert.deepEqual(shape(model), ["day u/day", "user u", "thinking a/0", "text a/1", "tool a/2"]);
  assert.equal(tool(model).result, rows[2]?.message);
  assert.equal(tool(model).state, "done");
});

test("a call says whether it is written, runs, failed, or nobody knows", () => {
  const state = (message: Partial<ChatMessage>, after: readonly Row[], streaming: boolean) =>
    tool(modelOf(EMPTY_MODEL, [row("a", "assistant", { parts: [call("c")], ...message }), ...after], { ...OPTIONS, streaming })).state;
  assert.equal(state({ state: "streaming" }, [], true), "writing");
  assert.equal(state({}, [], true), "running");
  assert.equal(state({}, [], false), "unknown");
  assert.equal(state({}, [result("t", "c", { state: "streaming" })], true), "running");
  assert.equal(state({}, [result("t", "c", { isError: true })], true), "failed");
  assert.equal(state({ state: "aborted" }, [], true), "unknown");
});

test("a result whose call comes with an earlier page keeps its key", () => {
  const before = modelOf(EMPTY_MODEL, [result("t", "c"), row("u", "user")], { ...OPTIONS, isStart: false });
  assert.deepEqual(shape(before), ["tool t", "user u"]);
  const after = modelOf(before, [row("a", "assistant", { parts: [call("c")] }), result("t", "c"), row("u", "user")], { ...OPTIONS, isStart: false });
  assert.deepEqual(shape(after), ["tool t", "user u"]);
});

test("the same call id in two answers is two calls", () => {
  const rows = [row("a", "assistant", { parts: [call("c")] }), result("t", "c"), row("b", "assistant", { parts: [call("c")] }), result("s", "c")];
  const model = modelOf(EMPTY_MODEL, rows, { ...OPTIONS, isStart: false });
  assert.deepEqual(shape(model), ["tool a/0", "tool b/0"]);
  assert.deepEqual(model.items.map((item) => item.kind === "tool" && item.result?.id), ["t", "s"]);
});

test("what is not on the terminal's screen is shown when that is wished", () => {
  const rows = [row("u", "user"), row("x", "custom", { display: false })];
  assert.deepEqual(shape(modelOf(EMPTY_MODEL, rows, OPTIONS)), ["day u/day", "user u"]);
  assert.deepEqual(shape(modelOf(EMPTY_MODEL, rows, { ...OPTIONS, hidden: true })), ["day u/day", "user u", "custom x"]);
});

test("days are divided, and the first is named where the conversation begins", () => {
  const rows = [row("u", "user"), row("v", "user", { at: 12 * 3_600_000 + DAY })];
  assert.deepEqual(shape(modelOf(EMPTY_MODEL, rows, OPTIONS)), ["day u/day", "user u", "day v/day", "user v"]);
  assert.deepEqual(shape(modelOf(EMPTY_MODEL, rows, { ...OPTIONS, isStart: false })), ["user u", "day v/day", "user v"]);
});

test("an end that is no good one is said", () => {
  const model = modelOf(EMPTY_MODEL, [row("a", "assistant", { state: "error", error: "Overloaded", parts: [said("I")] })], { ...OPTIONS, isStart: false });
  assert.deepEqual(shape(model), ["text a/0", "end a/end"]);
});

test("only the last text of a turn is its last", () => {
  const rows = [row("u", "user"), row("a", "assistant", { parts: [said("1"), call("c")] }), result("t", "c"), row("b", "assistant", { parts: [said("2")] }), row("v", "user")];
  const last = modelOf(EMPTY_MODEL, rows, { ...OPTIONS, isStart: false }).items.filter((item) => item.kind === "text" && item.isLast);
  assert.deepEqual(last.map(({ key }) => key), ["b/0"]);
});

/** Of its message, an item of a part shows the facts; the other parts may be of earlier. */
const shown = ({ items }: Model): readonly object[] =>
  items.map((item) => (item.kind === "day" ? { key: item.key } : { ...item, message: { ...item.message, parts: [] } }));

/** A conversation of many turns, as it grows: rows of one step are those of the step before, with one more or one changed. */
function* growing(): Generator<{ rows: readonly Row[]; streaming: boolean }> {
  let rows: readonly Row[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    rows = [...rows, row(`u${turn}`, "user", { at: turn * 5 * 3_600_000 })];
    yield { rows, streaming: false };
    for (let answer = 0; answer < 3; answer += 1) {
      const id = `a${turn}.${answer}`;
      const thought: ChatPart = { type: "thinking", text: "hm" };
      for (const parts of [[thought], [thought, said("So")], [thought, said("So"), call("c")]]) {
        rows = [...rows.filter(({ key }) => key !== id), row(id, "assistant", { state: "streaming", parts })];
        yield { rows, streaming: true };
      }
      rows = [...rows.slice(0, -1), row(id, "assistant", { parts: [thought, said("So"), call("c")] })];
      yield { rows, streaming: true };
      rows = [...rows, result(`t${turn}.${answer}`, "c")];
      yield { rows, streaming: true };
    }
    yield { rows, streaming: false };
  }
}

test("step by step the same is made as at once, and what did not change is the same object", () => {
  let model = EMPTY_MODEL;
  for (const { rows, streaming } of growing()) {
    const before = model;
    model = modelOf(before, rows, { ...OPTIONS, streaming });
    assert.deepEqual(shown(model), shown(modelOf(EMPTY_MODEL, rows, { ...OPTIONS, streaming })));
    const changed = model.items.filter((item) => !before.items.includes(item));
    assert.ok(changed.length <= 4, `${changed.length} of ${model.items.length} were made anew`);
    assert.equal(new Set(model.items.map(({ key }) => key)).size, model.items.length);
  }
});

test("nothing new is made of nothing new", () => {
  const rows = [row("u", "user")];
  const model = modelOf(EMPTY_MODEL, rows, OPTIONS);
  assert.equal(modelOf(model, [...rows], { ...OPTIONS }), model);
});

test("what came after a row is counted by message", () => {
  const { items } = modelOf(EMPTY_MODEL, [row("u", "user"), row("a", "assistant", { parts: [said("1"), call("c")] }), row("v", "user")], OPTIONS);
  assert.equal(countAfter(items, "u"), 2);
  assert.equal(countAfter(items, "a/0"), 1);
  assert.equal(countAfter(items, "v"), 0);
  assert.equal(countAfter(items, "gone"), 0);
});
