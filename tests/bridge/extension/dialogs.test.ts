// Promise: each dialog is settled exactly once; its caller gets what it would get without us, and the terminal shows the right dialog
// afterwards. In both forms of Pi.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { beforeEach, describe, test } from "node:test";

import { Dialogs } from "../../../bridge/extension/dialogs.ts";
import { KEPT_SETTLEMENTS, OPEN_PROMPTS } from "../../../bridge/extension/limits.ts";
import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";
import type { Callable } from "../../../bridge/extension/registry.ts";
import { Watch } from "../../../bridge/extension/watch.ts";
import { around, blankRegistry } from "./blank.ts";
import { StackMode, settled, type Component } from "./pi_fakes.ts";
import { MODES, RaceStage } from "./race_stage.ts";

for (const Mode of MODES) {
  describe(Mode.name, () => {
    let stage: RaceStage;

    beforeEach(() => {
      stage = new RaceStage(Mode);
    });

    test("a select is offered with its options and answered at the terminal", async () => {
      const picked = stage.ui.select("Pick", ["a", "b", "b"]);
      assert.partialDeepStrictEqual(stage.prompts[0], { method: "select", title: "Pick", options: ["a", "b", "b"], optionCount: 3 });
      stage.screen.choose(2);
      assert.equal(await picked, "b");
      assert.deepEqual(await stage.ending(), { outcome: "answered", winner: "terminal", answer: { index: 2, label: "b" } });
    });

    test("Esc at a select", async () => {
      const picked = stage.ui.select("Pick", ["a"]);
      stage.screen.finish(undefined);
      assert.equal(await picked, undefined);
      assert.deepEqual(await stage.ending(), { outcome: "cancelled", winner: "terminal" });
    });

    test("confirm tells Yes, No and Esc apart", async () => {
      for (const [act, value, expected] of [
        [(dialog: Component) => dialog.choose(0), true, { outcome: "answered", winner: "terminal", answer: { confirmed: true, certain: true } }],
        [(dialog: Component) => dialog.choose(1), false, { outcome: "answered", winner: "terminal", answer: { confirmed: false, certain: true } }],
        [(dialog: Component) => dialog.finish(undefined), false, { outcome: "cancelled", winner: "terminal" }],
      ] as const) {
        stage.said.length = 0;
        const asked = stage.ui.confirm("Sure?", "Really?");
        assert.partialDeepStrictEqual(stage.prompts[0], { method: "confirm", title: "Sure?", message: "Really?" });
        act(stage.screen);
        assert.equal(await asked, value);
        assert.deepEqual(await stage.ending(), expected);
      }
    });

    test("where the selector of a confirm cannot be seen, No is not certain", async () => {
      delete (stage.pi as Partial<StackMode>).showExtensionSelector;
      const asked = stage.ui.confirm("Sure?", "Really?");
      stage.screen.finish(undefined);
      assert.equal(await asked, false);
      assert.deepEqual(await stage.ending(), { outcome: "answered", winner: "terminal", answer: { confirmed: false, certain: false } });
    });

    test("what is typed into an input is told to nobody", async () => {
      const typed = stage.ui.input("Name", "type");
      assert.partialDeepStrictEqual(stage.prompts[0], { method: "input", title: "Name", placeholder: "type" });
      stage.screen.finish("canary");
      assert.equal(await typed, "canary");
      assert.deepEqual(await stage.ending(), { outcome: "answered", winner: "terminal" });
      assert.doesNotMatch(JSON.stringify([stage.said, stage.record.kept, [...stage.record.verdicts]]), /canary/);
    });

    test("a timeout is told as Pi keeps it, and as the loser of nobody", async () => {
      const asked = stage.ui.select("Pick", ["a"], { timeout: 1500 });
      const [prompt] = stage.prompts;
      assert.deepEqual([prompt?.timeout, (prompt?.timeoutAt ?? 0) - (prompt?.openedAt ?? 0)], [1500, 2000]);
      stage.screen.expire();
      assert.equal(await asked, undefined);
      assert.deepEqual(await stage.ending(), { outcome: "timed_out", winner: "none" });
    });

    test("Esc before the timeout is no timeout, and an answer in the last second is an answer", async () => {
      const asked = stage.ui.confirm("Sure?", "", { timeout: 1500 });
      stage.screen.finish(undefined);
      assert.equal(await asked, false);
      assert.deepEqual(await stage.ending(), { outcome: "cancelled", winner: "terminal" });
      stage.said.length = 0;
      const again = stage.ui.confirm("Sure?", "", { timeout: 1500 });
      stage.screen.choose(1);
      assert.equal(await again, false);
      assert.deepEqual(await stage.ending(), { outcome: "answered", winner: "terminal", answer: { confirmed: false, certain: true } });
    });

    test("the caller's signal withdraws, and its listener goes with the dialog", async () => {
      const caller = new AbortController();
      const asked = stage.ui.select("Pick", ["a"], { signal: caller.signal });
      caller.abort();
      assert.equal(await asked, undefined);
      assert.deepEqual(await stage.ending(), { outcome: "withdrawn", winner: "none", reason: "signal" });
      assert.equal(stage.pi.visible, undefined);
    });

    test("a signal after a remote's answer changes nothing", async () => {
      const caller = new AbortController();
      const asked = stage.ui.select("Pick", ["a"], { signal: caller.signal });
      stage.answer(stage.prompts[0], { index: 0 });
      assert.equal(getEventListeners(caller.signal, "abort").length, 0);
      caller.abort();
      assert.equal(await asked, "a");
      assert.equal((await stage.ending()).outcome, "answered");
    });

    test("a signal that has fired already shows and offers nothing", async () => {
      assert.equal(await stage.ui.select("Pick", ["a"], { signal: AbortSignal.abort() }), undefined);
      assert.deepEqual([stage.said, stage.pi.visible], [[], undefined]);
    });

    test("an error of Pi reaches the caller and withdraws", async () => {
      Object.assign(stage.pi, { showExtensionInput: () => Promise.reject(new Error("broken")) });
      await assert.rejects(stage.ui.input("Name"), /broken/);
      assert.deepEqual(await stage.ending(), { outcome: "withdrawn", winner: "none", reason: "error" });
    });

    test("a throw of Pi reaches the caller and offers nothing", () => {
      Object.assign(stage.pi, {
        showExtensionInput: () => {
          throw new Error("broken");
        },
      });
      const caller = new AbortController();
      assert.throws(() => stage.ui.input("Name", "", { signal: caller.signal }), /broken/);
      assert.deepEqual([stage.said, getEventListeners(caller.signal, "abort")], [[], []]);
    });

    test("texts that cannot be made keep the dialog with the terminal alone", async () => {
      const unspeakable = Object.create(null) as string;
      const asked = stage.ui.select("Pick", [unspeakable]);
      assert.deepEqual(stage.said, []);
      stage.screen.finish("x");
      assert.equal(await asked, "x");
    });

    test("of OPEN_PROMPTS and one more the last stays with the terminal", async () => {
      for (let n = 0; n < OPEN_PROMPTS; n += 1) void stage.ui.select(`${n}`, ["a"]);
      const extra = stage.ui.select("extra", ["a"]);
      assert.deepEqual([stage.prompts.length, stage.dialogs.count], [OPEN_PROMPTS, OPEN_PROMPTS]);
      stage.screen.choose(0);
      assert.equal(await extra, "a");
    });

    test("a dialog that covers another is not touched by an answer to the other", async () => {
      const outer = stage.ui.select("Outer", ["a"], { timeout: 9000 });
      const covered = stage.screen;
      const inner = stage.ui.confirm("Inner?", "");
      stage.answer(stage.prompts[0], { index: 0 });
      assert.equal(await outer, "a");
      assert.equal(stage.screen.title, "Inner?\n");
      assert.ok(covered.disposed, "its countdown can hide nobody any more");
      stage.screen.choose(0);
      assert.equal(await inner, true);
      assert.equal(stage.pi.visible, undefined);
    });

    test("the covering dialog is answered first, then the other", async () => {
      const outer = stage.ui.select("Outer", ["a"]);
      const inner = stage.ui.select("Inner", ["b"]);
      stage.answer(stage.prompts[1], { index: 0 }, "r1");
      stage.answer(stage.prompts[0], { index: 0 }, "r2");
      assert.deepEqual([await outer, await inner, stage.pi.visible], ["a", "b", undefined]);
    });

    test("withdrawn prompts are told with the reason, and their promises stay as they are", async () => {
      let resolved = false;
      void stage.ui.select("Pick", ["a"]).then(() => (resolved = true));
      stage.dialogs.withdraw("reload");
      assert.deepEqual(await stage.ending(), { outcome: "withdrawn", winner: "none", reason: "reload" });
      assert.equal(resolved, false);
    });

    test("once Pi has taken the dialogs away, a caller's signal ends its promise all the same, and nothing more is told", async () => {
      const caller = new AbortController();
      const values: unknown[] = [];
      void stage.ui.select("Pick", ["a"], { signal: caller.signal }).then((value) => values.push(value));
      void stage.ui.confirm("Sure?", "", { signal: caller.signal }).then((value) => values.push(value));
      stage.dialogs.withdraw("reload");
      stage.said.length = 0;
      caller.abort();
      await settled();
      assert.deepEqual([values, stage.said, getEventListeners(caller.signal, "abort")], [[undefined, false], [], []]);
    });

    test("a resync tells what was settled, with a word about what a daemon has had, then what is open", async () => {
      void stage.ui.select("One", ["a"]);
      void stage.ui.select("Two", ["b"]);
      const [one, two] = stage.prompts;
      stage.answer(one, { index: 0 });
      stage.said.length = 0;
      const tell = (): void => stage.dialogs.tell((_key, make) => void stage.said.push(make() as Outgoing));
      tell();
      assert.deepEqual([stage.endings[0]?.id, stage.prompts[0]?.id, stage.said.length], [one?.id, two?.id, 2]);
      stage.dialogs.acknowledged([one?.id ?? ""]);
      stage.said.length = 0;
      tell();
      assert.deepEqual([stage.endings[0]?.id, stage.endings[0]?.again, stage.prompts[0]?.id, stage.said.length], [one?.id, true, two?.id, 2]);
    });

    test("KEPT_SETTLEMENTS are kept", () => {
      for (let n = 0; n <= KEPT_SETTLEMENTS; n += 1) {
        void stage.ui.select(`${n}`, ["a"]);
        stage.screen.choose(0);
        stage.dialogs.withdraw("signal");
      }
      assert.deepEqual([stage.record.kept.length, stage.record.settled.size], [KEPT_SETTLEMENTS, KEPT_SETTLEMENTS]);
    });

    test("what is forgotten stays with the terminal and is told to nobody", async () => {
      const caller = new AbortController();
      const asked = stage.ui.select("Pick", ["a"], { signal: caller.signal });
      stage.dialogs.forget();
      stage.said.length = 0;
      caller.abort();
      assert.equal(await asked, undefined);
      await settled();
      assert.deepEqual([stage.said, stage.record.kept, stage.pi.visible], [[], [], undefined]);
    });
  });
}

test("a prompt that could not be told when it opened takes a remote's answer all the same", async () => {
  const pi = new StackMode();
  const record = blankRegistry();
  let hears = false;
  const put = (): void => {
    if (!hears) throw new Error("broken");
  };
  const dialogs = new Dialogs(record, new Watch(), around(put));
  const ui = pi.createExtensionUIContext();
  const asked = dialogs.race("select", ui, ui.select as Callable, ["Pick", ["a", "b"]]);
  hears = true;
  const told: Outgoing[] = [];
  dialogs.tell((_key, make) => void told.push(make() as Outgoing));
  const id = told[0]?.type === "prompt_opened" ? told[0].prompt.id : "";
  dialogs.respond({ type: "response", responseId: "r", id, by: { name: "phone", kind: "test" }, index: 1 });
  assert.equal(await asked, "b");
  assert.deepEqual([record.kept[0]?.winner, pi.visible], ["remote", undefined]);
});

test("a prompt that ended before there was room is told by its end alone", async () => {
  const pi = new StackMode();
  const outbox = new Outbox();
  const dialogs = new Dialogs(blankRegistry(), new Watch(), around((key, make) => outbox.put(key, make)));
  const ui = pi.createExtensionUIContext();
  void dialogs.race("select", ui, ui.select as Callable, ["Pick", ["a"]]);
  pi.visible?.choose(0);
  await settled();
  assert.deepEqual([outbox.next()?.type, outbox.next()], ["prompt_settled", undefined]);
});

