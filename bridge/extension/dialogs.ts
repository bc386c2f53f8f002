// The race for each dialog between the terminal and a remote. It is decided here, in Pi's only thread: whoever settles first wins.
import { randomUUID } from "node:crypto";

import { follow, guard, isPromise, onAbort, type Outcome } from "./guard.ts";
import { cancellation, judge, settlementOf } from "./judge.ts";
import { KEPT_SETTLEMENTS, OPEN_PROMPTS, RESPONSE_ID_CHARS } from "./limits.ts";
import type { Maker } from "./outbox.ts";
import { field, isObject } from "./pi.ts";
import { before, describe, expiry, type Request } from "./prompt.ts";
import type { Method, Prompt, RejectReason, Response, Settled } from "./protocol.ts";
import { trim, type Callable, type Registry, type Verdict } from "./registry.ts";
import { caller } from "./source.ts";
import { isText, Typing, type Keyboard } from "./typing.ts";
import type { View, Views } from "./views.ts";
import { close, isShown, witness, type Sight, type Watch } from "./watch.ts";

/** Where a method has its `{signal, timeout}`; the other methods have none. */
const OPTIONS_AT: Partial<Record<Method, number>> = { select: 2, confirm: 2, input: 2, ask: 2 };

export type Put = (key: string, make: Maker) => void;
export type Ending = Pick<Settled, "outcome" | "winner"> & Partial<Pick<Settled, "answer" | "reason">>;

/** What the dialogs need of the session around them. */
export interface Around {
  put: Put;
  keyboard: Keyboard;
  /** The number of the agent's run that goes on; undefined while it rests. */
  run(): number | undefined;
  /** A remote, whose name this is, ended a dialog. */
  won(name: string, ending: Ending): void;
  /** What `custom` dialogs draw. */
  readonly views: Views;
}

/** A call to a dialog before Pi has seen it. */
interface Call {
  readonly request: Request;
  /** For Pi: with our signal in place of the caller's, where the method has one. */
  readonly args: unknown[];
  readonly sight: Sight;
  readonly controller: AbortController;
  /** What it draws, of a custom dialog. */
  view?: View;
  /** Stops listening to the caller's signal: Pi's own dialog is over, or has its value from a remote. */
  unlisten: () => void;
  open?: Open;
  /** What the caller gets in the place of Pi's promise: it ends with that, or before it by a remote's answer. */
  promised?: Promise<unknown>;
}

/** A dialog that is on the terminal and may be answered from afar. */
export interface Open {
  readonly prompt: Prompt;
  readonly request: Request;
  readonly sight: Sight;
  readonly call: Call;
  /** When the countdown ends, in ms of `performance.now()`. */
  readonly endsAt: number | undefined;
  /** The agent's run that it was opened in. */
  readonly run: number | undefined;
  readonly resolve: (value: unknown) => void;
  /** When a key was pressed in it last, in ms of `performance.now()`. */
  keyAt?: number;
  settled?: Settled;
}

export class Dialogs {
  private readonly shared: Registry;
  private readonly watch: Watch;
  private readonly around: Around;
  private readonly typing: Typing;
  private readonly open = new Map<string, Open>();

  constructor(shared: Registry, watch: Watch, around: Around) {
    this.shared = shared;
    this.watch = watch;
    this.around = around;
    this.typing = new Typing(around.keyboard, (now, data) => this.pressed(now, data));
  }

  get count(): number {
    return this.open.size;
  }

  /** Lets Pi show the dialog, and offers it. Calls `original` exactly once; throws only what that throws. */
  race(method: Method, self: unknown, original: Callable, args: unknown[]): unknown {
    const call = guard("dialog.prepare", () => this.prepare(method, args), undefined);
    if (call === undefined) return Reflect.apply(original, self, args);
    let shown: unknown;
    try {
      shown = this.watch.during(call.sight, () => Reflect.apply(original, self, call.args));
    } catch (error) {
      call.unlisten();
      throw error;
    }
    guard("dialog.offer", () => this.offer(call, shown), undefined);
    return call.promised ?? shown;
  }

  /** A remote's answer. Whatever becomes of it, its verdict is sent. */
  respond(response: Response): void {
    const { id, responseId } = response;
    const known = this.shared.verdicts.get(responseId);
    if (known !== undefined) return this.around.put(`verdict:${responseId}`, () => known);
    const open = this.open.get(id);
    if (open === undefined) return this.reject(response, this.shared.settled.has(id) ? "settled" : "unknown");
    const judged = judge(open.request, response);
    if (judged === undefined) return this.reject(response, "invalid");
    this.finish(open, judged.value, judged.ending, responseId);
    guard("notice.won", () => this.around.won(response.by.name, judged.ending), undefined);
  }

  /** A remote stops the agent's run: what was asked in it is cancelled. The stop's id tells whose stop it was, as a response's does. */
  cancelRun(run: number | undefined, requestId: string): void {
    for (const open of [...this.open.values()].reverse()) {
      if (run === undefined || open.run !== run || open.request.display.cancellable === false) continue;
      const { value, ending } = cancellation(open.request.method);
      this.finish(open, value, ending, requestId);
    }
  }

  /** Pi took all dialogs off the screen. Their promises stay as they are, as they do without us. */
  withdraw(reason: NonNullable<Settled["reason"]>): void {
    for (const open of [...this.open.values()]) this.settle(open, { outcome: "withdrawn", winner: "none", reason });
    guard("typing.stop", () => this.typing.stop(), undefined);
  }

  /** The open dialogs stay with the terminal alone, and nothing is told about them any more. */
  forget(): void {
    this.open.clear();
    guard("typing.stop", () => this.typing.stop(), undefined);
  }

  /** Everything a daemon has to know. */
  tell(say: Put): void {
    for (const settled of this.shared.kept) say(`prompt:${settled.id}`, () => settled);
    for (const open of this.open.values()) say(`prompt:${open.prompt.id}`, maker(open));
  }

  /** The daemon has these settlements. */
  acknowledged(ids: readonly string[]): void {
    // They are kept all the same: the next daemon knows nothing of them, and somebody may answer late.
    for (const settled of this.shared.kept) if (ids.includes(settled.id)) settled.again = true;
  }

  private prepare(method: Method, args: unknown[]): Call | undefined {
    if (this.open.size >= OPEN_PROMPTS) return undefined;
    const at = OPTIONS_AT[method];
    const options = at === undefined ? undefined : args[at];
    const signal = field(options, "signal");
    const theirs = signal instanceof AbortSignal ? signal : undefined;
    // Nothing is shown for a signal that has fired; and what Pi would make of another kind of object is its business.
    if (theirs?.aborted === true || (theirs === undefined && isObject(signal))) return undefined;
    const source = guard("dialog.source", caller, undefined);
    const request = describe(method, args, field(options, "timeout"), source);
    if (request === undefined) return undefined;
    const controller = new AbortController();
    const sight: Sight = {};
    const call: Call = { request, args: args.slice(), sight, controller, unlisten: () => {} };
    if (method === "custom") this.look(call);
    if (at === undefined) return call;
    call.args[at] = {
      ...(isObject(options) ? options : {}),
      ...(request.timeout !== undefined && { timeout: request.timeout }),
      ...(method === "ask" && witness(sight)),
      signal: controller.signal,
    };
    if (theirs !== undefined) {
      const look = (): void => {
        if (call.open !== undefined) this.settle(call.open, { outcome: "withdrawn", winner: "none", reason: "signal" });
      };
      call.unlisten = onAbort(theirs, "dialog.signal", look, () => controller.abort(theirs.reason));
    }
    return call;
  }

  private offer(call: Call, shown: unknown): void {
    if (!isPromise(shown)) return;
    const openedAt = Date.now();
    const after = expiry(call.request.timeout);
    const prompt: Prompt = { id: randomUUID(), openedAt, ...call.request.display };
    if (after !== undefined && Number.isSafeInteger(openedAt + after)) prompt.timeoutAt = openedAt + after;
    let resolve: (value: unknown) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    const promised = new Promise<unknown>((...both) => ([resolve, reject] = both));
    const endsAt = after === undefined ? undefined : performance.now() + after;
    const open: Open = { prompt, request: call.request, sight: call.sight, call, endsAt, run: this.around.run(), resolve };
    follow(shown, "dialog.settle", (outcome) => this.ended(open, outcome), resolve, reject);
    // From here on a remote's answer counts, so from here on the caller waits for both, whatever fails below.
    call.promised = promised;
    call.open = open;
    this.open.set(prompt.id, open);
    this.around.put(`prompt:${prompt.id}`, maker(open));
    const { view } = call;
    if (view !== undefined) guard("view.made", () => this.around.views.opened(prompt.id, view), undefined);
    guard("typing.watch", () => this.typing.watch(true), undefined);
  }

  /** Pi's own dialog is over. */
  private ended(open: Open, outcome: Outcome): void {
    open.call.unlisten();
    if (this.open.has(open.prompt.id)) this.settle(open, settlementOf(open, outcome));
  }

  /** A remote ends the dialog: its promise has the value, and the terminal shows it no longer. */
  private finish(open: Open, value: unknown, ending: Ending, responseId?: string): void {
    const isNewest = [...this.open.keys()].at(-1) === open.prompt.id;
    // Keys that come now are meant for the dialog that the person sees: answered beneath it, another takes none of them away.
    guard("typing.closed", () => (this.seen() === open ? this.typing.closed(open.keyAt) : undefined), undefined);
    open.call.unlisten();
    this.settle(open, ending, responseId);
    open.resolve(value);
    const abort = (): void => open.call.controller.abort();
    const closed = guard("dialog.close", () => (close(open.sight, isNewest, open.request.method, abort), true), false);
    // Whatever went wrong with the look at the screen, a dialog that is answered must not stay on it.
    if (!closed && isNewest) abort();
  }

  /** It is told how the dialog ended. Its caller's signal counts on until Pi's promise has ended, as it does without us. */
  private settle(open: Open, ending: Ending, responseId?: string): void {
    const { id } = open.prompt;
    if (!this.open.delete(id)) return;
    if (open.call.view !== undefined) guard("view.made", () => this.around.views.closing(id), undefined);
    const settled: Settled = {
      type: "prompt_settled",
      id,
      at: Date.now(),
      ...ending,
      ...(responseId !== undefined && { responseId }),
    };
    open.settled = settled;
    this.shared.settled.add(id);
    trim(this.shared.settled, KEPT_SETTLEMENTS);
    this.shared.kept.push(settled);
    if (this.shared.kept.length > KEPT_SETTLEMENTS) this.shared.kept.shift();
    if (responseId !== undefined) this.judged(responseId, settled);
    this.around.put(`prompt:${id}`, () => settled);
    guard("typing.watch", () => this.typing.watch(this.open.size > 0), undefined);
  }

  private reject({ responseId, id }: Response, reason: RejectReason): void {
    const verdict: Verdict = { type: "response_rejected", responseId, id, reason };
    this.judged(responseId, verdict);
    this.around.put(`verdict:${responseId}`, () => verdict);
  }

  private judged(responseId: string, verdict: Verdict): void {
    if (responseId.length > RESPONSE_ID_CHARS) return;
    this.shared.verdicts.set(responseId, verdict);
    trim(this.shared.verdicts, KEPT_SETTLEMENTS);
  }

  /** Has what a custom dialog draws looked at. */
  private look(call: Call): void {
    const { args, request } = call;
    const prepared = this.around.views.prepare(args[0], args[1], request.display.source);
    if (prepared === undefined) return;
    args[0] = prepared.factory;
    call.view = prepared.view;
  }

  /** A key goes to the dialog that the person sees. */
  private pressed(now: number, data: string): void {
    if (isText(data)) guard("view.typed", () => this.around.views.typed(), undefined);
    const seen = this.seen();
    if (seen !== undefined) seen.keyAt = now;
  }

  /** The dialog that the person sees, as far as Pi tells. */
  private seen(): Open | undefined {
    const opens = [...this.open.values()].reverse();
    return opens.find(({ sight }) => isShown(sight)) ?? opens.find(({ sight }) => sight.component === undefined);
  }
}

/** Says that the dialog is open, with what comes before that; nothing once it is settled, which is told under the same key. */
function maker(open: Open): Maker {
  const { prompt, request } = open;
  return () => {
    if (open.settled !== undefined) return open.settled;
    if (open.call.view !== undefined) open.call.view.isOffered = true;
    const opened = { type: "prompt_opened", prompt } as const;
    return prompt.prefillParts === undefined && (prompt.optionCount ?? 0) === (prompt.options?.length ?? 0) ? opened : whole();
  };
  function* whole(): ReturnType<typeof before> {
    for (const part of before(prompt.id, request)) {
      yield part;
      if (open.settled !== undefined) return;
    }
    yield { type: "prompt_opened", prompt };
  }
}
