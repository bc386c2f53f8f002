// Pi's AgentSession: what it tells becomes rows that are not appended yet, and those get their entries.

import { guarded, soon } from "./guard.ts";
import type { Live } from "./chat_live.ts";
import type { Timeline } from "./chat_timeline.ts";
import type { Turns } from "./chat_turns.ts";
import { entryDraft, json, messageDraft, parts, roleKind, textParts, whole, type Call, type Draft } from "./chat_rows.ts";
import type { States } from "./chat_state.ts";
import { TEXT_BYTES } from "./limits.ts";
import { call, field, textOr } from "./pi.ts";
import { cut } from "./text.ts";

type ToolState = "streaming" | "done" | "error";

/** A call, and when it began, in ms since the epoch. */
interface Started extends Call {
  readonly startedAt: number;
}

interface Tool {
  readonly live: Live;
  readonly call: Started;
}

/** A shell command that a person runs, here or from afar. */
interface Run {
  readonly live: Live;
  readonly command: string;
  /** The turn that it is, when a remote sent it. */
  readonly turn: string | undefined;
  show(output: string): void;
}

export type Changed = "state" | "queue" | "figures";

export interface Followed {
  readonly session: object;
  interactive(): unknown;
  readonly timeline: Timeline;
  readonly turns: Turns;
  readonly states: States;
  /** Pi's state or queue may have changed, or figures that are not asked for each time. */
  changed(what: Changed): void;
}

export class Follower {
  private readonly followed: Followed;
  private readonly unsubscribe: unknown;
  /** The message of a person, an answer or an extension that has begun and not ended. */
  private open: Live | undefined;
  private message: unknown;
  private readonly ended = new Map<unknown, Live>();
  private readonly tools = new Map<string, Tool>();
  /** How the turn ended that Pi is about to try again. */
  private failed: { outcome: "done" | "error" | "aborted"; error?: string } | undefined;
  /** Commands whose entries Pi has not appended, in the order in which they began. */
  private bash: Run[] = [];

  constructor(followed: Followed) {
    this.followed = followed;
    this.unsubscribe = call(
      followed.session,
      "subscribe",
      guarded("chat.event", (event: unknown) => this.event(event)),
    );
  }

  stop(): void {
    if (typeof this.unsubscribe === "function") Reflect.apply(this.unsubscribe, undefined, []);
  }

  /** Which of the rows that wait has become `entry`. */
  match(entry: unknown): Live | undefined {
    const type = field(entry, "type");
    const message = type === "message" ? field(entry, "message") : undefined;
    if (field(message, "role") === "bashExecution") return this.ran(entry);
    if (message !== undefined) return this.take(message);
    if (type !== "custom_message") return undefined;
    // Pi makes an entry of it and keeps the content: the messages of extensions end in the order in which they are appended.
    const same = (one: unknown): boolean => field(one, "role") === "custom" && field(one, "content") === field(entry, "content");
    return this.take([...this.ended.keys()].find(same));
  }

  /** A person runs a shell command. What a remote sent is known since it was given to Pi: another extension may keep this from us. */
  bashBegins(event: unknown): void {
    if (this.followed.turns.runsBash()) return;
    this.bashOpens(String(field(event, "command") ?? ""), field(event, "excludeFromContext") === true);
  }

  bashOpens(command: string, isExcluded: boolean, turn?: string): void {
    const { timeline } = this.followed;
    const at = Date.now();
    const excluded = isExcluded ? { excluded: true } : {};
    let output = "";
    const draft = (): Draft => ({ kind: "bash", at, state: "streaming", parts: textParts(output), facts: { command, ...excluded } });
    this.bash.push({ live: timeline.open(draft, turn), command, turn, show: (text) => void (output = text) });
    this.followed.changed("state");
  }

  /** Looks at what no event tells. Called while Pi does something, and when what a remote sent is done. */
  look(): void {
    const { session, timeline, turns } = this.followed;
    timeline.sync();
    if (this.bash.length === 0) return;
    const isRunning = field(session, "isBashRunning") === true;
    if (isRunning) this.bashGrows();
    // What ran within a turn is appended after it.
    if (field(session, "hasPendingBashMessages") === true) return;
    const isBusy = isRunning || field(session, "isStreaming") === true;
    const left = this.bash.filter(({ turn }) => (turn === undefined ? !isBusy : turns.isOver(turn)));
    this.bash = this.bash.filter((run) => !left.includes(run));
    for (const { live, turn } of left) {
      timeline.remove(live);
      if (turn !== undefined) turns.leftNothing(turn);
    }
  }

  private take(message: unknown): Live | undefined {
    const live = this.ended.get(message);
    this.ended.delete(message);
    return live;
  }

  private event(event: unknown): void {
    const { timeline, turns, states, changed } = this.followed;
    switch (field(event, "type")) {
      case "message_start":
        return this.begins(field(event, "message"));
      case "message_update":
        return this.grows(field(event, "message"));
      case "message_end":
        return this.ends(field(event, "message"));
      case "tool_execution_start":
        return field(event, "parentToolCallId") === undefined ? this.toolBegins(event) : undefined;
      case "tool_execution_update":
        return this.toolGrows(event, field(event, "partialResult"), "streaming");
      case "tool_execution_end":
        return this.toolGrows(event, field(event, "result"), field(event, "isError") === true ? "error" : "done");
      case "queue_update":
        return turns.queueChanged(() => changed("queue"));
      case "auto_retry_start":
        states.retrying = {
          attempt: whole(field(event, "attempt")) ?? 1,
          maxAttempts: whole(field(event, "maxAttempts")) ?? 1,
          delayMs: whole(field(event, "delayMs")) ?? 0,
          error: cut(textOr(field(event, "errorMessage"), ""), TEXT_BYTES).text,
        };
        return changed("state");
      case "auto_retry_end":
        if (field(event, "success") === false) this.givesUp();
        states.retrying = undefined;
        return changed("state");
      case "agent_start":
        states.retrying = undefined;
        return changed("state");
      case "agent_end":
        this.agentEnds(event);
        return changed("state");
      case "turn_end":
      case "compaction_end":
      case "agent_settled":
        return soon("chat.event", () => this.refreshed());
      case "entry_appended":
        return soon("chat.event", () => timeline.sync());
      case "bash_execution_update":
        return this.bashGrows();
      case "compaction_start":
        changed("queue");
        return changed("state");
      case "thinking_level_changed":
      case "session_info_changed":
        return changed("state");
    }
  }

  private refreshed(): void {
    const { timeline, changed } = this.followed;
    timeline.sync();
    changed("figures");
    changed("queue");
  }

  private begins(message: unknown): void {
    const { timeline, turns } = this.followed;
    const kind = roleKind(field(message, "role"));
    // A result has its row since its call began.
    if (kind === undefined || kind === "tool" || kind === "bash") return;
    const at = Date.now();
    this.message = message;
    const isAnswer = kind === "assistant";
    const turn = kind === "user" ? turns.began(message) : undefined;
    this.open = timeline.open(() => messageDraft(this.message, at, isAnswer) as Draft, turn);
  }

  private grows(message: unknown): void {
    if (this.open === undefined) return;
    this.message = message;
    this.followed.timeline.touch(this.open);
  }

  private ends(message: unknown): void {
    const { timeline } = this.followed;
    const role = field(message, "role");
    const kind = roleKind(role);
    if (kind === undefined || kind === "bash") return;
    const at = Date.now();
    const tool = kind === "tool" ? this.toolEnds(message) : undefined;
    const live = tool?.live ?? (kind === "tool" ? undefined : this.open) ?? timeline.open(() => messageDraft(message, at, false) as Draft);
    if (kind !== "tool") this.open = undefined;
    // The same object as the entry's: what an extension changes in it is in both.
    live.draft = (): Draft => messageDraft(message, at, false, tool?.call) as Draft;
    if (kind !== "user") live.spoil();
    this.ended.set(message, live);
    soon("chat.event", () => this.appended(message));
  }

  /** Pi has appended what ended, or will not. */
  private appended(message: unknown): void {
    const { timeline } = this.followed;
    timeline.sync();
    const left = this.take(message);
    if (left !== undefined) timeline.remove(left);
  }

  // ---- tools -----------------------------------------------------------------------------------------------------------

  private toolBegins(event: unknown): void {
    const id = String(field(event, "toolCallId"));
    const started = { args: json(field(event, "args")), startedAt: Date.now() };
    const live = this.followed.timeline.open(this.toolDraft(event, undefined, "streaming", started));
    this.tools.set(id, { live, call: started });
  }

  private toolGrows(event: unknown, result: unknown, state: ToolState): void {
    const tool = this.tools.get(String(field(event, "toolCallId")));
    if (tool === undefined) return;
    tool.live.draft = this.toolDraft(event, result, state, tool.call);
    if (state !== "streaming") tool.live.spoil();
    this.followed.timeline.touch(tool.live);
  }

  private toolDraft(event: unknown, result: unknown, state: ToolState, { args, startedAt }: Started): () => Draft {
    const toolCallId = String(field(event, "toolCallId"));
    const toolName = String(field(event, "toolName"));
    const isError = state === "error" ? { isError: true } : {};
    return () => ({
      kind: "tool",
      at: startedAt,
      state,
      parts: result === undefined ? [] : parts(field(result, "content")),
      facts: { toolCallId, toolName, args, startedAt, ...isError },
    });
  }

  private toolEnds(message: unknown): Tool | undefined {
    const id = String(field(message, "toolCallId"));
    const tool = this.tools.get(id);
    this.tools.delete(id);
    return tool;
  }

  // ---- shell commands --------------------------------------------------------------------------------------------------

  /** Pi has appended the entry of a command: of several of the same words, it is that of the first. */
  private ran(entry: unknown): Live | undefined {
    const command = field(field(entry, "message"), "command");
    const run = this.bash.find((one) => one.command === command);
    if (run === undefined) return undefined;
    this.bash.splice(this.bash.indexOf(run), 1);
    run.live.draft = (): Draft => entryDraft(entry, undefined) as Draft;
    run.live.spoil();
    return run.live;
  }

  private bashGrows(): void {
    const last = this.bash.at(-1);
    const shown = call(field(this.followed.interactive(), "bashComponent"), "getOutput");
    if (last === undefined || typeof shown !== "string") return;
    last.show(shown);
    this.followed.timeline.touch(last.live);
  }

  // ---- the end of a run ------------------------------------------------------------------------------------------------

  private agentEnds(event: unknown): void {
    const { states, timeline } = this.followed;
    const messages = field(event, "messages");
    const last: unknown = Array.isArray(messages) ? messages.findLast((message) => field(message, "role") === "assistant") : undefined;
    const reason = field(last, "stopReason");
    const error = textOr(field(last, "errorMessage"), undefined);
    const outcome = reason === "error" || reason === "aborted" ? reason : "done";
    const why = outcome === "error" && error !== undefined ? { error: cut(error, TEXT_BYTES).text } : {};
    const isRetried = field(event, "willRetry") === true;
    this.failed = isRetried ? { outcome, ...why } : undefined;
    if (isRetried) return;
    states.standing.lastTurn = { at: Date.now(), outcome, ...why };
    // Calls that were cut off have no result.
    for (const { live } of this.tools.values()) timeline.remove(live);
    this.tools.clear();
    if (this.open !== undefined) timeline.remove(this.open);
    this.open = undefined;
  }

  /** A retry was stopped: what was to be tried again is how the turn ended. No other event tells it. */
  private givesUp(): void {
    if (this.failed !== undefined) this.followed.states.standing.lastTurn = { at: Date.now(), ...this.failed };
    this.failed = undefined;
  }
}
