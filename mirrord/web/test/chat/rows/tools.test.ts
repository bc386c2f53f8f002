/** Promise: a call of a tool reads as one line that says what it is about, from its first character on, and edits tell how much they change. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { argumentsOf, callOf, diffOf, writtenOut } from "../../../src/chat/rows/tools.ts";

const title = (name: string, args: unknown): string => callOf(name, JSON.stringify(args)).title;

test("each of Pi's tools is summed up by what it is about", () => {
  assert.equal(title("bash", { command: "cd web &&\n  npm test" }), "cd web && npm test");
  assert.equal(title("read", { path: "src/a.ts" }), "src/a.ts");
  assert.equal(title("read", { path: "src/a.ts", offset: 10, limit: 5 }), "src/a.ts:10-14");
  assert.equal(title("read", { path: "src/a.ts", offset: 10 }), "src/a.ts:10");
  assert.equal(title("grep", { pattern: "TODO", path: "src" }), "TODO in src");
  assert.equal(title("find", { pattern: "*.ts", path: "." }), "*.ts");
  assert.equal(title("ls", {}), ".");
  assert.equal(title("write", { path: "b.md", content: "x" }), "b.md");
});

test("a tool of an extension is summed up by its most telling argument, or by all of them", () => {
  assert.equal(title("plant", { beds: 3, name: "tulips" }), "tulips");
  assert.equal(title("plant", { beds: 3, deep: true, more: {} }), "beds: 3, deep: true");
  assert.equal(title("plant", [1]), "");
  assert.equal(callOf("plant", undefined).title, "");
});

test("arguments that are being written are read as far as they go", () => {
  const whole = JSON.stringify({ path: "src/a.ts", note: 'say "hi"\n' });
  for (let end = 0; end <= whole.length; end += 1) assert.doesNotThrow(() => callOf("read", whole.slice(0, end)));
  assert.equal(callOf("read", '{"path":"src/a').title, "src/a");
  assert.equal(callOf("bash", '{"command":"echo \\"a\\u00').title, 'echo "a');
  assert.deepEqual({ ...argumentsOf('{"__proto__":"x","a":"b') }, { ["__proto__"]: "x", a: "b" });
});

test("an edit counts the lines that change, and shows those around them", () => {
  const args = { path: "a", edits: [{ oldText: "a\nb\nc", newText: "a\nB\nB2\nc" }, { oldText: "x", newText: "" }] };
  assert.deepEqual(callOf("edit", JSON.stringify(args)).change, { added: 2, removed: 2 });
  assert.equal(
    diffOf("edit", args)
      .map(({ sign, text }) => sign + text)
      .join("\n"),
    " a\n-b\n+B\n+B2\n c\n-x",
  );
  assert.deepEqual(callOf("write", JSON.stringify({ path: "a", content: "1\n2\n" })).change, { added: 2, removed: 0 });
  assert.equal(callOf("bash", JSON.stringify({ command: "ls" })).change, undefined);
});

test("an escape brings nothing back that the daemon took out, also while the call is being written", () => {
  const args = String.raw`{"command":"a\u202eb \u001b[31m \b \udb40\udc41 \u00e9\ud83d\ude00\n\\u202e"`;
  const shown = String.raw`a\u202eb \u001b[31m \b \udb40` + "\udc41 é😀\n" + String.raw`\u202e`;
  assert.equal(argumentsOf(`${args}}`)["command"], shown);
  assert.equal(argumentsOf(args)["command"], shown);
});

test("an argument that is nested deeper than a program writes is told to be so", () => {
  const deep = argumentsOf(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  assert.equal(writtenOut(deep["a"]), "(nested too deep to be shown)");
  assert.equal(callOf("mine", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`).title, "");
  assert.deepEqual([writtenOut("x"), writtenOut([1, { b: null }])], ["x", '[1,{"b":null}]']);
});

test("a long command is cut to what a line can show", () => {
  assert.ok(title("bash", { command: "x".repeat(1_000_000) }).length <= 300);
});
