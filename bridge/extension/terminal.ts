// What we do in Pi's terminal besides dialogs, through the context of the session that owns it.

import { follow, guard, isPromise } from "./guard.ts";
import { call, field } from "./pi.ts";
import type { Registry } from "./registry.ts";
import type { Keyboard } from "./typing.ts";

export class Terminal {
  private readonly shared: Registry;
  private readonly context: () => unknown;

  /** `context` gives the session's context, or undefined before and after the session. */
  constructor(shared: Registry, context: () => unknown) {
    this.shared = shared;
    this.context = context;
  }

  readonly keyboard: Keyboard = (listener) => {
    const unlisten = call(this.ui, "onTerminalInput", listener);
    return typeof unlisten === "function" ? (): void => void Reflect.apply(unlisten, undefined, []) : undefined;
  };

  /** A line of ours, which is not forwarded. */
  show(line: string): void {
    const { shared } = this;
    const before = shared.quiet;
    shared.quiet = true;
    try {
      call(this.ui, "notify", line, "info");
    } finally {
      shared.quiet = before;
    }
  }

  /** Stops what the agent does, after `first`. Returns why it cannot be stopped, as a sentence; undefined when it was. */
  stop(first: () => void): string | undefined {
    const ctx = this.context();
    if (call(ctx, "isIdle") !== false) return "Nothing is running.";
    guard("turn.stop", first, undefined);
    const aborted = call(ctx, "abort");
    if (isPromise(aborted)) follow(aborted, "turn.stop", () => {});
    return undefined;
  }

  private get ui(): unknown {
    return field(this.context(), "ui");
  }
}
