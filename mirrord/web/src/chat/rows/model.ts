/**
 * What the timeline shows, made of the conversation's messages. Pure.
 *
 * A message of the assistant is as many items as it has parts, and a call of a tool is one item with its result. Items that did not change
 * are the same objects, so that nothing of them is drawn anew: only the messages from the last answer on are looked at again.
 */

import type { ChatMessage, ChatPart, Row } from "../contract.ts";
import { dayOf } from "./words.ts";

/** Of a call: its arguments are being written, it runs, it ended well or badly, or nobody will know. */
export type ToolState = "writing" | "running" | "done" | "failed" | "unknown";

interface Base {
  /** Names it for as long as it is there; no other has it. */
  readonly key: string;
  /** The message it is of; of a day, the first one. A part's item does not change with the other parts of it. */
  readonly message: ChatMessage;
}

export type Item = Base &
  (
    | { readonly kind: "day" }
    | { readonly kind: "user" | "bash" | "custom" | "divider" | "other" }
    | { readonly kind: "text" | "thinking" | "image" | "part"; readonly part: ChatPart; readonly place: number; readonly isGrowing: boolean; readonly isLast: boolean }
    | { readonly kind: "tool"; readonly name: string; readonly args: string | undefined; readonly state: ToolState; readonly result: ChatMessage | undefined; readonly at: number }
    | { readonly kind: "end" }
  );
export type PartItem = Extract<Item, { readonly part: ChatPart }>;
export type ToolItem = Extract<Item, { readonly kind: "tool" }>;

export interface Options {
  /** Messages that are not on the terminal's screen are shown too. */
  readonly hidden: boolean;
  /** Pi works, so that a call without a result runs. */
  readonly streaming: boolean;
  /** Nothing is before the first row, so that its day is named. */
  readonly isStart: boolean;
}

/** What was made last, and of what. */
export interface Model {
  readonly items: readonly Item[];
  readonly rows: readonly Row[];
  readonly options: Options;
  /** Where the rows and items of each answer begin, with what follows it up to the next. */
  readonly groups: readonly Group[];
  /** Keys of results that were shown without their calls, by the key of their row: they keep them. */
  readonly orphans: ReadonlyMap<string, string>;
}

interface Group {
  readonly row: number;
  readonly item: number;
}

export const EMPTY_MODEL: Model = { items: [], rows: [], options: { hidden: false, streaming: false, isStart: false }, groups: [], orphans: new Map() };

export function modelOf(before: Model, rows: readonly Row[], options: Options): Model {
  const { hidden, isStart } = options;
  const isSame = before.options.hidden === hidden && before.options.isStart === isStart;
  const reach = isSame ? common(before.rows, rows) : 0;
  if (isSame && reach === rows.length && reach === before.rows.length && before.options.streaming === options.streaming) return before;
  // A result joins the call of the answer before it, so that the group of the first change is made anew, whole.
  let kept = before.groups.length;
  while (kept > 0 && (before.groups[kept - 1]?.row ?? 0) >= Math.min(reach, rows.length - 1)) kept -= 1;
  // What runs, and which text is the last of a turn, changes in the last group that stays the same too.
  kept = Math.max(0, kept - 1);
  const from = isSame ? (before.groups[kept] ?? { row: 0, item: 0 }) : { row: 0, item: 0 };
  if (!isSame) kept = 0;
  const had = new Map(before.items.slice(from.item).map((item) => [item.key, item]));
  const maker = new Maker(rows, options, had, before.orphans);
  const items = before.items.slice(0, from.item);
  const groups = before.groups.slice(0, kept);
  maker.make(from.row, items, groups);
  return { items, rows, options, groups, orphans: maker.orphans };
}

/** How many rows both begin with. */
function common(before: readonly Row[], rows: readonly Row[]): number {
  let reach = 0;
  while (reach < rows.length && before[reach]?.message === rows[reach]?.message && before[reach]?.key === rows[reach]?.key) reach += 1;
  return reach;
}

class Maker {
  readonly orphans: Map<string, string>;
  readonly #rows: readonly Row[];
  readonly #options: Options;
  readonly #had: ReadonlyMap<string, Item>;

  constructor(rows: readonly Row[], options: Options, had: ReadonlyMap<string, Item>, orphans: ReadonlyMap<string, string>) {
    this.#rows = rows;
    this.#options = options;
    this.#had = had;
    this.orphans = new Map(orphans);
  }

  make(from: number, items: Item[], groups: Group[]): void {
    const rows = this.#rows;
    for (let at = from; at < rows.length; ) {
      let next = at + 1;
      while (next < rows.length && rows[next]?.message.kind !== "assistant") next += 1;
      groups.push({ row: at, item: items.length });
      this.#group(at, next, items);
      at = next;
    }
  }

  /** An answer and what follows it, or what is before the first. */
  #group(from: number, to: number, items: Item[]): void {
    const rows = this.#rows.slice(from, to);
    const calls = new Set<string>();
    const results = new Map<string, Row>();
    for (const { message } of rows) if (message.kind === "assistant") for (const { toolCallId } of message.parts) if (toolCallId !== undefined) calls.add(toolCallId);
    for (const row of rows) if (row.message.kind === "tool" && row.message.toolCallId !== undefined && calls.has(row.message.toolCallId)) results.set(row.message.toolCallId, row);
    const isLast = to === this.#rows.length;
    rows.forEach((row, place) => {
      const { message } = row;
      if (message.kind === "tool" && message.toolCallId !== undefined && results.get(message.toolCallId) === row) return;
      if (!message.display && !this.#options.hidden) return;
      this.#day(from + place, items);
      if (message.kind === "assistant") this.#answer(row, results, { isLast, endsTurn: !this.#goesOn(to) }, items);
      else items.push(this.#same(this.#one(row)));
    });
  }

  /** Whether the answer that ends before `to` is followed by another in the same turn. */
  #goesOn(to: number): boolean {
    if (to >= this.#rows.length) return this.#options.streaming;
    // Between two answers of a turn there are results and what extensions say; a person's words begin another turn.
    for (let at = to - 1; at >= 0; at -= 1) {
      const kind = this.#rows[at]?.message.kind;
      if (kind === "assistant") return true;
      if (kind === "user" || kind === "bash") return false;
    }
    return true;
  }

  #day(place: number, items: Item[]): void {
    const row = this.#rows[place];
    if (row === undefined) return;
    const before = this.#rows[place - 1];
    const isNew = before === undefined ? this.#options.isStart : dayOf(before.message.at) !== dayOf(row.message.at);
    if (isNew) items.push(this.#same({ kind: "day", key: `${row.key}/day`, message: row.message }));
  }

  #one({ key, message }: Row): Item {
    switch (message.kind) {
      case "user":
        return { kind: "user", key, message };
      case "bash":
        return { kind: "bash", key, message };
      case "custom":
        return { kind: "custom", key, message };
      case "compaction":
      case "branch_summary":
        return { kind: "divider", key, message };
      case "tool": {
        // Its call is on an earlier page.
        this.orphans.set(key, key);
        return { kind: "tool", key, message, name: message.toolName ?? "tool", args: message.args, state: stateOf(message), result: message, at: message.at };
      }
      default:
        return { kind: "other", key, message };
    }
  }

  #answer({ key, message }: Row, results: ReadonlyMap<string, Row>, { isLast, endsTurn }: { isLast: boolean; endsTurn: boolean }, items: Item[]): void {
    const isStreaming = message.state === "streaming";
    const endsBadly = message.state === "error" || message.state === "aborted" || message.stopReason === "length";
    const calls = message.parts.some(({ type }) => type === "tool_call");
    const lastText = message.parts.findLastIndex(({ type, text }) => type === "text" && text !== undefined && text.trim() !== "");
    message.parts.forEach((part, place) => {
      const name = `${key}/${place}`;
      if (part.type === "tool_call") {
        const row = part.toolCallId === undefined ? undefined : results.get(part.toolCallId);
        const isWriting = isStreaming && place === message.parts.length - 1;
        const runs = isLast && (this.#options.streaming || isStreaming) && message.state !== "error" && message.state !== "aborted";
        const state = row !== undefined ? stateOf(row.message) : isWriting ? "writing" : runs ? "running" : "unknown";
        const own = row === undefined ? undefined : this.orphans.get(row.key);
        items.push(
          this.#same({ kind: "tool", key: own ?? name, message, name: part.name ?? "tool", args: part.args ?? row?.message.args, state, result: row?.message, at: row?.message.at ?? message.at }),
        );
        return;
      }
      const isGrowing = isStreaming && place === message.parts.length - 1;
      const kind = part.type === "text" || part.type === "thinking" || part.type === "image" ? part.type : "part";
      // Blank text between calls is no row.
      if (kind !== "image" && (part.text ?? "").trim() === "" && !(kind === "thinking" && isGrowing)) return;
      items.push(this.#same({ kind, key: name, message, part, place, isGrowing, isLast: endsTurn && !endsBadly && !calls && place === lastText && !isStreaming }));
    });
    if (endsBadly) items.push(this.#same({ kind: "end", key: `${key}/end`, message }));
  }

  /** The item that was there, if it shows the same. */
  #same(item: Item): Item {
    const had = this.#had.get(item.key);
    return had !== undefined && isSame(had, item) ? had : item;
  }
}

function stateOf(result: ChatMessage): ToolState {
  if (result.state === "streaming") return "running";
  return result.isError === true || result.state === "error" || result.state === "aborted" ? "failed" : "done";
}

type Fields = Readonly<Record<string, unknown>>;

function isSame(had: Item, item: Item): boolean {
  const [one, other] = [had as unknown as Fields, item as unknown as Fields];
  return Object.keys(other).every((name) => (name === "message" ? showsSame(had, item) : one[name] === other[name]));
}

/** Other parts of the message do not matter to one part of it, nor to a call. */
function showsSame({ message: had }: Item, { message, kind }: Item): boolean {
  if (had === message) return true;
  if (kind === "day") return dayOf(had.at) === dayOf(message.at);
  if (kind === "user" || kind === "bash" || kind === "custom" || kind === "divider" || kind === "other") return false;
  const [one, other] = [had as unknown as Fields, message as unknown as Fields];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => name === "parts" || one[name] === other[name]);
}

/** The items that began after the one with that key, counted by message: what somebody who read up to it has not seen. */
export function countAfter(items: readonly Item[], key: string | undefined): number {
  const from = key === undefined ? -1 : items.findLastIndex((item) => item.key === key);
  if (from < 0) return 0;
  const seen = items[from]?.message.id;
  const messages = new Set(items.slice(from + 1).map((item) => item.message.id));
  if (seen !== undefined) messages.delete(seen);
  return messages.size;
}
