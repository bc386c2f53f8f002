// What remotes send: given to Pi once, and told what became of it. A message is known by its object or by the call that made it, never
// by its text.
import { AsyncLocalStorage } from "node:async_hooks";

import type { Answer } from "./chat_actions.ts";
import { follow, guard, isPromise, soon } from "./guard.ts";
import { CHAT_TURNS, TEXT_BYTES } from "./limits.ts";
import { actionOf, built, commandOf } from "./chat_commands.ts";
import type { Turn, TurnKind, TurnResult, TurnStage } from "./chat_protocol.ts";
import { isIdle, queued, type Standing } from "./chat_state.ts";
import { call, field, isObject } from "./pi.ts";
import { trim } from "./registry.ts";
import { cut } from "./text.ts";

/** What is remembered of turns for the whole process, over /reload. */
export interface ChatRecord {
  /** The last turns, each with its newest stage. */
  readonly turns: Map<string, TurnResult>;
  /** Entry → the turn that it came from. */
  readonly rows: Map<string, string>;
  /** How many rows had a temporary id. */
  lives: number;
  /** Tells a daemon about a turn, if one listens. */
  tell: ((result: TurnResult) => void) | undefined;
  /** Of the session that the terminal shows. Earlier versions do not have it. */
  standing?: Standing;
}

/** A turn that this instance follows. */
interface Open {
  readonly id: string;
  readonly kind: TurnKind;
  /** Pi's own call with it runs. */
  isGiven: boolean;
  /** Pi has it in a queue, as this object, where Pi shows it. */
  message?: object | undefined;
  isQueued: boolean;
  /** Its row is there, or there will be none. */
  isTaken: boolean;
  /** Pi has looked at it. */
  isChecked: boolean;
  /** Pi said that it begins. */
  isStarting: boolean;
}

/** Pi's terminal as turns need it; read anew each time. */
export interface Place {
  session(): unknown;
  interactive(): unknown;
  /** Has Pi do something, and answers. */
  act(name: string, args: Readonly<Record<string, unknown>>, answer: Answer): void;
  /** A shell command of this turn begins. */
  bashOpens(command: string, isExcluded: boolean, id: string): void;
  /** Looks at what Pi has appended; false when this load of the extension follows Pi no more. */
  look(): boolean;
}

const STAGES: Record<TurnStage, number> = { accepted: 0, queued: 1, consumed: 2, rejected: 2, unknown: 2 };

/** It is answered, or will be, without a promise of Pi's. */
const ANSWERED = Symbol("answered");

export class Turns {
  private readonly record: ChatRecord;
  private readonly place: Place;
  private readonly acting = new AsyncLocalStorage<Open>();
  private readonly open = new Map<string, Open>();
  /** Messages that Pi is given once it has begun or queued the one before. */
  private readonly line: { open: Open; turn: Turn; text: string }[] = [];
  private byMessage = new WeakMap<object, Open>();

  constructor(record: ChatRecord, place: Place) {
    this.record = record;
    this.place = place;
  }

  /** Gives the turn to Pi, unless it was given before. Never throws. */
  take(turn: Turn, text: string | undefined): void {
    const id = turn.clientTurnId;
    const before = this.record.turns.get(id);
    if (before !== undefined) return this.record.tell?.(before);
    if (text === undefined) return this.set(id, "rejected", "Its text did not arrive whole.");
    const problem = guard("chat.turn", () => this.problem(turn, text), "The extension failed.");
    if (problem !== undefined) return this.set(id, "rejected", problem);
    const open: Open = { id, kind: turn.kind, isGiven: false, isQueued: false, isTaken: false, isChecked: false, isStarting: false };
    this.open.set(id, open);
    this.set(id, "accepted");
    if (turn.kind === "bash" || turn.kind === "command") return this.hand(open, turn, text);
    this.line.push({ open, turn, text });
    this.next();
  }

  /** The turns that are remembered. */
  all(): Iterable<TurnResult> {
    return this.record.turns.values();
  }

  // ---- what Pi says --------------------------------------------------------------------------------------------------

  /** Pi's queue has changed, and `then` is done a moment later. Pi tells it right before its agent has the message. */
  queueChanged(then: () => void): void {
    const open = this.acting.getStore();
    const session = this.place.session();
    const before = open === undefined ? undefined : queued(session, queueFor(open.kind));
    soon("chat.turn", () => {
      const now = open === undefined ? undefined : queued(session, queueFor(open.kind));
      if (open !== undefined) this.noteQueued(open, now?.find((message) => before?.includes(message) === false));
      then();
    });
  }

  /** A message of a person begins: the turn that it came from, if it came from one. */
  began(message: unknown): string | undefined {
    const known = isObject(message) ? this.byMessage.get(message) : undefined;
    const within = this.acting.getStore();
    const turn = known ?? this.fresh(within) ?? [...this.open.values()].find((one) => one.isStarting && this.fresh(one) !== undefined);
    if (turn === undefined) return undefined;
    turn.isTaken = true;
    this.nextSoon();
    return turn.id;
  }

  /** Whether Pi calls us while it runs a shell command of a remote's. */
  runsBash(): boolean {
    return this.acting.getStore()?.kind === "bash";
  }

  /** Pi's own call with it is over. */
  isOver(id: string): boolean {
    return this.open.get(id)?.isGiven !== true;
  }

  /** A shell command is over and has no entry. */
  leftNothing(id: string): void {
    this.close(id, "unknown", "Pi kept no result of it: the terminal shows why.");
  }

  /** A row of a turn has its entry. */
  appended(id: string, entryId: string): void {
    const { rows } = this.record;
    rows.set(entryId, id);
    trim(rows, CHAT_TURNS);
    this.close(id, "consumed", undefined, entryId);
  }

  /** Pi rests: what it had in its queue and has not any more was taken out. */
  rests(): void {
    for (const turn of this.open.values()) {
      if (!turn.isQueued || turn.isTaken || this.isWaiting(turn)) continue;
      this.close(turn.id, "unknown", "It was taken out of the queue at the terminal.");
    }
  }

  /** The session is over, and what it had not done with it. */
  sessionEnded(): void {
    for (const turn of [...this.open.values()]) this.close(turn.id, "unknown", "The session ended before it was done.");
    this.byMessage = new WeakMap();
  }

  turnOf(message: object): string | undefined {
    return this.byMessage.get(message)?.id;
  }

  // ---- giving ------------------------------------------------------------------------------------------------------------

  /** Pi looks at a message before its agent runs. Another one that came in between would begin a turn too, and be refused. */
  private next(): void {
    while (![...this.open.values()].some((one) => one.isGiven && this.fresh(one) !== undefined)) {
      const first = this.line.shift();
      if (first === undefined) return;
      if (!this.open.has(first.open.id)) continue;
      // The one before may have begun a turn.
      const problem = guard("chat.turn", () => this.problem(first.turn, first.text), "The extension failed.");
      if (problem === undefined) this.hand(first.open, first.turn, first.text);
      else this.close(first.open.id, "rejected", problem);
    }
  }

  private hand(open: Open, turn: Turn, text: string): void {
    open.isGiven = true;
    const given = guard("chat.turn", () => this.acting.run(open, () => this.give(open, turn, text)), undefined);
    if (given === ANSWERED) return;
    if (!isPromise(given)) return this.close(open.id, "rejected", "The extension could not give it to Pi.");
    follow(given, "chat.turn", (outcome) => {
      open.isGiven = false;
      this.ended(open, outcome);
      this.next();
    });
  }

  /** Pi has begun or queued a message, and is in the middle of telling so. */
  private nextSoon(): void {
    if (this.line.length > 0) soon("chat.turn", () => this.next());
  }

  // ---- the rest --------------------------------------------------------------------------------------------------------

  /** Why Pi is not given it, as a sentence. */
  private problem({ kind, literal }: Turn, text: string): string | undefined {
    const session = this.place.session();
    if (typeof field(session, "prompt") !== "function") return "This Pi's conversation cannot be reached.";
    if (text.trim() === "") return "There is nothing in it.";
    if (kind === "bash") return this.bashProblem(session);
    if (kind === "command") return this.commandProblem(session, text);
    if (field(session, "isCompacting") === true) return "Pi compacts the conversation: send it again when it is done.";
    if (kind === "prompt" && !isIdle(session)) return "A turn is running: steer it, or follow up.";
    if (literal === true) return undefined;
    // Pi's editor lets go of blanks around what is typed there.
    const typed = text.trim();
    if (typed.startsWith("!")) return "Pi would take it for a shell command.";
    return commandOf(session, typed) === undefined ? undefined : `Pi would take /${built(typed).name} for a command.`;
  }

  private commandProblem(session: unknown, text: string): string | undefined {
    const kind = commandOf(session, text);
    // What was typed is in no reason: those are kept.
    if (kind === undefined) return "Pi has no such command.";
    return kind === "built-in" && actionOf(text) === undefined ? `Pi has /${built(text).name} at the terminal only.` : undefined;
  }

  private bashProblem(session: unknown): string | undefined {
    const run = field(this.place.interactive(), "handleBashCommand");
    if (typeof run !== "function") return "This Pi runs shell commands at the terminal only.";
    return field(session, "isBashRunning") === true ? "A shell command is already running in Pi." : undefined;
  }

  private give(open: Open, { kind, excluded }: Turn, text: string): unknown {
    const session = this.place.session();
    const interactive = this.place.interactive();
    if (kind === "bash") {
      this.place.bashOpens(text, excluded === true, open.id);
      return call(interactive, "handleBashCommand", text, excluded === true);
    }
    const streamingBehavior = kind === "follow_up" ? "followUp" : "steer";
    const preflightResult = (word: unknown): void => guard("chat.turn", () => this.checked(open, word), undefined);
    const options = { source: "rpc", preflightResult, ...(kind !== "prompt" && { streamingBehavior }) };
    if (kind !== "command") {
      call(interactive, "flushPendingBashComponents");
      return call(session, "prompt", text, { ...options, expandPromptTemplates: false });
    }
    const action = commandOf(session, text) === "built-in" ? actionOf(text) : undefined;
    if (action !== undefined) return this.builtIn(open, action.name, action.args);
    // What an extension's command sends is the extension's, not the remote's.
    if (commandOf(session, text) === "extension") open.isTaken = true;
    return call(session, "prompt", text, options);
  }

  private builtIn(open: Open, name: string, args: Readonly<Record<string, unknown>>): typeof ANSWERED {
    open.isTaken = true;
    this.place.act(name, args, (problem) => this.close(open.id, problem === undefined ? "consumed" : "rejected", problem));
    return ANSWERED;
  }

  /** Pi has looked at it: it begins, is queued, or an extension took it. The older generation only says true or false. */
  private checked(open: Open, word: unknown): void {
    open.isChecked = true;
    open.isStarting = word === "started" || (word === true && !open.isQueued);
  }

  /** `message` is the one that was not in the queue before, where Pi shows its queue. */
  private noteQueued(open: Open, message: object | undefined): void {
    if (this.fresh(open) === undefined) return;
    open.isQueued = true;
    open.message = message;
    if (message !== undefined) this.byMessage.set(message, open);
    this.set(open.id, "queued");
    this.nextSoon();
  }

  private fresh(open: Open | undefined): Open | undefined {
    return open === undefined || open.isTaken || open.isQueued || open.kind === "bash" ? undefined : open;
  }

  private isWaiting({ kind, message }: Open): boolean {
    if (message === undefined) return false;
    return queued(this.place.session(), queueFor(kind))?.includes(message) ?? false;
  }

  /** Pi's own call is over: refused, done without a row, or long under way. */
  private ended(open: Open, outcome: { value: unknown } | { error: unknown }): void {
    const stage = this.record.turns.get(open.id)?.stage;
    if (stage !== "accepted") return;
    if ("error" in outcome) this.close(open.id, "rejected", words(outcome.error));
    if (open.kind === "bash" && !this.place.look()) this.close(open.id, "unknown", "The extension was loaded anew while it ran.");
    if ("error" in outcome || open.kind === "bash") return;
    if (open.kind === "command" && open.isTaken) return this.close(open.id, "consumed");
    // Its row is there and has its entry a moment later; or Pi will look at it later; or an extension took it for its own.
    if (open.isChecked && !open.isTaken) this.close(open.id, "consumed", "An extension took it.");
  }

  private close(id: string, stage: TurnStage, reason?: string, rowId?: string): void {
    this.open.delete(id);
    this.set(id, stage, reason, rowId);
    this.nextSoon();
  }

  /** Stages only go forward. */
  private set(id: string, stage: TurnStage, reason?: string, rowId?: string): void {
    const { turns } = this.record;
    const before = turns.get(id);
    if (before !== undefined && STAGES[stage] <= STAGES[before.stage]) return;
    const result: TurnResult = {
      type: "turn_result",
      clientTurnId: id,
      stage,
      ...(reason !== undefined && { reason: cut(reason, TEXT_BYTES).text }),
      ...(rowId !== undefined && { rowId }),
    };
    if (STAGES[stage] === STAGES.consumed) this.open.delete(id);
    turns.set(id, result);
    trim(turns, CHAT_TURNS);
    this.record.tell?.(result);
  }
}

function queueFor(kind: TurnKind): "steer" | "follow_up" {
  return kind === "follow_up" ? "follow_up" : "steer";
}

/** Pi's own words for what went wrong. */
export function words(error: unknown): string {
  const text = String(field(error, "message") ?? error).trim();
  return text === "" ? "Pi refused it." : text;
}
