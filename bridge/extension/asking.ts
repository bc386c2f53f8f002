// `ctx.ui.ask` where Pi has none: several questions in one dialog. It takes `{signal, timeout}` as Pi's other dialogs do.

import { AskDialog } from "./questionnaire.ts";
import { follow, guard, isPromise, onAbort, pass } from "./guard.ts";
import type { Keys, Kit, Screen, Theme } from "./kit.ts";
import { call, field, isCovered, isObject } from "./pi.ts";
import { expiry } from "./prompt.ts";
import type { Answers, Question } from "./protocol.ts";
import { asked, readQuestions, type Asked } from "./questions.ts";
import type { Callable, Registry } from "./registry.ts";
import { WITNESS, type Witness } from "./watch.ts";

/** `ask(questions, allowCustom = true, options?)`, which shows its dialog with the `custom` of the object it is called on, or of `context`. */
export function terminalAsk(shared: Registry, kit: Kit, context: object): Callable {
  return function ask(this: unknown, given: unknown, allowCustom: unknown, options: unknown): Promise<Asked> {
    let questions: Question[];
    try {
      questions = readQuestions(given);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const signal = field(options, "signal");
    if (questions.length === 0 || field(signal, "aborted") === true) return Promise.resolve(asked({}));
    const self = typeof field(this, "custom") === "function" ? this : context;
    return new Promise((resolve) => {
      const asking = new Asking(shared, kit, options, resolve);
      asking.show(self, questions, allowCustom !== false);
    });
  };
}

class Asking {
  private readonly shared: Registry;
  private readonly kit: Kit;
  private readonly options: unknown;
  private readonly resolve: (value: Asked) => void;
  private dialog: AskDialog | undefined;
  private done: (() => void) | undefined;
  private unlisten: () => void = () => {};
  private isOver = false;

  constructor(shared: Registry, kit: Kit, options: unknown, resolve: (value: Asked) => void) {
    this.shared = shared;
    this.kit = kit;
    this.options = options;
    this.resolve = resolve;
  }

  show(self: unknown, questions: readonly Question[], allowCustom: boolean): void {
    const factory = (screen: unknown, theme: unknown, keys: unknown, done: unknown): unknown =>
      guard("ask.open", () => this.open({ screen, theme, keys } as Place, done, { questions, allowCustom }), undefined) ?? this.nothing(done);
    const signal = field(this.options, "signal");
    if (signal instanceof AbortSignal) this.unlisten = onAbort(signal, "ask.signal", () => {}, () => this.end(undefined));
    const before = this.shared.quiet;
    // It is told as an ask, not as the custom dialog that it is made of.
    this.shared.quiet = true;
    let shown: unknown;
    try {
      shown = call(self, "custom", factory);
    } finally {
      this.shared.quiet = before;
    }
    if (isPromise(shown)) follow(shown, "ask.end", () => this.end(undefined));
    else this.end(undefined);
  }

  private open(place: Place, done: unknown, content: { questions: readonly Question[]; allowCustom: boolean }): AskDialog {
    const dialog = new AskDialog(this.kit, place, content, (answers) => this.end(answers));
    this.dialog = dialog;
    this.done = () => void (typeof done === "function" && Reflect.apply(done, undefined, [undefined]));
    const timeout = Number(field(this.options, "timeout") ?? Number.NaN);
    const after = expiry(timeout);
    if (after !== undefined) dialog.count(after / 1_000);
    this.witness()?.opened(this.shared.interactive, dialog);
    return dialog;
  }

  /** Ours could not be made: the dialog is over before it began. */
  private nothing(done: unknown): unknown {
    if (typeof done === "function") Reflect.apply(done, undefined, [undefined]);
    return { render: () => [], invalidate: () => {} };
  }

  private end(answers: Answers | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.unlisten();
    const isOutOfReach = guard("ask.end", () => this.leave(answers), false);
    pass("ask.end", () => this.dialog?.dispose());
    if (!isOutOfReach) pass("ask.end", () => this.done?.());
    this.resolve(asked(answers ?? {}));
  }

  /** Whether Pi must not take the dialog away: with one that it took away itself it would put back what was in the editor before. */
  private leave(answers: Answers | undefined): boolean {
    const { dialog, shared } = this;
    this.witness()?.ended(answers);
    return dialog?.wasShown === true && (dialog.isDisposed || isCovered(shared.interactive, dialog));
  }

  private witness(): Witness | undefined {
    const found = field(this.options, WITNESS);
    return isObject(found) ? (found as Witness) : undefined;
  }
}

interface Place {
  readonly screen: Screen;
  readonly theme: Theme;
  readonly keys: Keys;
}
