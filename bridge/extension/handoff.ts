// Texts that extensions put into Pi's editor. Each is told once, to a daemon that listens.
import { randomUUID } from "node:crypto";

import type { Sink } from "./board.ts";
import { obstacle, pieces } from "./content.ts";
import { CONTENT_BYTES, HANDOFFS, UPDATE_MS } from "./limits.ts";
import { Pace } from "./pace.ts";
import type { EditorText, Notice, Outgoing } from "./protocol.ts";
import { by, type Looks } from "./sources.ts";

interface Text {
  readonly text: string;
  readonly paste: boolean;
  readonly source: string | undefined;
}

const KEY = "editor_text";

export class Handoffs {
  private readonly sink: Sink;
  private readonly sources: Looks;
  private readonly pace = new Pace(UPDATE_MS);
  private waiting: Text[] = [];

  constructor(sink: Sink, sources: Looks) {
    this.sink = sink;
    this.sources = sources;
  }

  /** A call of `setEditorText(text)`, or of `pasteToEditor(text)`. */
  add(text: unknown, paste: boolean): void {
    if (typeof text !== "string" || !this.sink.hopeful) return;
    // What replaces everything makes what came before it nothing.
    if (!paste) this.waiting = [];
    this.waiting.push({ text, paste, source: this.sources.look() });
    let size = this.waiting.reduce((sum, { text: { length } }) => sum + length, 0);
    while (this.waiting.length > HANDOFFS || (size > CONTENT_BYTES && this.waiting.length > 1)) size -= this.waiting.shift()?.text.length ?? 0;
    this.pace.touch(KEY, () => this.sink.put(KEY, () => this.all()));
  }

  tellOnce(say: Sink["put"]): void {
    if (this.waiting.length > 0) say(KEY, () => this.all());
  }

  /** No daemon listens. */
  unheard(): void {
    this.waiting = [];
  }

  stop(): void {
    this.pace.stop();
    this.unheard();
  }

  private *all(): Generator<Outgoing, void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) yield* messages(next);
  }
}

function* messages({ text, paste, source }: Text): Generator<Outgoing, void> {
  const reason = obstacle(text);
  if (reason !== undefined) return yield { type: "notice", code: "editor_text", detail: reason } satisfies Notice;
  const id = randomUUID();
  const texts = pieces(text);
  const whole: EditorText = { type: "editor_text", id, paste, ...(texts.length > 1 ? { parts: texts.length } : { text }), ...by(source) };
  if (texts.length > 1) for (const [part, piece] of texts.entries()) yield { type: "editor_text_part", id, part, parts: texts.length, text: piece };
  yield whole;
}
