// What a remote is shown besides dialogs: notifications, statuses, the title, whether the agent works. State is kept, not messages.

import { NOTIFICATION_CHARS, NOTIFICATIONS, STATUSES, TEXT_BYTES } from "./limits.ts";
import type { Maker } from "./outbox.ts";
import type { Activity, ActivityCause, Conversation, Notice, NotifyType, Outgoing } from "./protocol.ts";
import { cut } from "./text.ts";

/** The link, or what stands for it while there is none. */
export interface Sink {
  put(key: string, make: Maker): void;
  drop(key: string): void;
  /** Whether something that is told only once may still reach a daemon. */
  readonly hopeful: boolean;
}

type Say = (key: string, make: Maker) => void;

const NOTIFY_TYPES: readonly unknown[] = ["info", "warning", "error"] satisfies NotifyType[];

export class Mirror {
  private readonly sink: Sink;
  private readonly statuses = new Map<string, string>();
  private readonly notifications = new Map<string, Extract<Outgoing, { type: "notification" }>>();
  private readonly notices = new Map<string, Notice>();
  private title: string | null = null;
  private activity: Activity = { type: "activity", working: false, cause: "resync", at: Date.now() };
  private conversation = "";
  private counter = 0;
  private dropped = 0;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  get working(): boolean {
    return this.activity.working;
  }

  /** A method of `ctx.ui` was called with `args` and has returned. */
  told(method: string, args: readonly unknown[]): void {
    if (method === "notify") this.notify(args[0], args[1]);
    if (method === "setStatus") this.setStatus(args[0], args[1]);
    if (method === "setTitle") this.setTitle(args[0]);
  }

  /** `turnIndex` is Pi's, where the event has one. */
  setActivity(working: boolean, cause: ActivityCause, turnIndex?: unknown): void {
    const at = Date.now();
    const turn = typeof turnIndex === "number" && Number.isSafeInteger(turnIndex) ? { turnIndex } : {};
    this.activity = { type: "activity", working, cause, at, ...turn };
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

  tell(say: Say): void {
    for (const key of this.statuses.keys()) say(`status:${key}`, () => this.status(key));
    say("title", () => ({ type: "title", title: this.title }));
    say("activity", () => ({ ...this.activity, cause: "resync" }));
  }

  tellOnce(say: Say): void {
    for (const [key, notice] of this.notices) say(`notice:${key}`, () => notice);
    for (const key of this.notifications.keys()) say(key, () => this.take(key));
    if (this.dropped > 0) say("dropped", () => this.takeDropped());
  }

  /** No daemon listens: what was to be told once is not told. */
  unheard(): void {
    this.notifications.clear();
    this.dropped = 0;
  }

  /** Nothing that was said is kept. */
  forget(): void {
    this.unheard();
    this.statuses.clear();
    this.title = null;
  }

  private notify(message: unknown, type: unknown): void {
    if (!this.sink.hopeful) return;
    const notifyType = NOTIFY_TYPES.includes(type) ? { notifyType: type as NotifyType } : {};
    const key = `notification:${(this.counter += 1)}`;
    this.notifications.set(key, { type: "notification", message: cut(message, TEXT_BYTES).text, ...notifyType });
    this.sink.put(key, () => this.take(key));
    let waiting = 0;
    for (const { message: text } of this.notifications.values()) waiting += text.length;
    for (const [oldest, { message: text }] of this.notifications) {
      if (this.notifications.size <= NOTIFICATIONS && waiting <= NOTIFICATION_CHARS) return;
      waiting -= text.length;
      this.notifications.delete(oldest);
      this.sink.drop(oldest);
      this.dropped += 1;
      this.sink.put("dropped", () => this.takeDropped());
    }
  }

  private take(key: string): Outgoing | undefined {
    const notification = this.notifications.get(key);
    this.notifications.delete(key);
    return notification;
  }

  private takeDropped(): Outgoing {
    const count = this.dropped;
    this.dropped = 0;
    return { type: "notice", code: "dropped", count };
  }

  private setStatus(name: unknown, value: unknown): void {
    const key = cut(name, TEXT_BYTES).text;
    // Set anew, a key counts as touched: it goes to the end.
    this.statuses.delete(key);
    if (value !== undefined && value !== null) this.statuses.set(key, cut(value, TEXT_BYTES).text);
    this.sink.put(`status:${key}`, () => this.status(key));
    const [oldest] = this.statuses.keys();
    if (this.statuses.size <= STATUSES || oldest === undefined) return;
    this.statuses.delete(oldest);
    this.sink.put(`status:${oldest}`, () => this.status(oldest));
  }

  private status(key: string): Outgoing {
    return { type: "status", key, text: this.statuses.get(key) ?? null };
  }

  private setTitle(title: unknown): void {
    this.title = cut(title, TEXT_BYTES).text;
    this.sink.put("title", () => ({ type: "title", title: this.title }));
  }
}
