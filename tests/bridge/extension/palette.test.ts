// Promise: each colour of the theme is told by what it means, as the terminal has it, and again when the theme is another.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { SGR_BYTES } from "../../../bridge/extension/limits.ts";
import { colours, Colours } from "../../../bridge/extension/palette.ts";
import { BoardStage } from "./board_stage.ts";
import { source } from "./fixtures.ts";

let stage: BoardStage;

beforeEach(() => {
  stage = new BoardStage();
});

afterEach(() => stage.end());

/** A theme with these colours, which throws for others as Pi does. */
function theme(tokens: Record<string, string>): { fg(token: string, text: string): string } {
  return {
    fg: (token, text) => {
      const start = tokens[token];
      if (start === undefined) throw new Error(`Unknown theme color: ${token}`);
      return `${start}${text}\u001b[39m`;
    },
  };
}

const DARK = { accent: "\u001b[38;2;138;190;183m", text: "\u001b[39m", dim: "\u001b[38;5;102m\u001b[2m" };

test("each colour is the sequence that starts it", () => assert.deepEqual(colours(theme(DARK)), DARK));

test("every token that the daemon knows a meaning of is asked for", () => {
  const asked: string[] = [];
  colours({ fg: (token: string, text: string) => (asked.push(token), text) });
  const roles = source("sanitize/roles.py");
  const tables = [...roles.matchAll(/^_(?:GENERAL|SPECIAL): .*?^\)$/gms)].map(([table]) => table).join("\n");
  const known = [...tables.matchAll(/"([a-zA-Z ]+)",?\s*\)/g)].flatMap(([, names]) => (names ?? "").split(" "));
  assert.ok(known.length > 40, `${known.length}`);
  assert.deepEqual(known.filter((token) => !asked.includes(token)), []);
});

test("what is no theme, and what is no colour, is left out", () => {
  for (const none of [undefined, {}, { fg: 5 }, { fg: () => 5 }, { fg: () => "nothing of it" }]) assert.deepEqual(colours(none), {});
  const long = `\u001b[${"1;".repeat(SGR_BYTES)}m`;
  assert.deepEqual(colours(theme({ accent: long, text: "\u001b[2J", dim: "\ud800", muted: DARK.text })), { muted: DARK.text });
});

test("another theme is told at once, and the same one never again", () => {
  let tokens = DARK;
  const palette = new Colours(stage.board, () => ({ theme: { fg: (token: string, text: string) => theme(tokens).fg(token, text) } }));
  palette.look();
  assert.deepEqual(stage.said(), [{ type: "palette", tokens: DARK }]);
  palette.look();
  assert.deepEqual(stage.said(), []);
  tokens = { ...DARK, accent: "\u001b[38;5;97m" };
  palette.look();
  assert.deepEqual(stage.said(), [{ type: "palette", tokens }]);
  assert.deepEqual(stage.resynced(palette.states()), [{ type: "palette", tokens }]);
});

test("before and after a session, and in a Pi without themes, there is no palette", () => {
  for (const ui of [undefined, {}, { theme: null }]) {
    const palette = new Colours(stage.board, () => ui);
    palette.look();
    assert.deepEqual(stage.resynced(palette.states()), []);
  }
});
