// The race for each dialog between the terminal and a remote. It is decided here, in Pi's only thread: whoever settles first wins.
import { randomUUID } from "node:crypto";

import { follow, guard, isPromise, onAbort, type Outcome } from "./guard.ts";
import { KEPT_SETTLEMENTS, OPEN_PROMPTS, RESPONSE_ID_CHARS } from "./limits.ts";
import type { Maker } from "./outbox.ts";
import { judge, settlementOf } from "./judge.ts";
import { field, isObject } from "./pi.ts";
import { describe, expiry, type Request } from "./prompt.ts";
import type { Method, Prompt, RejectReason, Response, Settled } from "./protocol.ts";
import { removeWhere, trim, type Callable, type Registry, type Verdict } from "./registry.ts";
import { close, type Sight, type Watch } from "./watch.ts";

const OPTIONS_AT = 2;

export type Put = (key: string, make: Maker) => void;
export type Ending = Pick<Settled, "outcome" | "winner"> & Partial<Pick<Settled, "answer" | "reason">>;

/** A call to `select`, `confirm` or `input` before Pi has seen it. */
interface Call {
  readonly request: Request;
  /** For Pi: with our signal in place of the caller's. */
  readonly args: unknown[];
  readonly sight: Sight;
  readonly controller: AbortController;
  /** Stops listening to the caller's signal. */
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
  readonly resolve: (value: unknown) => void;
  settled?: Settled;
}

export class Dialogs {
  private readonly shared: Registry;
  private readonly watch: Watch;
  private readonly put: Put;
  private readonly open = new Map<string, Open>();

  constructor(shared: Registry, watch: Watch, put: Put) {
    this.shared = shared;
    this.watch = watch;
    this.put = put;
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
    const before = this.shared.verdicts.get(responseId);
    if (before !== undefined) return this.put(`verdict:${responseId}`, () => before);
    const open = this.open.get(id);
    if (open === undefined) return this.reject(response, this.shared.settled.has(id) ? "settled" : "unknown");
    const judged = judge(open.request, response);
    if (judged === undefined) return this.reject(response, "invalid");
    const isNewest = [...this.open.keys()].at(-1) === id;
    this.settle(open, judged.ending, responseId);
    open.resolve(judged.value);
    const abort = (): void => open.call.controller.abort();
    const closed = guard("dialog.close", () => (close(open.sight, isNewest, abort), true), false);
    // Whatever went wrong with the look at the screen, a dialog that is answered must not stay on it.
    if (!closed && isNewest) abort();
  }

  /** Pi took all dialogs off the screen. Their promises stay as they are, as they do without us. */
  withdraw(reason: NonNullable<Settled["reason"]>): void {
    for (const open of [...this.open.values()]) this.settle(open, { outcome: "withdrawn", winner: "none", reason });
  }

  /** The open dialogs stay with the terminal alone, and nothing is told about them any more. */
  forget(): void {
    this.open.clear();
  }

  /** Everything a daemon has to know. */
  tell(say: Put): void {
    for (const settled of this.shared.kept) say(`prompt:${settled.id}`, () => settled);
    for (const open of this.open.values()) say(`prompt:${open.prompt.id}`, maker(open));
  }

  /** The daemon has these settlements. */
  acknowledged(ids: readonly string[]): void {
    removeWhere(this.shared.kept, (settled) => ids.includes(settled.id));
  }

  private prepare(method: Method, args: unknown[]): Call | undefined {
    if (this.open.size >= OPEN_PROMPTS) return undefined;
    const options = args[OPTIONS_AT];
    const signal = field(options, "signal");
    const theirs = signal instanceof AbortSignal ? signal : undefined;
    // Nothing is shown for a signal that has fired; and what Pi would make of another kind of object is its business.
    if (theirs?.aborted === true || (theirs === undefined && isObject(signal))) return undefined;
    const request = describe(method, args, field(options, "timeout"));
    const controller = new AbortController();
    const passed = args.slice();
    passed[OPTIONS_AT] = {
      ...(isObject(options) ? options : {}),
      ...(request.timeout !== undefined && { timeout: request.timeout }),
      signal: controller.signal,
    };
    const call: Call = { request, args: passed, sight: {}, controller, unlisten: () => {} };
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
    const open: Open = { prompt, request: call.request, sight: call.sight, call, endsAt, resolve };
    follow(shown, "dialog.settle", (outcome) => this.ended(open, outcome), resolve, reject);
    // From here on a remote's answer counts, so from here on the caller waits for both, whatever fails below.
    call.promised = promised;
    call.open = open;
    this.open.set(prompt.id, open);
    this.put(`prompt:${prompt.id}`, maker(open));
  }

  /** Pi's own dialog is over. */
  private ended(open: Open, outcome: Outcome): void {
    open.call.unlisten();
    if (this.open.has(open.prompt.id)) this.settle(open, settlementOf(open, outcome));
  }

  private settle(open: Open, ending: Ending, responseId?: string): void {
    const { id } = open.prompt;
    open.call.unlisten();
    if (!this.open.delete(id)) return;
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
    this.put(`prompt:${id}`, () => settled);
  }

  private reject({ responseId, id }: Response, reason: RejectReason): void {
    const verdict: Verdict = { type: "response_rejected", responseId, id, reason };
    this.judged(responseId, verdict);
    this.put(`verdict:${responseId}`, () => verdict);
  }

  private judged(responseId: string, verdict: Verdict): void {
    if (responseId.length > RESPONSE_ID_CHARS) return;
    this.shared.verdicts.set(responseId, verdict);
    trim(this.shared.verdicts, KEPT_SETTLEMENTS);
  }
}

/** Says that the dialog is open, or how it ended when it ended before there was room to say so. */
function maker(open: Open): Maker {
  return () => open.settled ?? { type: "prompt_opened", prompt: open.prompt };
}

