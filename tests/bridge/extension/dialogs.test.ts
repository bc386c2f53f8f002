// Promise: each dialog is settled exactly once, by whoever is first; the caller always gets what it would get without us or what a
// remote chose; the terminal shows the right dialog afterwards. In both forms of Pi.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Dialogs, type Put } from "../../../bridge/extension/dialogs.ts";
import { KEPT_SETTLEMENTS, OPEN_PROMPTS, OPTIONS_SENT, RESPONSE_ID_CHARS } from "../../../bridge/extension/limits.ts";
import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Outgoing, Prompt, Rejected, Response, Settled } from "../../../bridge/extension/protocol.ts";
import type { Callable, Registry } from "../../../bridge/extension/registry.ts";
import { Watch } from "../../../bridge/extension/watch.ts";
import { around, blankRegistry } from "./blank.ts";
import { SlotMode, StackMode, settled, type Component, type Ui } from "./pi_fakes.ts";

for (const Mode of [StackMode, SlotMode]) {
  describe(Mode.name, () => {
    let pi: StackMode | SlotMode;
    let ui: Ui;
    let record: Registry;
    let outbox: Outbox;
    let dialogs: Dialogs;
    let said: Outgoing[];

    beforeEach(() => {
      pi = new Mode();
      record = blankRegistry();
      outbox = new Outbox();
      said = [];
      const watch = new Watch();
      const put: Put = (key, make) => {
        outbox.put(key, make);
        for (let next = outbox.next(); next !== undefined; next = outbox.next()) said.push(next);
      };
      dialogs = new Dialogs(record, watch, around(put));
      for (const name of ["showExtensionSelector", "showExtensionInput"] as const) {
        const original = Mode.prototype[name] as Callable;
        Object.assign(pi, { [name]: (...args: unknown[]) => watch.opened(pi, original, args) });
      }
      const plain = pi.createExtensionUIContext();
      const raced = (method: "select" | "confirm" | "input") => (...args: unknown[]) => dialogs.race(method, plain, plain[method] as Callable, args);
      ui = { ...plain, select: raced("select"), confirm: raced("confirm"), input: raced("input") } as Ui;
    });

    function prompts(): Prompt[] {
      return said.flatMap((message) => (message.type === "prompt_opened" ? [message.prompt] : []));
    }
    function endings(): Settled[] {
      return said.filter((message) => message.type === "prompt_settled");
    }
    function rejections(): Rejected[] {
      return said.filter((message) => message.type === "response_rejected");
    }
    function answer(prompt: Prompt | undefined, fields: Partial<Response>, responseId = "r"): void {
      dialogs.respond({ type: "response", responseId, id: prompt?.id ?? "none", by: { name: "phone", kind: "test" }, ...fields });
    }
    function screen(): Component {
      assert.ok(pi.visible, "a dialog is on the screen");
      return pi.visible;
    }
    async function ending(): Promise<Omit<Settled, "id" | "at" | "type">> {
      await settled();
      assert.equal(endings().length, 1);
      const { id, at, type: _type, ...rest } = endings()[0]!;
      assert.equal(id, prompts()[0]?.id);
      assert.ok(Math.abs(at - Date.now()) < 10_000);
      return rest;
    }

    test("a select is offered with its options and answered at the terminal", async () => {
      const picked = ui.select("Pick", ["a", "b", "b"]);
      assert.partialDeepStrictEqual(prompts()[0], { method: "select", title: "Pick", options: ["a", "b", "b"], optionCount: 3 });
      screen().choose(2);
      assert.equal(await picked, "b");
      assert.deepEqual(await ending(), { outcome: "answered", winner: "terminal", answer: { index: 2, label: "b" } });
    });

    test("a select is answered from afar: told before the caller learns it, and gone from the screen", async () => {
      const order: string[] = [];
      const picked = ui.select("Pick", ["a", "b"]).then((value) => order.push(`promise ${value}`, ...said.map(({ type }) => type)));
      answer(prompts()[0], { index: 1 });
      assert.equal(pi.visible, undefined);
      await picked;
      assert.deepEqual(order, ["promise b", "prompt_opened", "prompt_settled"]);
      assert.deepEqual(await ending(), { outcome: "answered", winner: "remote", responseId: "r", answer: { index: 1, label: "b" } });
    });

    test("the very value that the caller gave comes back, not what a remote was shown", async () => {
      const odd = "\u001b[31mred\ud800";
      const picked = ui.select("Pick", [odd]);
      answer(prompts()[0], { index: 0 });
      assert.equal(await picked, odd);
      assert.equal(prompts()[0]?.options?.[0], "\u001b[31mred\uFFFD");
    });

    test("what the caller does to its list later changes nothing", async () => {
      const list = ["a", "b"];
      const picked = ui.select("Pick", list);
      list.reverse();
      answer(prompts()[0], { index: 0 });
      assert.equal(await picked, "a");
    });

    test("an option beyond those that were sent can be chosen by its index", async () => {
      const picked = ui.select("Pick", Array.from({ length: OPTIONS_SENT + 2 }, (_, n) => `o${n}`));
      assert.equal(prompts()[0]?.options?.length, OPTIONS_SENT);
      answer(prompts()[0], { index: OPTIONS_SENT + 1 });
      assert.equal(await picked, `o${OPTIONS_SENT + 1}`);
    });

    test("Esc at a select", async () => {
      const picked = ui.select("Pick", ["a"]);
      screen().finish(undefined);
      assert.equal(await picked, undefined);
      assert.deepEqual(await ending(), { outcome: "cancelled", winner: "terminal" });
    });

    test("confirm tells Yes, No and Esc apart", async () => {
      for (const [act, value, expected] of [
        [(dialog: Component) => dialog.choose(0), true, { outcome: "answered", winner: "terminal", answer: { confirmed: true, certain: true } }],
        [(dialog: Component) => dialog.choose(1), false, { outcome: "answered", winner: "terminal", answer: { confirmed: false, certain: true } }],
        [(dialog: Component) => dialog.finish(undefined), false, { outcome: "cancelled", winner: "terminal" }],
      ] as const) {
        said.length = 0;
        const asked = ui.confirm("Sure?", "Really?");
        assert.partialDeepStrictEqual(prompts()[0], { method: "confirm", title: "Sure?", message: "Really?" });
        act(screen());
        assert.equal(await asked, value);
        assert.deepEqual(await ending(), expected);
      }
    });

    test("where the selector of a confirm cannot be seen, No is not certain", async () => {
      delete (pi as Partial<StackMode>).showExtensionSelector;
      const asked = ui.confirm("Sure?", "Really?");
      screen().finish(undefined);
      assert.equal(await asked, false);
      assert.deepEqual(await ending(), { outcome: "answered", winner: "terminal", answer: { confirmed: false, certain: false } });
    });

    test("what is typed into an input is told to nobody", async () => {
      const typed = ui.input("Name", "type");
      assert.partialDeepStrictEqual(prompts()[0], { method: "input", title: "Name", placeholder: "type" });
      screen().finish("canary");
      assert.equal(await typed, "canary");
      assert.deepEqual(await ending(), { outcome: "answered", winner: "terminal" });
      assert.doesNotMatch(JSON.stringify([said, record.kept, [...record.verdicts]]), /canary/);
    });

    test("nor is what a remote typed", async () => {
      const typed = ui.input("Name");
      assert.equal("placeholder" in (prompts()[0] ?? {}), false);
      answer(prompts()[0], { text: "canary 🍎" });
      assert.equal(await typed, "canary 🍎");
      assert.deepEqual(await ending(), { outcome: "answered", winner: "remote", responseId: "r" });
      assert.doesNotMatch(JSON.stringify([said, record.kept, [...record.verdicts]]), /canary/);
    });

    test("a remote cancels", async () => {
      for (const [open, value] of [
        [() => ui.select("Pick", ["a"]), undefined],
        [() => ui.confirm("Sure?", ""), false],
        [() => ui.input("Name"), undefined],
      ] as const) {
        said.length = 0;
        record.verdicts.clear();
        const asked = open();
        answer(prompts()[0], { cancelled: true });
        assert.equal(await asked, value);
        assert.deepEqual(await ending(), { outcome: "cancelled", winner: "remote", responseId: "r" });
        assert.equal(pi.visible, undefined);
      }
    });

    test("an answer that does not suit is refused and settles nothing", async () => {
      const cases: [() => unknown, Partial<Response>[]][] = [
        [() => ui.select("Pick", ["a", ""]), [{}, { index: 2 }, { index: -1 }, { index: 1 }, { text: "a" }, { confirmed: true }, { index: 0, text: "a" }, { cancelled: false }]],
        [() => ui.confirm("Sure?", ""), [{}, { index: 0 }, { text: "yes" }, { confirmed: true, cancelled: true }]],
        [() => ui.input("Name"), [{}, { index: 0 }, { confirmed: true }, { text: "a\nb" }, { text: "\u001b" }, { text: "\udc00" }]],
      ];
      let n = 0;
      for (const [open, answers] of cases) {
        said.length = 0;
        void open();
        for (const fields of answers) answer(prompts()[0], fields, `r${(n += 1)}`);
        await settled();
        assert.deepEqual([rejections().map(({ reason }) => reason), endings()], [answers.map(() => "invalid"), []]);
        assert.ok(pi.visible);
      }
    });

    test("of two remotes the second learns that it is settled, and of an unknown prompt that it is unknown", async () => {
      const picked = ui.select("Pick", ["a", "b"]);
      answer(prompts()[0], { index: 0 }, "first");
      answer(prompts()[0], { index: 1 }, "second");
      answer(undefined, { index: 1 }, "third");
      assert.equal(await picked, "a");
      assert.deepEqual(
        rejections().map(({ responseId, reason }) => [responseId, reason]),
        [
          ["second", "settled"],
          ["third", "unknown"],
        ],
      );
      assert.equal(endings().length, 1);
    });

    test("the same response gets the same verdict again", () => {
      void ui.select("Pick", ["a", "b"]);
      answer(prompts()[0], { index: 7 }, "bad");
      answer(prompts()[0], { index: 0 }, "good");
      const [rejected, ended] = [rejections()[0], endings()[0]];
      answer(prompts()[0], { index: 1 }, "bad");
      answer(prompts()[0], { index: 1 }, "good");
      assert.deepEqual(said.slice(-2), [rejected, ended]);
    });

    test("KEPT_SETTLEMENTS verdicts are remembered, none of them under an id without bound", () => {
      for (let n = 0; n <= KEPT_SETTLEMENTS; n += 1) answer(undefined, { index: 0 }, `r${n}`);
      answer(undefined, { index: 0 }, "x".repeat(RESPONSE_ID_CHARS + 1));
      assert.deepEqual([record.verdicts.size, record.verdicts.has("r0"), record.verdicts.has("r1")], [KEPT_SETTLEMENTS, false, true]);
      answer(undefined, { index: 0 }, "x".repeat(RESPONSE_ID_CHARS));
      assert.ok(record.verdicts.has("x".repeat(RESPONSE_ID_CHARS)));
    });

    test("the terminal was first: a remote's answer is late and the value stays", async () => {
      const picked = ui.select("Pick", ["a", "b"]);
      screen().choose(0);
      await settled();
      answer(prompts()[0], { index: 1 });
      assert.deepEqual([await picked, rejections()[0]?.reason], ["a", "settled"]);
    });

    test("a timeout is told as Pi keeps it, and as the loser of nobody", async () => {
      const asked = ui.select("Pick", ["a"], { timeout: 1500 });
      const [prompt] = prompts();
      assert.deepEqual([prompt?.timeout, (prompt?.timeoutAt ?? 0) - (prompt?.openedAt ?? 0)], [1500, 2000]);
      screen().expire();
      assert.equal(await asked, undefined);
      assert.deepEqual(await ending(), { outcome: "timed_out", winner: "none" });
    });

    test("Esc before the timeout is no timeout, and an answer in the last second is an answer", async () => {
      const asked = ui.confirm("Sure?", "", { timeout: 1500 });
      screen().finish(undefined);
      assert.equal(await asked, false);
      assert.deepEqual(await ending(), { outcome: "cancelled", winner: "terminal" });
      said.length = 0;
      const again = ui.confirm("Sure?", "", { timeout: 1500 });
      screen().choose(1);
      assert.equal(await again, false);
      assert.deepEqual(await ending(), { outcome: "answered", winner: "terminal", answer: { confirmed: false, certain: true } });
    });

    test("the caller's signal withdraws, and its listener goes with the dialog", async () => {
      const caller = new AbortController();
      const asked = ui.select("Pick", ["a"], { signal: caller.signal });
      caller.abort();
      assert.equal(await asked, undefined);
      assert.deepEqual(await ending(), { outcome: "withdrawn", winner: "none", reason: "signal" });
      assert.equal(pi.visible, undefined);
    });

    test("a signal after a remote's answer changes nothing", async () => {
      const caller = new AbortController();
      const asked = ui.select("Pick", ["a"], { signal: caller.signal });
      answer(prompts()[0], { index: 0 });
      caller.abort();
      assert.equal(await asked, "a");
      assert.equal((await ending()).outcome, "answered");
    });

    test("a signal that has fired already shows and offers nothing", async () => {
      assert.equal(await ui.select("Pick", ["a"], { signal: AbortSignal.abort() }), undefined);
      assert.deepEqual([said, pi.visible], [[], undefined]);
    });

    test("an error of Pi reaches the caller and withdraws", async () => {
      Object.assign(pi, { showExtensionInput: () => Promise.reject(new Error("broken")) });
      await assert.rejects(ui.input("Name"), /broken/);
      assert.deepEqual(await ending(), { outcome: "withdrawn", winner: "none", reason: "error" });
    });

    test("a throw of Pi reaches the caller and offers nothing", () => {
      Object.assign(pi, {
        showExtensionInput: () => {
          throw new Error("broken");
        },
      });
      assert.throws(() => ui.input("Name"), /broken/);
      assert.deepEqual(said, []);
    });

    test("texts that cannot be made keep the dialog with the terminal alone", async () => {
      const unspeakable = Object.create(null) as string;
      const asked = ui.select("Pick", [unspeakable]);
      assert.deepEqual(said, []);
      screen().finish("x");
      assert.equal(await asked, "x");
    });

    test("of OPEN_PROMPTS and one more the last stays with the terminal", async () => {
      for (let n = 0; n < OPEN_PROMPTS; n += 1) void ui.select(`${n}`, ["a"]);
      const extra = ui.select("extra", ["a"]);
      assert.deepEqual([prompts().length, dialogs.count], [OPEN_PROMPTS, OPEN_PROMPTS]);
      screen().choose(0);
      assert.equal(await extra, "a");
    });

    test("a dialog that covers another is not touched by an answer to the other", async () => {
      const outer = ui.select("Outer", ["a"], { timeout: 9000 });
      const covered = screen();
      const inner = ui.confirm("Inner?", "");
      answer(prompts()[0], { index: 0 });
      assert.equal(await outer, "a");
      assert.equal(screen().title, "Inner?\n");
      assert.ok(covered.disposed, "its countdown can hide nobody any more");
      screen().choose(0);
      assert.equal(await inner, true);
      assert.equal(pi.visible, undefined);
    });

    test("the covering dialog is answered first, then the other", async () => {
      const outer = ui.select("Outer", ["a"]);
      const inner = ui.select("Inner", ["b"]);
      answer(prompts()[1], { index: 0 }, "r1");
      answer(prompts()[0], { index: 0 }, "r2");
      assert.deepEqual([await outer, await inner, pi.visible], ["a", "b", undefined]);
    });

    test("withdrawn prompts are told with the reason, and their promises stay as they are", async () => {
      let resolved = false;
      void ui.select("Pick", ["a"]).then(() => (resolved = true));
      dialogs.withdraw("reload");
      assert.deepEqual(await ending(), { outcome: "withdrawn", winner: "none", reason: "reload" });
      assert.equal(resolved, false);
    });

    test("a resync tells what was settled, with a word about what a daemon has had, then what is open", async () => {
      void ui.select("One", ["a"]);
      void ui.select("Two", ["b"]);
      const [one, two] = prompts();
      answer(one, { index: 0 });
      said.length = 0;
      const tell = (): void => dialogs.tell((_key, make) => void said.push(make() as Outgoing));
      tell();
      assert.deepEqual([endings()[0]?.id, prompts()[0]?.id, said.length], [one?.id, two?.id, 2]);
      dialogs.acknowledged([one?.id ?? ""]);
      said.length = 0;
      tell();
      assert.deepEqual([endings()[0]?.id, endings()[0]?.again, prompts()[0]?.id, said.length], [one?.id, true, two?.id, 2]);
    });

    test("KEPT_SETTLEMENTS are kept", () => {
      for (let n = 0; n <= KEPT_SETTLEMENTS; n += 1) {
        void ui.select(`${n}`, ["a"]);
        screen().choose(0);
        dialogs.withdraw("signal");
      }
      assert.deepEqual([record.kept.length, record.settled.size], [KEPT_SETTLEMENTS, KEPT_SETTLEMENTS]);
    });

    test("what is forgotten stays with the terminal and is told to nobody", async () => {
      const caller = new AbortController();
      const asked = ui.select("Pick", ["a"], { signal: caller.signal });
      dialogs.forget();
      said.length = 0;
      caller.abort();
      assert.equal(await asked, undefined);
      await settled();
      assert.deepEqual([said, record.kept, pi.visible], [[], [], undefined]);
    });
  });
}

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

