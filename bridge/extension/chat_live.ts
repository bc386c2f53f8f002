// A row that Pi has not appended yet, or whose entry the daemon has not been told of: what it is, and what of it was told.

import { CHAT_DELTA_CHARS, CHAT_DELTA_MS, CHAT_TEXT_BYTES, CHAT_WHOLE_MS } from "./limits.ts";
import type { ChatDelta, ChatPart, ChatRow } from "./chat_protocol.ts";
import { finish, type Draft } from "./chat_rows.ts";
import { cut, wellFormed, withoutSplitPair } from "./text.ts";

/** A UTF-16 unit has at most three bytes in UTF-8. */
const SURELY_SHORT = CHAT_TEXT_BYTES / 3;

interface ToldPart {
  readonly type: ChatPart["type"];
  /** As Pi has it: halves of characters in it are U+FFFD for the daemon. */
  text: string;
}

export class Live {
  readonly liveId: string;
  /** Says what the row is now. */
  draft: () => Draft;
  entryId: string | undefined;
  readonly clientTurnId: string | undefined;
  /** When the last delta of it went out, in ms of a clock that never goes back. */
  toldAt = -Infinity;
  private told: ToldPart[] | undefined;
  private toldId: string;
  private isWhole = true;
  /** Since it was told, its text was found to be another one. It is not asked again: a draft of it may be long. */
  private isRewritten = false;

  constructor(liveId: string, draft: () => Draft, clientTurnId?: string) {
    this.liveId = liveId;
    this.clientTurnId = clientTurnId;
    this.toldId = liveId;
    this.draft = draft;
  }

  /** The id that the daemon knows the row by, if it knows it. */
  get known(): string {
    return this.toldId;
  }

  get isTold(): boolean {
    return this.told !== undefined;
  }

  /** Pi has appended it. */
  confirmed(entryId: string): void {
    this.entryId = entryId;
    if (!this.isTold) this.toldId = entryId;
  }

  /** The daemon is told its new id now; undefined when it knows. */
  takeConfirmation(): { id: string; entryId: string } | undefined {
    const { entryId, toldId } = this;
    if (entryId === undefined || entryId === toldId) return undefined;
    this.toldId = entryId;
    return { id: toldId, entryId };
  }

  /** Deltas do not say it: it has to be told whole. */
  spoil(): void {
    this.isWhole = false;
  }

  /** Nobody has been told of it. */
  forget(): void {
    this.told = undefined;
    this.isWhole = false;
    this.isRewritten = false;
    this.toldId = this.entryId ?? this.liveId;
  }

  /** Whether it has to be told whole. Its text is compared with what was told. */
  needsWhole(draft: Draft): boolean {
    return !this.isTold || !this.isWhole || !this.grows(draft);
  }

  /** In so many ms it may be told, or this is to be asked again; `now` is of the clock of `toldAt`. */
  wait(now: number): number {
    const passed = now - this.toldAt;
    if (!this.isTold || passed >= CHAT_WHOLE_MS) return 0;
    // Whatever has become of it by then, it waits so long.
    if (passed < CHAT_DELTA_MS) return CHAT_DELTA_MS - passed;
    if (!this.isWhole) return 0;
    this.isRewritten ||= !this.grows(this.draft());
    return this.isRewritten ? CHAT_WHOLE_MS - passed : 0;
  }

  /** The row whole, which counts as told. */
  row(draft = this.draft()): ChatRow {
    const { entryId, liveId, clientTurnId } = this;
    // The second half of a character may still come.
    const parts = draft.state === "streaming" ? draft.parts.map(withoutHalf) : draft.parts;
    const row = finish(
      { ...draft, parts },
      {
        id: this.toldId,
        ...(entryId !== undefined && entryId === this.toldId && { entryId, liveId }),
        ...(clientTurnId !== undefined && { clientTurnId }),
      },
    );
    this.told = (row.parts ?? []).map((part, index) => ({
      type: part.type,
      text: textOf(parts[index] as ChatPart).slice(0, textOf(part).length),
    }));
    this.isWhole = true;
    this.isRewritten = false;
    return row;
  }

  /** What was added since it was told, which then counts as told. Only when it need not be told whole. */
  *deltas({ parts }: Draft): Generator<ChatDelta> {
    const { told, toldId: id } = this;
    if (told === undefined) return;
    this.isRewritten = false;
    for (const [part, now] of parts.entries()) {
      const before = told[part];
      const text = withoutSplitPair(within(textOf(now)));
      const from = before?.text.length ?? 0;
      if (before === undefined) told.push({ type: now.type, text });
      else before.text = text;
      for (let offset = from; offset < text.length || (before === undefined && offset === 0); ) {
        const piece = withoutSplitPair(text.slice(offset, offset + CHAT_DELTA_CHARS));
        const start = before === undefined && offset === 0 ? { start: bare(now) } : {};
        yield { type: "chat_delta", id, part, offset, text: wellFormed(piece), ...start };
        offset += piece.length;
        if (piece === "") break;
      }
    }
  }

  private grows({ parts }: Draft): boolean {
    const { told } = this;
    if (told === undefined || parts.length < told.length) return false;
    return told.every((before, index) => {
      const now = parts[index] as ChatPart;
      return now.type === before.type && now.type !== "image" && textOf(now).startsWith(before.text);
    });
  }
}

function textOf(part: ChatPart): string {
  return (part.type === "tool_call" ? part.args : part.text) ?? "";
}

function withoutHalf(part: ChatPart): ChatPart {
  if (part.type === "tool_call") return { ...part, args: withoutSplitPair(part.args ?? "") };
  return part.text === undefined ? part : { ...part, text: withoutSplitPair(part.text) };
}

function bare({ text: _text, args: _args, ...part }: ChatPart): ChatPart {
  return part;
}

/** The part of a text that may be told. */
function within(text: string): string {
  return text.length <= SURELY_SHORT ? text : text.slice(0, cut(text, CHAT_TEXT_BYTES).text.length);
}
