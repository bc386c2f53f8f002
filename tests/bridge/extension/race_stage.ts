// A fake Pi whose dialogs are raced, and what was said about them.
import assert from "node:assert/strict";

import { Dialogs, type Put } from "../../../bridge/extension/dialogs.ts";
import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Outgoing, Prompt, Rejected, Response, Settled } from "../../../bridge/extension/protocol.ts";
import type { Callable } from "../../../bridge/extension/registry.ts";
import { Watch } from "../../../bridge/extension/watch.ts";
import { around, blankRegistry } from "./blank.ts";
import { SlotMode, StackMode, settled, type Component, type Ui } from "./pi_fakes.ts";

export const MODES = [StackMode, SlotMode];

export class RaceStage {
  readonly pi: StackMode | SlotMode;
  readonly ui: Ui;
  readonly record = blankRegistry();
  readonly said: Outgoing[] = [];
  readonly dialogs: Dialogs;

  constructor(Mode: (typeof MODES)[number]) {
    const pi = new Mode();
    const outbox = new Outbox();
    const watch = new Watch();
    const put: Put = (key, make) => {
      outbox.put(key, make);
      for (let next = outbox.next(); next !== undefined; next = outbox.next()) this.said.push(next);
    };
    const dialogs = new Dialogs(this.record, watch, around(put));
    for (const name of ["showExtensionSelector", "showExtensionInput"] as const) {
      const original = Mode.prototype[name] as Callable;
      Object.assign(pi, { [name]: (...args: unknown[]) => watch.opened(pi, original, args) });
    }
    const plain = pi.createExtensionUIContext();
    const raced = (method: "select" | "confirm" | "input") => (...args: unknown[]) => dialogs.race(method, plain, plain[method] as Callable, args);
    this.pi = pi;
    this.ui = { ...plain, select: raced("select"), confirm: raced("confirm"), input: raced("input") } as Ui;
    this.dialogs = dialogs;
  }

  get prompts(): Prompt[] {
    return this.said.flatMap((message) => (message.type === "prompt_opened" ? [message.prompt] : []));
  }

  get endings(): Settled[] {
    return this.said.filter((message) => message.type === "prompt_settled");
  }

  get rejections(): Rejected[] {
    return this.said.filter((message) => message.type === "response_rejected");
  }

  /** The dialog that the person sees; there must be one. */
  get screen(): Component {
    assert.ok(this.pi.visible, "a dialog is on the screen");
    return this.pi.visible;
  }

  answer(prompt: Prompt | undefined, fields: Partial<Response>, responseId = "r"): void {
    this.dialogs.respond({ type: "response", responseId, id: prompt?.id ?? "none", by: { name: "phone", kind: "test" }, ...fields });
  }

  /** How the one prompt that was offered ended. */
  async ending(): Promise<Omit<Settled, "id" | "at" | "type">> {
    await settled();
    assert.equal(this.endings.length, 1);
    const { id, at, type: _type, ...rest } = this.endings[0]!;
    assert.equal(id, this.prompts[0]?.id);
    assert.ok(Math.abs(at - Date.now()) < 10_000);
    return rest;
  }
}
