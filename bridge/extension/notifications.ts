// Notifications: each is told once, and when there are too many the oldest are lost and counted.

import type { Sink } from "./board.ts";
import { NOTIFICATION_CHARS, NOTIFICATIONS, NOTIFICATIONS_AT_ONCE, TEXT_BYTES, UPDATE_MS } from "./limits.ts";
import { Pace } from "./pace.ts";
import type { NotifyType, Outgoing } from "./protocol.ts";
import { by, type Looks } from "./sources.ts";
import { cut } from "./text.ts";

interface Notification {
  readonly message: string;
  readonly type: unknown;
  readonly source: string | undefined;
}

const NOTIFY_TYPES: readonly unknown[] = ["info", "warning", "error"] satisfies NotifyType[];
const KEY = "notifications";

export class Notifications {
  private readonly sink: Sink;
  private readonly sources: Looks;
  private readonly pace = new Pace(UPDATE_MS);
  private readonly waiting = new Set<Notification>();
  /** Of all that wait, in characters. */
  private size = 0;
  private dropped = 0;

  constructor(sink: Sink, sources: Looks) {
    this.sink = sink;
    this.sources = sources;
  }

  /** A call of `notify(message, type)`. */
  add(given: unknown, type: unknown): void {
    if (!this.sink.hopeful) return;
    const whole = String(given);
    // What is cut here need not be held; what is short is made fit to travel when it does.
    const message = whole.length > TEXT_BYTES ? cut(whole, TEXT_BYTES).text : whole;
    this.waiting.add({ message, type, source: this.sources.look() });
    this.size += message.length;
    for (const oldest of this.waiting) {
      if (this.waiting.size <= NOTIFICATIONS && this.size <= NOTIFICATION_CHARS) break;
      this.take(oldest);
      this.dropped += 1;
    }
    this.plan(false);
  }

  tellOnce(say: Sink["put"]): void {
    if (this.waiting.size > 0 || this.dropped > 0) say(KEY, () => this.some());
  }

  /** No daemon listens: what was to be told once is not told. */
  unheard(): void {
    this.waiting.clear();
    this.size = 0;
    this.dropped = 0;
  }

  stop(): void {
    this.pace.stop();
    this.unheard();
  }

  private plan(apart: boolean): void {
    this.pace.touch(KEY, () => this.sink.put(KEY, () => this.some()), apart);
  }

  private *some(): Generator<Outgoing, void> {
    let left = NOTIFICATIONS_AT_ONCE;
    for (const notification of this.waiting) {
      // Not within this, which is being asked for the next one.
      if ((left -= 1) < 0) return this.plan(true);
      this.take(notification);
      const { message, type, source } = notification;
      const notifyType = NOTIFY_TYPES.includes(type) ? { notifyType: type as NotifyType } : {};
      yield { type: "notification", message: cut(message, TEXT_BYTES).text, ...notifyType, ...by(source) };
    }
    if (this.dropped === 0) return;
    const count = this.dropped;
    this.dropped = 0;
    yield { type: "notice", code: "dropped", count };
  }

  private take(notification: Notification): void {
    this.waiting.delete(notification);
    this.size -= notification.message.length;
  }
}
