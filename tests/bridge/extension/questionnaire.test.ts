// Promise: the dialog of ask shows where the person is and what is chosen, ends once, and fails into nothing rather than into Pi.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { failures } from "../../../bridge/extension/guard.ts";
import type { Kit } from "../../../bridge/extension/kit.ts";
import { ASK_ROWS } from "../../../bridge/extension/limits.ts";
import type { Answers, Question } from "../../../bridge/extension/protocol.ts";
import { AskDialog, type Place } from "../../../bridge/extension/questionnaire.ts";
import { KIT } from "./kit_fake.ts";
import { KEYS, THEME } from "./pi_fakes.ts";

const ONE: Question = { id: "one", question: "Which?", options: [{ value: "a", label: "A", description: "the first" }, { value: "b", label: "B" }] };
const MANY: Question = { id: "many", question: "Which ones?", options: [{ value: "c", label: "C" }], multiSelect: true };

let ends: (Answers | undefined)[];
let renders: number;

beforeEach(() => {
  mock.timers.enable({ apis: ["setInterval"] });
  ends = [];
  renders = 0;
  failures.clear();
});

afterEach(() => mock.timers.reset());

function dialog(questions: readonly Question[], kit: Kit = KIT): AskDialog {
  const place: Place = { screen: { requestRender: () => void (renders += 1) }, theme: THEME, keys: KEYS };
  return new AskDialog(kit, place, { questions, allowCustom: true }, (answers) => ends.push(answers));
}

function lines(shown: AskDialog): string[] {
  return shown.render(80).filter((line) => line !== "");
}

function press(shown: AskDialog, ...keys: string[]): void {
  for (const key of keys) shown.handleInput(key);
}

test("a single question", () => {
  assert.deepEqual(lines(dialog([ONE])), [
    "────",
    "Which?",
    " → A",
    "     the first",
    "   B",
    "   Type an answer",
    "   Skip",
    "↑↓ navigate  enter select  escape/ctrl+c cancel",
    "────",
  ]);
});

test("several questions, chosen, typed and looked over", () => {
  const shown = dialog([ONE, MANY]);
  assert.equal(lines(shown)[1], "Question 1 of 2");
  press(shown, "\u001b[B", "\r", " ");
  assert.deepEqual(lines(shown).slice(1, 7), ["Question 2 of 2", "Which ones?", " → [x] C", "   Type an answer", "   Done (1 chosen)", "   Skip"]);
  press(shown, "\u001b[B", "\r", "o", "w", "n");
  assert.deepEqual(lines(shown).slice(4, 6), [" → Type an answer", "   > own"]);
  press(shown, "\r");
  assert.equal(lines(shown)[4], "   Your answer: own");
  press(shown, "\r");
  assert.deepEqual(lines(shown).slice(1, 9), ["2 questions", "Your answers", "Which?", "  B", "Which ones?", "  C, own", " → Submit (2 of 2 answered)", "   Back"]);
  press(shown, "\u001b[Z", "\u001b[D");
  assert.match(lines(shown).join("\n"), /→ B ✓/);
  press(shown, "\t", "\u001b[C", "\r");
  assert.deepEqual(ends, [{ one: "b", many: ["c", "own"] }]);
});

test("Esc leaves what is being typed, then the dialog", () => {
  const shown = dialog([ONE]);
  press(shown, "\u001b[B", "\u001b[B", "\r", "x", "\u001b");
  assert.deepEqual(ends, []);
  press(shown, "\u001b");
  assert.deepEqual(ends, [undefined]);
});

test("tab does not end a single question", () => {
  press(dialog([ONE]), "\t", "\u001b[C");
  assert.deepEqual(ends, []);
});

test("ASK_ROWS rows are shown around the cursor", () => {
  const shown = dialog([{ id: "q", question: "?", options: Array.from({ length: 2 * ASK_ROWS }, (_, n) => ({ value: `${n}`, label: `o${n}` })) }]);
  press(shown, ...Array.from({ length: ASK_ROWS }, () => "\u001b[B"));
  const rows = lines(shown).filter((line) => /^ (?:→| ) o\d+$/.test(line));
  assert.equal(rows.length, ASK_ROWS);
  assert.ok(rows.includes(` → o${ASK_ROWS}`));
  assert.match(lines(shown).join("\n"), new RegExp(`\\(${ASK_ROWS + 1}/${2 * ASK_ROWS + 2}\\)`));
});

test("the countdown is shown, drawn and ends the dialog", () => {
  const shown = dialog([ONE]);
  shown.count(2);
  assert.equal(lines(shown)[1], "Which? (2s)");
  mock.timers.tick(1_000);
  assert.deepEqual([lines(shown)[1], renders, ends], ["Which? (1s)", 1, []]);
  mock.timers.tick(1_000);
  assert.deepEqual([shown.countdown?.remainingSeconds, ends], [0, [undefined]]);
});

test("once disposed it counts no more", () => {
  const shown = dialog([ONE]);
  shown.count(1);
  shown.dispose();
  mock.timers.tick(5_000);
  assert.deepEqual(ends, []);
});

test("no control character of a question reaches the terminal", () => {
  const shown = dialog([{ id: "q", question: "a\u001b[2Jb\u0007", options: [{ value: "v", label: "x\ry\tz", description: "\u009b1m" }] }]);
  assert.doesNotMatch(lines(shown).join(""), /\p{Cc}/u);
});

test("a component of Pi that throws costs the drawing, not Pi", () => {
  class Broken extends KIT.Container {
    override render(): string[] {
      throw new Error("broken");
    }
  }
  const shown = dialog([ONE], { ...KIT, Container: Broken });
  assert.deepEqual(shown.render(80), []);
  shown.invalidate();
  assert.equal(failures.get("ask.render"), 1);
});

test("it has the cursor only while something is typed and Pi gives it the keys", () => {
  const shown = dialog([MANY]);
  assert.equal(shown.wasShown, false);
  shown.focused = true;
  press(shown, "\u001b[B", "\r");
  assert.deepEqual([shown.focused, shown.wasShown], [true, true]);
  shown.focused = false;
  assert.equal(shown.focused, false);
});
