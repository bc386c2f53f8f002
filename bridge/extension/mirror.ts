// What a remote is told besides dialogs and what is drawn: notifications, statuses, the title, whether the agent works. State is kept,
// not messages.

import type { Board, Look, Sink, State } from "./board.ts";
import { GAVE_WAY_MS, STATUSES, TEXT_BYTES } from "./limits.ts";
import { Notifications } from "./notifications.ts";
import type { Maker } from "./outbox.ts";
import { Pace } from "./pace.ts";
import type { Activity, ActivityCause, Conversation, Notice } from "./protocol.ts";
import { by, type Looks } from "./sources.ts";
import type { Step } from "./step.ts";
import { cut } from "./text.ts";

type Say = (key: string, make: Maker) => void;

/** A text that an extension set, in full. */
interface Said {
  readonly text: string;
  readonly source: string | undefined;
}

export class Mirror {
  private readonly sink: Sink;
  private readonly board: Board;
  private readonly sources: Looks;
  private readonly notifications: Notifications;
  private readonly statuses = new Map<string, Said>();
  private readonly notices = new Map<string, Notice>();
  private readonly gone = new Map<string, number>();
  private readonly rarely = new Pace(GAVE_WAY_MS);
  private title: Said | undefined;
  private activity: Activity = { type: "activity", working: false, cause: "resync", at: Date.now() };
  private conversation = "";

  constructor(sink: Sink, board: Board, sources: Looks) {
    this.sink = sink;
    this.board = board;
    this.sources = sources;
    this.notifications = new Notifications(sink, sources);
  }

  get working(): boolean {
    return this.activity.working;
  }

  /** A call of a method of `ctx.ui`; undefined when it is none of these. */
  step(method: string, args: unknown[]): Step | undefined {
    switch (method) {
      case "notify":
        return { args, done: () => this.notifications.add(args[0], args[1]) };
      case "setStatus":
        return { args, done: () => this.setStatus(args[0], args[1]) };
      case "setTitle":
        return { args, done: () => this.setTitle(args[0]) };
    }
    return undefined;
  }

  setActivity(working: boolean, cause: ActivityCause): void {
    this.activity = { type: "activity", working, cause, at: Date.now() };
    this.sink.put("activity", () => this.activity);
  }

  /** Tells the conversation when something about it has changed since it was last given here. */
  setConversation(conversation: Conversation): void {
    const now = JSON.stringify(conversation);
    if (now === this.conversation) return;
    const isFirst = this.conversation === "";
    this.conversation = now;
    if (!isFirst) this.sink.put("conversation", () => ({ type: "conversation", conversation }));
  }

  /** Something that is true for as long as this instance lives. */
  notice(key: string, notice: Notice): void {
    this.notices.set(key, notice);
    this.sink.put(`notice:${key}`, () => notice);
  }

  /** `ctx.ui` has a function of this name, which is none of ours. */
  unknown(name: string): void {
    const detail = cut(name, TEXT_BYTES).text;
    this.notice(`member:${detail}`, { type: "notice", code: "unknown_member", detail });
  }

  /** There were more keys of this kind than are kept. */
  gaveWay(kind: "status" | "widget"): void {
    const count = (this.gone.get(kind) ?? 0) + 1;
    this.gone.set(kind, count);
    const notice = (): Notice => ({ type: "notice", code: "gave_way", detail: kind, count: this.gone.get(kind) ?? count });
    this.rarely.touch(kind, () => this.notice(`gave_way:${kind}`, notice()));
  }

  tell(say: Say): void {
    say("activity", () => ({ ...this.activity, cause: "resync" }));
  }

  tellOnce(say: Say): void {
    for (const [key, notice] of this.notices) say(`notice:${key}`, () => notice);
    this.notifications.tellOnce(say);
  }

  /** No daemon listens: what was to be told once is not told. */
  unheard(): void {
    this.notifications.unheard();
  }

  /** Nothing that was said is kept. */
  forget(): void {
    this.unheard();
    this.statuses.clear();
    this.title = undefined;
  }

  stop(): void {
    this.notifications.stop();
    this.rarely.stop();
  }

  /** By key, what a daemon is to be told. */
  *states(): Generator<readonly [string, Look]> {
    for (const key of this.statuses.keys()) yield [`status:${key}`, () => this.status(key)];
    yield ["title", () => this.heading()];
  }

  private setStatus(name: unknown, value: unknown): void {
    const key = cut(name, TEXT_BYTES).text;
    const source = this.sources.look(this.statuses.get(key)?.source);
    // Set anew, a key counts as touched: it goes to the end.
    this.statuses.delete(key);
    if (value === undefined || value === null) return this.board.remove(`status:${key}`, () => this.status(key));
    this.statuses.set(key, { text: String(value), source });
    this.board.put(`status:${key}`, () => this.status(key));
    const [oldest] = this.statuses.keys();
    if (this.statuses.size <= STATUSES || oldest === undefined) return;
    this.statuses.delete(oldest);
    this.board.remove(`status:${oldest}`, () => this.status(oldest));
    this.gaveWay("status");
  }

  private status(key: string): State {
    const said = this.statuses.get(key);
    if (said === undefined) return { message: { type: "status", key, text: null }, isDefault: true };
    return { message: { type: "status", key, text: cut(said.text, TEXT_BYTES).text, ...by(said.source) } };
  }

  private setTitle(value: unknown): void {
    this.title = { text: String(value), source: this.sources.look(this.title?.source) };
    this.board.put("title", () => this.heading());
  }

  private heading(): State {
    if (this.title === undefined) return { message: { type: "title", title: null } };
    return { message: { type: "title", title: cut(this.title.text, TEXT_BYTES).text, ...by(this.title.source) } };
  }
}
