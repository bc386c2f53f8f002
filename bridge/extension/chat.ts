// The conversation of the terminal that an instance owns: rows, queue, state, and what remotes send.

import { after, every, type Timer } from "./guard.ts";
import { act, refusals, type Reach } from "./chat_actions.ts";
import { Branch } from "./chat_branch.ts";
import { Follower, type Changed } from "./chat_follower.ts";
import type { Action, ChatHistory, ChatIncoming, ChatReason, Turn, TurnPart } from "./chat_protocol.ts";
import { isIdle, queueOf, standingOf, States, type Standing } from "./chat_state.ts";
import { Timeline } from "./chat_timeline.ts";
import { Turns, type ChatRecord } from "./chat_turns.ts";
import { Assembly } from "./content.ts";
import { CHAT_CHANGED_MS, CHAT_LOOK_MS, CHAT_PAGE_ROWS, CHAT_WATCH_MS } from "./limits.ts";
import type { Say } from "./link.ts";
import type { Maker } from "./outbox.ts";
import { call, field, isObject } from "./pi.ts";
import type { Registry } from "./registry.ts";

export class Chat {
  private readonly shared: Registry;
  private readonly pi: unknown;
  private readonly record: ChatRecord;
  private readonly context: () => unknown;
  private readonly put: (key: string, make: Maker) => void;
  private readonly assembly = new Assembly();
  private readonly turns: Turns;
  private readonly states: States;
  private timeline: Timeline | undefined;
  private follower: Follower | undefined;
  private session: object | undefined;
  private pending: Timer | undefined;
  private looking: Timer | undefined;
  private watching: Timer | undefined;
  private reason: ChatReason = "start";
  private readonly told = new Map<"state" | "queue", string>();
  private isHeard = false;
  private isStale = false;

  /** `pi` is what Pi gives to each extension, `context` what it gave last to a handler. */
  constructor(shared: Registry, pi: unknown, context: () => unknown, put: (key: string, make: Maker) => void) {
    this.shared = shared;
    this.pi = pi;
    this.context = context;
    this.put = put;
    this.record = recordOf(shared);
    this.states = new States(() => refusals(this.reach));
    this.turns = new Turns(this.record, {
      session: () => this.session,
      interactive: () => shared.interactive,
      act: (name, args, answer) => act(this.reach, name, args, answer),
      bashOpens: (command, isExcluded, id) => this.follower?.bashOpens(command, isExcluded, id),
      look: () => {
        this.follower?.look();
        return this.follower !== undefined;
      },
    });
  }

  /** Follows the session that the terminal shows, from now on; does nothing while the terminal is not known. */
  attach(reason: ChatReason): void {
    const session = field(this.shared.interactive, "session");
    if (!isObject(session) || typeof field(session, "subscribe") !== "function" || session === this.session) return;
    this.detach();
    this.session = session;
    const branch = new Branch(field(session, "sessionManager"), (id) => this.extras(id));
    const conversationId = (): string => String(call(branch.manager, "getSessionId") ?? "unknown");
    const timeline = new Timeline(
      {
        nextId: () => `live:${(this.record.lives += 1)}`,
        wake: () => this.put("chat", () => timeline.say()),
        match: (entry) => this.follower?.match(entry),
        appended: (live, entryId) => (live.clientTurnId === undefined ? undefined : this.turns.appended(live.clientTurnId, entryId)),
        conversationId,
      },
      branch,
    );
    this.timeline = timeline;
    this.follower = new Follower({
      session,
      interactive: () => this.shared.interactive,
      timeline,
      turns: this.turns,
      states: this.states,
      changed: (what) => this.changed(what),
    });
    this.states.standing = standingOver(this.record, conversationId());
    this.record.tell = (result) => this.put(`turn:${result.clientTurnId}`, () => result);
    this.reason = reason;
    if (this.isHeard) {
      this.watch();
      timeline.follow(reason);
      this.put("chat", () => timeline.say());
    }
    this.changed("figures");
    this.changed("queue");
  }

  /** The session ends, or another load of the extension takes over: nothing of it calls us any more. */
  detach(ended = true): void {
    this.follower?.stop();
    this.follower = undefined;
    this.timeline?.stop();
    this.timeline = undefined;
    this.pending?.cancel();
    this.looking?.cancel();
    this.watching?.cancel();
    this.pending = this.looking = this.watching = undefined;
    if (this.session !== undefined && ended) this.turns.sessionEnded();
    this.session = undefined;
  }

  /** The terminal shows another branch. */
  treeChanged(): void {
    this.timeline?.abandon();
    this.timeline?.reset("tree");
    this.changed("figures");
  }

  /** Pi has another model. */
  modelChanged(): void {
    this.changed("figures");
  }

  bashBegins(event: unknown): void {
    this.follower?.bashBegins(event);
  }

  // ---- what the link asks ----------------------------------------------------------------------------------------------

  tell(say: Say): void {
    this.isHeard = true;
    this.told.clear();
    for (const result of this.turns.all()) say(`turn:${result.clientTurnId}`, () => result);
    const { timeline } = this;
    if (timeline === undefined) return;
    this.watch();
    timeline.follow(this.reason);
    this.reason = "start";
    say("chat", () => timeline.say());
    say("chat_queue", () => this.queue());
    say("chat_state", () => this.state());
  }

  unheard(): void {
    this.isHeard = false;
    this.watching?.cancel();
    this.watching = undefined;
    this.timeline?.unfollow();
  }

  take(message: ChatIncoming): void {
    switch (message.type) {
      case "chat_resync":
        return this.timeline?.reset("resync");
      case "chat_history":
        return this.history(message);
      case "turn_part":
        return this.turnPart(message);
      case "turn":
        return this.turn(message);
      case "action":
        return this.action(message);
    }
  }

  private history({ requestId, before, limit }: ChatHistory): void {
    this.put(`chat_page:${requestId}`, () => {
      const branch = this.branch();
      const entry = branch?.entry(before);
      const error = "The session has no such entry.";
      if (branch === undefined || entry === undefined) return { type: "chat_page", requestId, rows: [], error };
      const most = Math.min(Math.max(Math.trunc(limit), 1), CHAT_PAGE_ROWS);
      const { rows, more } = branch.page(branch.parent(entry), most, HISTORY_BYTES);
      return { type: "chat_page", requestId, rows: [...rows], ...(more && { more }) };
    });
  }

  private turnPart({ clientTurnId, ...piece }: TurnPart): void {
    this.assembly.add({ ...piece, type: "response_part", responseId: clientTurnId });
  }

  private turn(turn: Turn): void {
    const text = turn.text ?? (turn.parts === undefined ? undefined : this.assembly.take(turn.clientTurnId, turn.parts));
    this.turns.take(turn, text);
    this.changed("state");
  }

  private action({ requestId, name, args }: Action): void {
    act(this.reach, name, args, (message, told) => {
      const ok = message === undefined;
      this.put(`action:${requestId}`, () => ({ type: "action_result", requestId, ok, ...(!ok && { message }), ...told }));
      this.changed("figures");
    });
  }

  // ---- the rest --------------------------------------------------------------------------------------------------------

  private get reach(): Reach {
    return { pi: this.pi, session: this.session, interactive: this.shared.interactive };
  }

  private branch(): Branch | undefined {
    return this.session === undefined ? undefined : new Branch(field(this.session, "sessionManager"), (id) => this.extras(id));
  }

  private extras(entryId: string): { liveId?: string; clientTurnId?: string } {
    const liveId = this.timeline?.liveIdOf(entryId);
    const clientTurnId = this.record.rows.get(entryId);
    return { ...(liveId !== undefined && { liveId }), ...(clientTurnId !== undefined && { clientTurnId }) };
  }

  /** Tells it at its pace, and looks again while Pi does something. */
  private changed(what: Changed): void {
    if (what === "figures") this.isStale = true;
    if (what === "queue") this.put("chat_queue", () => this.queue());
    this.pending ??= after(CHAT_CHANGED_MS, "chat.timer", () => {
      this.pending = undefined;
      this.look();
    });
  }

  /** Looks now and then, while somebody listens, at what was chosen at the terminal. */
  private watch(): void {
    this.watching ??= every(CHAT_WATCH_MS, "chat.timer", () => {
      this.states.watch(this.session, this.shared.interactive);
      this.look();
    });
  }

  private look(): void {
    const { session } = this;
    if (session === undefined) return;
    this.follower?.look();
    if (this.isStale) this.states.refresh(session, this.shared.interactive);
    this.isStale = false;
    this.put("chat_queue", () => this.queue());
    this.put("chat_state", () => this.state());
    const isBusy = !isIdle(session) || field(session, "isCompacting") === true || field(session, "isBashRunning") === true;
    if (!isBusy) this.turns.rests();
    if (isBusy) this.looking ??= every(CHAT_LOOK_MS, "chat.timer", () => this.look());
    else {
      this.looking?.cancel();
      this.looking = undefined;
    }
  }

  private queue(): ReturnType<Maker> {
    const items = queueOf(this.session, this.shared.interactive, (message) => this.turns.turnOf(message));
    return this.news("queue", { type: "chat_queue", items });
  }

  private state(): ReturnType<Maker> {
    return this.news("state", this.states.state(this.session, this.context(), () => this.changed("state")));
  }

  /** The message, when it says something else than the one before. */
  private news<T extends ReturnType<Maker>>(what: "state" | "queue", message: T): T | undefined {
    const now = JSON.stringify(message);
    if (this.told.get(what) === now) return undefined;
    this.told.set(what, now);
    return message;
  }
}

/** A page with its envelope fits a frame. */
const HISTORY_BYTES = 448 * 1024;

/** What the process knows of this session; nothing when it showed another one last. */
function standingOver(record: ChatRecord, sessionId: string): Standing {
  if (record.standing?.sessionId !== sessionId) record.standing = standingOf(sessionId);
  return record.standing;
}

/** The record of this process: an earlier version of the extension did not make it. */
function recordOf(shared: Registry): ChatRecord {
  shared.chat ??= { turns: new Map(), rows: new Map(), lives: 0, tell: undefined };
  return shared.chat;
}
