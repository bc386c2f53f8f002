// Promise: the model gets a tool that asks only where the person wants it and none of that name is there; it learns what was answered.
import assert from "node:assert/strict";
import { test } from "node:test";

import { registerAskTool, TOOL } from "../../../bridge/extension/tool.ts";

interface Tool {
  name: string;
  parameters: unknown;
  execute(id: string, given: unknown, signal: unknown, update: unknown, ctx: unknown): Promise<{ content: { text: string }[]; details: unknown }>;
}

function registered(names: readonly string[] = []): Tool | undefined {
  let tool: Tool | undefined;
  registerAskTool({ getAllTools: () => names.map((name) => ({ name })), registerTool: (made: Tool) => void (tool = made) });
  return tool;
}

const QUESTIONS = [
  { id: "db", question: "Which?", options: [{ value: "lite", label: "SQLite" }, { value: "pg", label: "pg" }] },
  { id: "parts", question: "Which ones?", options: [{ value: "api", label: "The API" }], multiSelect: true },
];

async function said(ask: unknown): Promise<[text: string | undefined, details: unknown]> {
  const { content, details } = (await registered()?.execute("1", { questions: QUESTIONS }, undefined, undefined, { ui: { ask } })) ?? assert.fail();
  return [content[0]?.text, details];
}

test("it is registered once, and not over another", () => {
  assert.equal(registered(["read"])?.name, TOOL);
  assert.equal(registered(["read", TOOL]), undefined);
});

test("where Pi does not tell its tools, nothing is registered", () => {
  registerAskTool({ registerTool: () => assert.fail() });
  registerAskTool(undefined);
});

test("its parameters are plain JSON Schema", () => {
  const { parameters } = registered() ?? assert.fail();
  assert.deepEqual(JSON.parse(JSON.stringify(parameters)), parameters);
});

test("the answers are told with their labels", async () => {
  const details = { answers: { db: "lite", parts: ["api", "own words"] }, allIgnored: false };
  assert.deepEqual(await said(() => Promise.resolve(details)), ["db: lite (SQLite)\nparts: api, own words (The API)", details]);
  const some = { answers: { db: "pg" }, allIgnored: false };
  assert.deepEqual((await said(() => Promise.resolve(some)))[0], "db: pg\nparts: not answered");
});

test("no answer and nobody to ask are told too", async () => {
  assert.equal((await said(() => Promise.resolve({ answers: {}, allIgnored: true })))[0], "The person answered none of the questions.");
  assert.equal((await said(undefined))[0], "There is nobody to ask.");
});

test("the signal of the call is passed on, and a refusal of ask is the tool's", async () => {
  const { signal } = new AbortController();
  let passed: unknown;
  const ask = (questions: unknown, allowCustom: unknown, options: { signal: unknown }): Promise<unknown> => {
    passed = [questions, allowCustom, options.signal];
    return Promise.reject(new TypeError("no question"));
  };
  const asked = registered()?.execute("1", { questions: 5, allowCustom: false }, signal, undefined, { ui: { ask } });
  await assert.rejects(asked ?? Promise.resolve(), /no question/);
  assert.deepEqual(passed, [5, false, signal]);
});
