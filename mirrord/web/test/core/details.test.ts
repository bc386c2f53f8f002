/** Promise: what a Pi cannot do is said in sentences, each once; a report is plain text with one fact a line. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { cannot, report } from "../../src/core/details.ts";

const EXTENSION = ["capabilities.ts", "chat_actions.ts"]
  .map((file) => readFileSync(new URL(`../../../../bridge/extension/${file}`, import.meta.url), "utf8"))
  .join("\n");
const ALL = [
  ..."prompt:select prompt:confirm prompt:input prompt:editor prompt:ask prompt:custom view:custom notify status title widget".split(" "),
  ..."widget:component widget:native region:header region:footer working editor-text palette provenance stop activity".split(" "),
  ..."chat chat:send chat:commands chat:bash chat:tree".split(" "),
];

test("a Pi that has everything lacks nothing, and one that told nothing is not accused", () => {
  assert.deepEqual(cannot(ALL, {}), []);
  assert.deepEqual(cannot([], {}), []);
  assert.deepEqual(cannot(undefined, {}), []);
});

test("each name is one that the extension says", () => {
  for (const name of ALL) assert.ok(EXTENSION.includes(`"${name}"`), name);
});

test("a whole that is missing stands for its parts", () => {
  const without = (...names: readonly string[]) => cannot(ALL.filter((name) => !names.includes(name)), {});
  assert.deepEqual(without("widget", "widget:component", "widget:native"), ["Widgets of extensions are not shown."]);
  assert.deepEqual(without("widget:native"), ["Widgets are shown as terminal text alone."]);
  assert.deepEqual(without("chat", "chat:send", "chat:commands", "chat:bash", "chat:tree"), ["Its conversation is not shown."]);
  assert.deepEqual(without("chat:send", "chat:commands"), ["Nothing can be sent to it."]);
});

test("what Pi refuses stands there in its own words, each once", () => {
  const words = "This Pi cannot change its model from afar.";
  assert.deepEqual(cannot(ALL, { set_model: words, set_thinking_level: words }), [words]);
});

test("a report leaves out what is not known and lets nothing break its lines", () => {
  const text = report(
    [
      { heading: "Versions", facts: [["Pi", "1.6.0"], ["Extension", undefined], ["Folder", "/a\n## b"], ["Name", ""]] },
      { heading: "Notices", lines: ["one\ntwo", "three"] },
    ],
    0,
  );
  assert.equal(
    text,
    "mirrord session report, 1970-01-01T00:00:00.000Z\n\n## Versions\nPi: 1.6.0\nFolder: /a ## b\n\n## Notices\n- one two\n- three\n",
  );
});
