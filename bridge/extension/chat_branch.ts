// Pi's current branch, read backwards from an entry: each page costs what it has, however long the session is.

import { CALL_STEPS, CHAT_PAGE_BYTES, CHAT_PAGE_ROWS } from "./limits.ts";
import type { ChatRow } from "./chat_protocol.ts";
import { bytesOf, entryDraft, finish, json, kindOf, type Call } from "./chat_rows.ts";
import { call, field, textOr } from "./pi.ts";

/** What a row has besides what is in its entry. */
export type Extras = (entryId: string) => Partial<ChatRow>;

export interface Page {
  /** The oldest first. */
  readonly rows: readonly ChatRow[];
  /** There are older ones. */
  readonly more: boolean;
}

/** Pi's session manager as the branch is read from it. It may be another one at any time. */
export class Branch {
  readonly manager: unknown;
  private readonly extras: Extras;

  constructor(manager: unknown, extras: Extras) {
    this.manager = manager;
    this.extras = extras;
  }

  get leaf(): string | null {
    return textOr(call(this.manager, "getLeafId"), null);
  }

  entry(id: string | null | undefined): unknown {
    return typeof id === "string" ? call(this.manager, "getEntry", id) : undefined;
  }

  /** The entry before this one. */
  parent(entry: unknown): unknown {
    return this.entry(textOr(field(entry, "parentId"), undefined));
  }

  /** The nearest entry that shows, at `entry` or before it. */
  visible(entry: unknown): unknown {
    let at = entry;
    while (at !== undefined && kindOf(at) === undefined) at = this.parent(at);
    return at;
  }

  /** The id of the row before the one of `entry`; null when that is the first. */
  before(entry: unknown): string | null {
    return idOf(this.visible(this.parent(entry)));
  }

  row(entry: unknown): ChatRow | undefined {
    const id = idOf(entry);
    const draft = entryDraft(entry, kindOf(entry) === "tool" ? this.callOf(entry) : undefined);
    return draft === undefined || id === null ? undefined : finish(draft, { id, entryId: id, ...this.extras(id) });
  }

  /** The rows up to `last`, that one too: as many as are asked for and fit, at least one when there is any. */
  page(last: unknown, limit: number, room = CHAT_PAGE_BYTES): Page {
    const rows: ChatRow[] = [];
    let bytes = 0;
    let at = this.visible(last);
    for (; at !== undefined && rows.length < Math.min(limit, CHAT_PAGE_ROWS); at = this.visible(this.parent(at))) {
      const row = this.row(at);
      if (row === undefined) continue;
      bytes += bytesOf(row);
      if (bytes > room && rows.length > 0) break;
      rows.push(row);
    }
    return { rows: rows.reverse(), more: at !== undefined };
  }

  /** The entries after `id` up to the leaf, the oldest first; undefined when `id` is not near, or not on the branch. */
  since(id: string | null, most: number): unknown[] | undefined {
    const found: unknown[] = [];
    for (let at = this.entry(this.leaf); idOf(at) !== id; at = this.parent(at)) {
      if (at === undefined || found.length >= most) return undefined;
      found.push(at);
    }
    return found.reverse();
  }

  private callOf(entry: unknown): Call | undefined {
    const wanted = field(field(entry, "message"), "toolCallId");
    let at = this.parent(entry);
    for (let step = 0; at !== undefined && step < CALL_STEPS; step += 1, at = this.parent(at)) {
      const message = field(at, "message");
      const content = field(message, "role") === "assistant" ? field(message, "content") : undefined;
      const isWanted = (block: unknown): boolean => field(block, "type") === "toolCall" && field(block, "id") === wanted;
      const block: unknown = Array.isArray(content) ? content.find(isWanted) : undefined;
      if (block !== undefined) return { args: json(field(block, "arguments")), startedAt: undefined };
    }
    return undefined;
  }
}

export function idOf(entry: unknown): string | null {
  return textOr(field(entry, "id"), null);
}
