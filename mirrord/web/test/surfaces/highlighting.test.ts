/** Promise: no code stops the page for its colours. */

import assert from "node:assert/strict";
import { test } from "node:test";

import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import ini from "highlight.js/lib/languages/ini";
import { createLowlight } from "lowlight";

import { HIGHLIGHTED_UNITS } from "../../src/surfaces/highlighting.ts";
import { cpuMs } from "../cpu.ts";

test("the grammars that are slowest with what is hardest for them take less than two seconds", () => {
  const grammars = createLowlight({ c, cpp, ini });
  for (const [name, piece] of [["c", "let "], ["c", "a\n"], ["cpp", "class a"], ["ini", "1_"]] as const) {
    const ms = cpuMs(() => void grammars.highlight(name, piece.repeat(HIGHLIGHTED_UNITS / piece.length)));
    assert.ok(ms < 2_000, `${name} ${piece}: ${ms} ms`);
  }
});
