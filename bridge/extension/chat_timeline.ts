// What the daemon is told of the rows: state, not a queue. Rows that changed are remembered, and made when there is room.

import { after, type Timer } from "./guard.ts";
import { CHAT_LIVE_IDS, CHAT_NEW_ENTRIES, CHAT_PAGE_BYTES, CHAT_PAGE_ROWS, CHAT_WAITING } from "./limits.ts";
import { idOf, type Branch } from "./chat_branch.ts";
import { Live } from "./chat_live.ts";
import type { ChatReason } from "./chat_protocol.ts";
import { bytesOf, kindOf, type Draft } from "./chat_rows.ts";
import type { Outgoing } from "./protocol.ts";
import { trim } from "./registry.ts";

type Messages = Generator<Outgoing, void>;

/** A row that changed. */
type Change = { live: Live } | { entry: unknown } | { gone: string };

export interface Owner {
  /** Another temporary id. */
  nextId(): string;
  /** There is something to say. */
  wake(): void;
  /** Which row of those that are not appended yet has become this entry. */
  match(entry: unknown, waiting: readonly Live[]): Live | undefined;
  appended(live: Live, entryId: string): void;
  conversationId(): string;
}

export class Timeline {
  private readonly owner: Owner;
  private branch: Branch;
  /** Rows that have no entry, in the order in which they are shown, after all that have one. */
  private readonly waiting: Live[] = [];
  private readonly changed = new Map<string, Change>();
  /** Entry → its row, while the daemon may know it by another id. */
  private readonly confirming = new Map<string, Live>();
  private readonly liveIds = new Map<string, string>();
  private readonly paced = new Set<Live>();
  private timer: Timer | undefined;
  /** When it fires, in ms of a clock that never goes back. */
  private timerAt = 0;
  private boundary: ChatReason | undefined;
  private leaf: string | null;
  private isFollowed = false;

  constructor(owner: Owner, branch: Branch) {
    this.owner = owner;
    this.branch = branch;
    this.leaf = branch.leaf;
  }

  /** The temporary id that an entry had. */
  liveIdOf(entryId: string): string | undefined {
    return this.liveIds.get(entryId);
  }

  /** Another session or branch: all that was told is replaced. */
  reset(reason: ChatReason, branch = this.branch): void {
    this.branch = branch;
    this.leaf = branch.leaf;
    this.boundary = this.boundary === undefined || reason !== "resync" ? reason : this.boundary;
    this.clear();
    this.wake();
  }

  /** A daemon listens from now on, and knows nothing. */
  follow(reason: ChatReason): void {
    this.isFollowed = true;
    this.boundary = reason;
    this.clear();
  }

  unfollow(): void {
    this.isFollowed = false;
    this.boundary = undefined;
    this.clear();
  }

  /** Rows that have no entry will not get one. */
  abandon(): void {
    this.waiting.length = 0;
    this.confirming.clear();
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.paced.clear();
  }

  /** A row begins; `clientTurnId` names the turn that it came from. */
  open(draft: () => Draft, clientTurnId?: string): Live {
    const live = new Live(this.owner.nextId(), draft, clientTurnId);
    this.waiting.push(live);
    this.touch(live);
    return live;
  }

  /** Something of the row has changed; it is told at its pace. */
  touch(live: Live): void {
    if (!this.isFollowed) return;
    // What waits for room already needs no look at what it has become.
    const now = performance.now();
    const pause = this.changed.has(live.liveId) ? 0 : live.wait(now);
    if (pause <= 0) return this.change(live.liveId, { live });
    this.paced.add(live);
    // One that waits long holds up no other.
    if (this.timer !== undefined && this.timerAt <= now + pause) return;
    this.timer?.cancel();
    this.timerAt = now + pause;
    this.timer = after(pause, "chat.timer", () => this.tick());
  }

  /** The row will not come to anything. */
  remove(live: Live): void {
    const at = this.waiting.indexOf(live);
    if (at >= 0) this.waiting.splice(at, 1);
    this.paced.delete(live);
    this.changed.delete(live.liveId);
    if (live.isTold) this.change(live.liveId, { gone: live.known });
  }

  /** Looks at what Pi has appended since the last time. */
  sync(): void {
    const leaf = this.branch.leaf;
    if (leaf === this.leaf) return;
    const added = this.branch.since(this.leaf, CHAT_NEW_ENTRIES);
    this.leaf = leaf;
    if (added === undefined) return this.reset("tree");
    for (const entry of added) if (kindOf(entry) !== undefined) this.append(entry);
  }

  /** What is to be said, as long as there is something. */
  *say(): Messages {
    for (;;) {
      if (this.boundary !== undefined) yield* this.page(this.boundary);
      const [first] = this.changed;
      if (first === undefined) return;
      this.changed.delete(first[0]);
      yield* this.tell(first[1]);
    }
  }

  private append(entry: unknown): void {
    const id = idOf(entry) as string;
    const live = this.owner.match(entry, this.waiting);
    if (live === undefined) return this.change(id, { entry });
    const at = this.waiting.indexOf(live);
    this.waiting.splice(at, 1);
    this.paced.delete(live);
    live.confirmed(id);
    this.liveIds.set(id, live.liveId);
    trim(this.liveIds, CHAT_LIVE_IDS);
    // One that began before it is still waiting: it comes after this one now.
    if (at > 0) live.spoil();
    this.owner.appended(live, id);
    if (!this.isFollowed) return;
    this.confirming.set(id, live);
    this.change(live.liveId, { live });
  }

  private *tell(change: Change): Messages {
    if ("gone" in change) return yield { type: "chat_remove", id: change.gone };
    if ("entry" in change) {
      const row = this.branch.row(change.entry);
      if (row !== undefined) yield { type: "chat_row", row, after: this.before(change.entry) };
      return;
    }
    const { live } = change;
    if (live.entryId === undefined && !this.waiting.includes(live)) return;
    const confirmation = live.takeConfirmation();
    if (confirmation !== undefined) yield { type: "chat_confirm", ...confirmation };
    if (live.entryId !== undefined) this.confirming.delete(live.entryId);
    live.toldAt = performance.now();
    // It may be long: it is made once.
    const draft = live.draft();
    if (live.needsWhole(draft)) yield { type: "chat_row", row: live.row(draft), after: this.predecessor(live) };
    else yield* live.deltas(draft);
  }

  private predecessor(live: Live): string | null {
    if (live.entryId !== undefined) return this.before(this.branch.entry(live.entryId));
    const before = this.waiting[this.waiting.indexOf(live) - 1];
    return before?.known ?? this.known(idOf(this.branch.visible(this.branch.entry(this.leaf))));
  }

  private before(entry: unknown): string | null {
    return this.known(this.branch.before(entry));
  }

  /** What the daemon calls the row of this entry until it is told otherwise. */
  private known(entryId: string | null): string | null {
    const live = entryId === null ? undefined : this.confirming.get(entryId);
    return live === undefined ? entryId : live.known;
  }

  private *page(reason: ChatReason): Messages {
    this.boundary = undefined;
    this.clear();
    const waiting = this.waiting.slice(-CHAT_PAGE_ROWS + 1);
    const live = waiting.map((one) => one.row());
    const room = CHAT_PAGE_BYTES - live.reduce((sum, row) => sum + bytesOf(row), 0);
    const { rows, more } = this.branch.page(this.branch.entry(this.leaf), CHAT_PAGE_ROWS - live.length, room);
    const oldest = rows[0];
    let after = more && oldest !== undefined ? this.branch.before(this.branch.entry(oldest.id)) : null;
    yield { type: "chat_reset", conversationId: this.owner.conversationId(), leaf: this.leaf, reason, ...(more && { more }) };
    for (const row of [...rows, ...live]) {
      yield { type: "chat_row", row, after };
      after = row.id;
    }
    yield { type: "chat_ready" };
  }

  private change(key: string, change: Change): void {
    if (!this.isFollowed) return;
    this.changed.set(key, change);
    if (this.changed.size > CHAT_WAITING) {
      this.boundary ??= "resync";
      this.clear();
    }
    this.wake();
  }

  private clear(): void {
    this.stop();
    this.changed.clear();
    this.confirming.clear();
    for (const live of this.waiting) live.forget();
  }

  private tick(): void {
    this.timer = undefined;
    const due = [...this.paced];
    this.paced.clear();
    for (const live of due) this.touch(live);
  }

  private wake(): void {
    if (this.isFollowed) this.owner.wake();
  }
}
