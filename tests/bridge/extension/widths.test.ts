// Promise: no dialog of ours has a line that is wider than the terminal, however narrow that is: Pi would end. With the components and the
// measure of both generations of Pi.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { PairDialog } from "../../../bridge/extension/invitation.ts";
import { kitOf, type Kit } from "../../../bridge/extension/kit.ts";
import type { PairCode, Question } from "../../../bridge/extension/protocol.ts";
import { AskDialog, type Place } from "../../../bridge/extension/questionnaire.ts";
import { rows } from "./fixtures.ts";
import { KEYS } from "./pi_fakes.ts";

const TOOLS = new URL("../../../tools/", import.meta.url);
const PIS = ["pi-1.6.0/node_modules/@earendil-works", "pi-0.73.1/node_modules/@mariozechner"];
const WIDEST = 40;

const QUESTIONS: readonly Question[] = [
  {
    id: "many",
    question: "Which ones do you want?",
    multiSelect: true,
    options: [
      { value: "a", label: "Apples and pears", description: "A description that is longer than its label" },
      { value: "b", label: "漢字かな", description: "全角の説明" },
      { value: "c", label: "🍎👩‍👩‍👧‍👦", description: "e\u0301" },
    ],
  },
  { id: "one", question: "どれですか", options: [{ value: "d", label: "D", description: "The first" }] },
];
const CODE = rows<{ message: PairCode }>("bridge/messages.jsonl").find(({ message }) => message.type === "pair_code")!.message;

const theme = { fg: (_token: string, text: string): string => `\u001b[36m${text}\u001b[39m`, bold: (text: string): string => `\u001b[1m${text}\u001b[22m` };
const place: Place = { screen: { requestRender: () => {} }, theme, keys: KEYS };

for (const pi of PIS) {
  describe(pi, async () => {
    const load = (file: string): Promise<unknown> => import(new URL(`${pi}/${file}`, TOOLS).href) as Promise<unknown>;
    // All of pi-coding-agent takes seconds to load.
    const border = await load("pi-coding-agent/dist/modes/interactive/components/dynamic-border.js");
    const kit = kitOf(await load("pi-tui/dist/index.js"), border) as Kit;

    function fits(dialog: { render(width: number): string[] }): void {
      for (let width = 1; width <= WIDEST; width += 1) {
        const lines = dialog.render(width);
        assert.ok(lines.length > 0, `nothing is drawn at ${width}`);
        for (const line of lines) assert.ok(kit.visibleWidth(line) <= width, `${JSON.stringify(line)} at ${width}`);
      }
    }

    function asking(): AskDialog {
      const dialog = new AskDialog(kit, place, { questions: QUESTIONS, allowCustom: true }, () => {});
      dialog.focused = true;
      return dialog;
    }

    function press(dialog: AskDialog, ...keys: string[]): void {
      for (const key of keys) dialog.handleInput(key);
    }

    test("the kit is whole", () => assert.ok(kit));

    test("an ask: each of its rows, what is typed, what was typed, the other question and the answers", () => {
      const dialog = asking();
      for (let row = 0; row < 6; row += 1) {
        fits(dialog);
        press(dialog, "\r", "\u001b", "\u001b[B");
      }
      press(dialog, "\u001b[A", "\u001b[A", "\u001b[A", "\r", ..."own words 漢字かな");
      fits(dialog);
      press(dialog, "\r");
      fits(dialog);
      press(dialog, "\t");
      fits(dialog);
      press(dialog, "\t");
      fits(dialog);
    });

    test("where there is room a row is as ever, and where there is little its text has two columns", () => {
      const row = (width: number): string | undefined =>
        asking().render(width).map((line) => line.replace(/\u001b\[[0-9;]*m/gu, "").trimEnd()).find((line) => line.includes("Ap"));
      assert.deepEqual([WIDEST, 9, 8, 4, 3, 2].map(row), [" → [ ] Apples and pears", " → [ ] Ap", " → [ ]Ap", " →Ap", " Ap", "Ap"]);
    });

    for (const code of [undefined, CODE]) {
      test(`the dialog of \`/mirrord pair\`, ${code === undefined ? "before" : "with"} a code`, () => {
        const dialog = new PairDialog(kit, place, "controller", () => {});
        if (code !== undefined) dialog.show(code);
        fits(dialog);
        dialog.dispose();
      });
    }
  });
}
