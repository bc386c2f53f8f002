// Promise: a remote's answer wins when it is first and suits the prompt; every other answer is refused with the reason and changes
// nothing; each gets one verdict. In both forms of Pi.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { KEPT_SETTLEMENTS, OPTIONS_SENT, RESPONSE_ID_CHARS } from "../../../bridge/extension/limits.ts";
import type { Response } from "../../../bridge/extension/protocol.ts";
import { settled } from "./pi_fakes.ts";
import { MODES, RaceStage } from "./race_stage.ts";

for (const Mode of MODES) {
  describe(Mode.name, () => {
    let stage: RaceStage;

    beforeEach(() => {
      stage = new RaceStage(Mode);
    });

    test("a select is answered from afar: told before the caller learns it, and gone from the screen", async () => {
      const order: string[] = [];
      const picked = stage.ui.select("Pick", ["a", "b"]).then((value) => order.push(`promise ${value}`, ...stage.said.map(({ type }) => type)));
      stage.answer(stage.prompts[0], { index: 1 });
      assert.equal(stage.pi.visible, undefined);
      await picked;
      assert.deepEqual(order, ["promise b", "prompt_opened", "prompt_settled"]);
      assert.deepEqual(await stage.ending(), { outcome: "answered", winner: "remote", responseId: "r", answer: { index: 1, label: "b" } });
    });

    test("the very value that the caller gave comes back, not what a remote was shown", async () => {
      const odd = "\u001b[31mred\ud800";
      const picked = stage.ui.select("Pick", [odd]);
      stage.answer(stage.prompts[0], { index: 0 });
      assert.equal(await picked, odd);
      assert.equal(stage.prompts[0]?.options?.[0], "\u001b[31mred\uFFFD");
    });

    test("what the caller does to its list later changes nothing", async () => {
      const list = ["a", "b"];
      const picked = stage.ui.select("Pick", list);
      list.reverse();
      stage.answer(stage.prompts[0], { index: 0 });
      assert.equal(await picked, "a");
    });

    test("an option beyond those that were sent can be chosen by its index", async () => {
      const picked = stage.ui.select("Pick", Array.from({ length: OPTIONS_SENT + 2 }, (_, n) => `o${n}`));
      assert.equal(stage.prompts[0]?.options?.length, OPTIONS_SENT);
      stage.answer(stage.prompts[0], { index: OPTIONS_SENT + 1 });
      assert.equal(await picked, `o${OPTIONS_SENT + 1}`);
    });

    test("nor is what a remote typed", async () => {
      const typed = stage.ui.input("Name");
      assert.equal("placeholder" in (stage.prompts[0] ?? {}), false);
      stage.answer(stage.prompts[0], { text: "canary 🍎" });
      assert.equal(await typed, "canary 🍎");
      assert.deepEqual(await stage.ending(), { outcome: "answered", winner: "remote", responseId: "r" });
      assert.doesNotMatch(JSON.stringify([stage.said, stage.record.kept, [...stage.record.verdicts]]), /canary/);
    });

    test("a remote cancels", async () => {
      for (const [open, value] of [
        [() => stage.ui.select("Pick", ["a"]), undefined],
        [() => stage.ui.confirm("Sure?", ""), false],
        [() => stage.ui.input("Name"), undefined],
      ] as const) {
        stage.said.length = 0;
        stage.record.verdicts.clear();
        const asked = open();
        stage.answer(stage.prompts[0], { cancelled: true });
        assert.equal(await asked, value);
        assert.deepEqual(await stage.ending(), { outcome: "cancelled", winner: "remote", responseId: "r" });
        assert.equal(stage.pi.visible, undefined);
      }
    });

    test("an answer that does not suit is refused and settles nothing", async () => {
      const cases: [() => unknown, Partial<Response>[]][] = [
        [() => stage.ui.select("Pick", ["a", ""]), [{}, { index: 2 }, { index: -1 }, { index: 1 }, { text: "a" }, { confirmed: true }, { index: 0, text: "a" }, { cancelled: false }]],
        [() => stage.ui.confirm("Sure?", ""), [{}, { index: 0 }, { text: "yes" }, { confirmed: true, cancelled: true }]],
        [() => stage.ui.input("Name"), [{}, { index: 0 }, { confirmed: true }, { text: "a\nb" }, { text: "\u001b" }, { text: "\udc00" }]],
      ];
      let n = 0;
      for (const [open, answers] of cases) {
        stage.said.length = 0;
        void open();
        for (const fields of answers) stage.answer(stage.prompts[0], fields, `r${(n += 1)}`);
        await settled();
        assert.deepEqual([stage.rejections.map(({ reason }) => reason), stage.endings], [answers.map(() => "invalid"), []]);
        assert.ok(stage.pi.visible);
      }
    });

    test("of two remotes the second learns that it is settled, and of an unknown prompt that it is unknown", async () => {
      const picked = stage.ui.select("Pick", ["a", "b"]);
      stage.answer(stage.prompts[0], { index: 0 }, "first");
      stage.answer(stage.prompts[0], { index: 1 }, "second");
      stage.answer(undefined, { index: 1 }, "third");
      assert.equal(await picked, "a");
      assert.deepEqual(
        stage.rejections.map(({ responseId, reason }) => [responseId, reason]),
        [
          ["second", "settled"],
          ["third", "unknown"],
        ],
      );
      assert.equal(stage.endings.length, 1);
    });

    test("the same response gets the same verdict again", () => {
      void stage.ui.select("Pick", ["a", "b"]);
      stage.answer(stage.prompts[0], { index: 7 }, "bad");
      stage.answer(stage.prompts[0], { index: 0 }, "good");
      const [rejected, ended] = [stage.rejections[0], stage.endings[0]];
      stage.answer(stage.prompts[0], { index: 1 }, "bad");
      stage.answer(stage.prompts[0], { index: 1 }, "good");
      assert.deepEqual(stage.said.slice(-2), [rejected, ended]);
    });

    test("KEPT_SETTLEMENTS verdicts are remembered, none of them under an id without bound", () => {
      for (let n = 0; n <= KEPT_SETTLEMENTS; n += 1) stage.answer(undefined, { index: 0 }, `r${n}`);
      stage.answer(undefined, { index: 0 }, "x".repeat(RESPONSE_ID_CHARS + 1));
      assert.deepEqual([stage.record.verdicts.size, stage.record.verdicts.has("r0"), stage.record.verdicts.has("r1")], [KEPT_SETTLEMENTS, false, true]);
      stage.answer(undefined, { index: 0 }, "x".repeat(RESPONSE_ID_CHARS));
      assert.ok(stage.record.verdicts.has("x".repeat(RESPONSE_ID_CHARS)));
    });

    test("the terminal was first: a remote's answer is late and the value stays", async () => {
      const picked = stage.ui.select("Pick", ["a", "b"]);
      stage.screen.choose(0);
      await settled();
      stage.answer(stage.prompts[0], { index: 1 });
      assert.deepEqual([await picked, stage.rejections[0]?.reason], ["a", "settled"]);
    });
  });
}
