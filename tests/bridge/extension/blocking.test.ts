// Promise: editor, ask and custom are settled exactly once too, and their dialogs go as Pi lets them; stopping cancels what a run
// asked; keys do not outlive their dialog. In both forms of Pi.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { terminalAsk } from "../../../bridge/extension/asking.ts";
import { Dialogs, type Put } from "../../../bridge/extension/dialogs.ts";
import { CONTENT_BYTES } from "../../../bridge/extension/limits.ts";
import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Answers, Method, Outgoing, Prompt, Response, Settled } from "../../../bridge/extension/protocol.ts";
import type { Callable, Registry } from "../../../bridge/extension/registry.ts";
import { Watch } from "../../../bridge/extension/watch.ts";
import { around, blankRegistry } from "./blank.ts";
import { KIT } from "./kit_fake.ts";
import { SlotMode, StackMode, settled, type Component, type Ui } from "./pi_fakes.ts";

const QUESTIONS = [
  { id: "one", question: "Which?", options: [{ value: "a", label: "A" }, { value: "b", label: "B" }] },
  { id: "many", question: "Which ones?", options: [{ value: "c", label: "C" }, { value: "d", label: "D" }], multiSelect: true },
];

type Ask = (questions: unknown, allowCustom?: boolean, options?: object) => Promise<{ answers: Answers; allIgnored: boolean }>;

for (const Mode of [StackMode, SlotMode]) {
  describe(Mode.name, () => {
    let pi: StackMode | SlotMode;
    let ui: Ui & { ask: Ask };
    let record: Registry;
    let dialogs: Dialogs;
    let said: Outgoing[];
    let won: string[];
    let run: number | undefined;

    beforeEach(() => {
      pi = new Mode();
      record = blankRegistry();
      record.interactive = pi;
      const outbox = new Outbox();
      said = [];
      won = [];
      run = undefined;
      const put: Put = (key, make) => {
        outbox.put(key, make);
        for (let next = outbox.next(); next !== undefined; next = outbox.next()) said.push(next);
      };
      const watch = new Watch();
      const plain = pi.createExtensionUIContext();
      const keyboard = (listener: (data: unknown) => { consume: true } | undefined): (() => void) => plain.onTerminalInput(listener);
      dialogs = new Dialogs(record, watch, around(put, { keyboard, run: () => run, won: (name, { outcome }) => void won.push(`${name} ${outcome}`) }));
      for (const name of ["showExtensionSelector", "showExtensionInput", "showExtensionEditor"] as const) {
        const original = Mode.prototype[name] as Callable;
        Object.assign(pi, { [name]: (...args: unknown[]) => watch.opened(pi, original, args) });
      }
      const all = { ...plain, ask: terminalAsk(record, KIT, plain) };
      const raced = (method: Method) => (...args: unknown[]) => dialogs.race(method, plain, all[method] as Callable, args);
      ui = { ...plain, select: raced("select"), input: raced("input"), editor: raced("editor"), custom: raced("custom"), ask: raced("ask") } as Ui & { ask: Ask };
    });

    function prompts(): Prompt[] {
      return said.flatMap((message) => (message.type === "prompt_opened" ? [message.prompt] : []));
    }
    function endings(): Omit<Settled, "id" | "at" | "type">[] {
      return said.flatMap((message) => {
        if (message.type !== "prompt_settled") return [];
        const { id: _id, at: _at, type: _type, ...rest } = message;
        return [rest];
      });
    }
    function rejections(): string[] {
      return said.flatMap((message) => (message.type === "response_rejected" ? [message.reason] : []));
    }
    function answer(at: number, fields: Partial<Response>, responseId = `r${at}`): void {
      dialogs.respond({ type: "response", responseId, id: prompts()[at]?.id ?? "none", by: { name: "phone", kind: "test" }, ...fields });
    }
    function screen(): Component {
      assert.ok(pi.visible, "a dialog is on the screen");
      return pi.visible;
    }
    /** Keys for the dialog of ask that is on the screen. */
    function press(...keys: string[]): void {
      const { inner } = screen();
      for (const key of keys) (inner as { handleInput(data: string): void }).handleInput(key);
    }

    test("an editor gives the remote's text whole, and closes", async () => {
      const edited = ui.editor("Edit", "old");
      assert.partialDeepStrictEqual(prompts()[0], { method: "editor", title: "Edit", prefill: "old" });
      answer(0, { text: "canary\r\n\t\u001b\u202e" });
      assert.equal(pi.visible, undefined);
      assert.equal(await edited, "canary\r\n\t\u001b\u202e");
      await settled();
      assert.deepEqual(endings(), [{ outcome: "answered", winner: "remote", responseId: "r0" }]);
      assert.doesNotMatch(JSON.stringify([endings(), record.kept, [...record.verdicts], won]), /canary/);
    });

    test("unchanged gives the content byte for byte, also what JSON would have changed", async () => {
      for (const content of ["a\r\nb\t\u001b[1m\u2028\uFEFF", "x".repeat(CONTENT_BYTES), ""]) {
        const edited = ui.editor("Edit", content);
        answer(prompts().length - 1, { unchanged: true });
        assert.ok((await edited) === content);
      }
    });

    test("an editor that a remote cannot carry may only be cancelled", async () => {
      const edited = ui.editor("Edit", "half \ud800");
      assert.partialDeepStrictEqual(prompts()[0], { terminalOnly: "half_characters" });
      answer(0, { unchanged: true }, "a");
      answer(0, { text: "x" }, "b");
      assert.deepEqual([rejections(), screen().title], [["invalid", "invalid"], "Edit"]);
      answer(0, { cancelled: true }, "c");
      assert.deepEqual([await edited, pi.visible], [undefined, undefined]);
    });

    test("texts that do not suit an editor are refused", () => {
      void ui.editor("Edit", "old");
      for (const [n, fields] of [{ index: 0 }, { text: "\udc00" }, { text: "x".repeat(CONTENT_BYTES + 1) }, { parts: 2 }, { unchanged: false }, {}].entries()) {
        answer(0, fields, `bad${n}`);
      }
      assert.deepEqual([rejections().length, endings(), screen().title], [6, [], "Edit"]);
    });

    test("an editor at the terminal: saved, and left by Esc", async () => {
      const saved = ui.editor("Edit", "old");
      screen().finish("canary");
      assert.equal(await saved, "canary");
      const left = ui.editor("Edit", "old");
      screen().finish(undefined);
      assert.equal(await left, undefined);
      await settled();
      assert.deepEqual(endings(), [
        { outcome: "answered", winner: "terminal" },
        { outcome: "cancelled", winner: "terminal" },
      ]);
    });

    test("a covered editor or ask is answered at once, and what covers it stays", async () => {
      const edited = ui.editor("Edit", "old");
      const asked = ui.ask(QUESTIONS);
      const picked = ui.select("Pick", ["a"]);
      answer(0, { text: "new" });
      answer(1, { answers: {} });
      assert.deepEqual([await edited, await asked, screen().title], ["new", { answers: {}, allIgnored: true }, "Pick"]);
      screen().choose(0);
      assert.deepEqual([await picked, pi.visible], ["a", undefined]);
    });

    test("an ask is answered at the terminal", async () => {
      const asked = ui.ask(QUESTIONS);
      assert.partialDeepStrictEqual(prompts()[0], { method: "ask", title: "2 questions", questions: QUESTIONS, allowCustom: true });
      assert.equal(prompts().length, 1, "it is no custom dialog for a remote");
      press("\u001b[B", "\r", " ", "\u001b[B", "\u001b[B", "\r", "canary", "\r", "\r", "\r");
      assert.deepEqual(await asked, { answers: { one: "b", many: ["c", "canary"] }, allIgnored: false });
      await settled();
      assert.deepEqual(endings(), [{ outcome: "answered", winner: "terminal", answer: { labels: ["B", "C"] } }]);
      assert.doesNotMatch(JSON.stringify(said), /canary/);
    });

    test("an ask is answered from afar, and its dialog goes", async () => {
      const asked = ui.ask(QUESTIONS);
      answer(0, { answers: { one: "a", many: ["d", "canary"] } });
      assert.equal(pi.visible, undefined);
      assert.deepEqual(await asked, { answers: { one: "a", many: ["d", "canary"] }, allIgnored: false });
      await settled();
      assert.deepEqual(endings(), [{ outcome: "answered", winner: "remote", answer: { labels: ["A", "D"] }, responseId: "r0" }]);
      assert.doesNotMatch(JSON.stringify([said, record.kept, [...record.verdicts]]), /canary/);
    });

    test("ignoring an ask is an answer, Esc and a remote's cancel are none; the caller gets the same", async () => {
      const ignored = { answers: {}, allIgnored: true };
      const open = (): Promise<unknown> => ui.ask([QUESTIONS[0]]);
      const skipped = open();
      press("\u001b[A", "\r");
      const left = open();
      press("\u001b");
      const empty = open();
      answer(2, { answers: {} });
      const cancelled = open();
      answer(3, { cancelled: true });
      assert.deepEqual(await Promise.all([skipped, left, empty, cancelled]), [ignored, ignored, ignored, ignored]);
      await settled();
      assert.deepEqual(
        endings().map(({ outcome, winner }) => `${outcome} ${winner}`).sort(),
        ["answered remote", "answered terminal", "cancelled remote", "cancelled terminal"],
      );
    });

    test("an ask ends with the caller's signal", async () => {
      const caller = new AbortController();
      const asked = ui.ask(QUESTIONS, true, { signal: caller.signal });
      caller.abort();
      assert.deepEqual([await asked, pi.visible], [{ answers: {}, allIgnored: true }, undefined]);
      await settled();
      assert.deepEqual(endings(), [{ outcome: "withdrawn", winner: "none", reason: "signal" }]);
    });

    test("answers that do not suit an ask are refused", () => {
      void ui.ask(QUESTIONS, false);
      for (const [n, answers] of [{ two: "a" }, { one: "typed" }, { one: ["a"] }, { many: ["c", "c"] }].entries()) answer(0, { answers: answers as unknown as Answers }, `bad${n}`);
      answer(0, { index: 0 }, "index");
      assert.deepEqual([rejections().length, endings()], [5, []]);
    });

    test("an ask of nothing or of what is no question is offered to nobody", async () => {
      assert.deepEqual(await ui.ask([]), { answers: {}, allIgnored: true });
      await assert.rejects(ui.ask([{ id: 5 }]), TypeError);
      assert.deepEqual(said, []);
    });

    test("a custom dialog is told with its end, and no remote can answer or cancel it", async () => {
      let done: (value: unknown) => void = () => {};
      const open = (): Promise<unknown> =>
        ui.custom((_screen, _theme, _keys, end) => {
          done = end;
          return {};
        });
      const given = open();
      assert.partialDeepStrictEqual(prompts()[0], { method: "custom", title: "A dialog of blocking.test", terminalOnly: "custom", cancellable: false });
      answer(0, { cancelled: true }, "a");
      answer(0, { text: "x" }, "b");
      assert.deepEqual(rejections(), ["invalid", "invalid"]);
      done("canary");
      assert.equal(await given, "canary");
      const closed = open();
      done(undefined);
      assert.equal(await closed, undefined);
      await assert.rejects(ui.custom(() => assert.fail("broken")), /broken/);
      await settled();
      assert.deepEqual(endings(), [
        { outcome: "answered", winner: "terminal" },
        { outcome: "withdrawn", winner: "none", reason: "closed" },
        { outcome: "withdrawn", winner: "none", reason: "error" },
      ]);
      assert.doesNotMatch(JSON.stringify(said), /canary/);
    });

    test("stopping cancels what this run asked, and nothing else", async () => {
      const before = ui.select("Before", ["a"]);
      run = 1;
      const edited = ui.editor("During", "x");
      const asked = ui.ask(QUESTIONS);
      void ui.custom(() => ({}));
      dialogs.cancelRun(undefined, "stop");
      dialogs.cancelRun(2, "stop");
      assert.deepEqual(endings(), []);
      dialogs.cancelRun(1, "stop");
      assert.deepEqual([await edited, await asked], [undefined, { answers: {}, allIgnored: true }]);
      assert.deepEqual(endings(), Array(2).fill({ outcome: "cancelled", winner: "remote", responseId: "stop" }));
      assert.equal(dialogs.count, 2, "the custom dialog and what was asked before");
      answer(0, { index: 0 });
      assert.equal(await before, "a");
    });

    test("who answered is told, and of a stop nothing more than the stop", () => {
      void ui.select("Pick", ["a"]);
      answer(0, { index: 5 }, "bad");
      answer(0, { index: 0 });
      answer(0, { index: 0 }, "late");
      void ui.select("Pick", ["a"]);
      answer(1, { cancelled: true });
      run = 1;
      void ui.select("Pick", ["a"]);
      dialogs.cancelRun(1, "stop");
      assert.deepEqual(won, ["phone answered", "phone cancelled"]);
    });

    test("keys that were meant for a dialog do not reach what comes after it", () => {
      void ui.input("Name");
      assert.ok(pi.press("x"));
      answer(0, { text: "remote" });
      assert.equal(pi.press("y"), false);
      void ui.select("Next", ["a"]);
      assert.equal(pi.press("\r"), false);
    });

    test("keys in one dialog are not those of the one that it covers", () => {
      void ui.select("Outer", ["a"]);
      void ui.select("Inner", ["a"]);
      assert.ok(pi.press("x"));
      answer(0, { index: 0 });
      assert.ok(pi.press("y"));
      answer(1, { index: 0 });
      assert.equal(pi.press("z"), false);
    });

    test("an answer to a dialog that another covers takes no key of the other", () => {
      void ui.input("Outer");
      assert.ok(pi.press("x"));
      void ui.input("Inner");
      assert.ok(pi.press("y"));
      answer(0, { text: "remote" });
      assert.ok(pi.press("z"));
      answer(1, { text: "remote" });
      assert.equal(pi.press("z"), false);
    });

    test("withdrawn and forgotten dialogs let go of the keyboard", () => {
      void ui.select("Pick", ["a"]);
      dialogs.withdraw("reload");
      void ui.select("Pick", ["a"]);
      dialogs.forget();
      assert.equal(pi.listeners.size, 0);
    });

    test("what comes before a prompt comes right before it, and not once it is settled", () => {
      const options = Array.from({ length: 450 }, (_, n) => `o${n}`);
      void ui.select("Many", options);
      assert.deepEqual(said.map(({ type }) => type), ["options_part", "prompt_opened"]);
      const outbox = new Outbox();
      dialogs.tell((key, make) => outbox.put(key, make));
      assert.equal(outbox.next()?.type, "options_part");
      answer(0, { index: 449 });
      assert.equal(outbox.next(), undefined);
    });
  });
}
