/**
 * What was typed into cards and not taken yet, by prompt id. Kept with as much of the prompt as it takes to show the text again
 * after a reload, when the prompt itself is gone. Sensitive text stays in memory.
 */

import type { Draft, DraftFields } from "../cards/contract.ts";
import type { ExtensionUIRequest } from "../protocol.ts";
import { list, record, struct, text, type Reader } from "./reading.ts";
import { attempt, keysOf, type Shelf } from "./shelf.ts";

const PREFIX = "mirrord.draft.";
const NOTHING: DraftFields = Object.freeze({});

const readPrompt = struct({ sessionId: text, id: text, title: text, method: text }, { source: text });
const readFields: Reader<DraftFields> = (raw) => {
  const found = record(raw);
  if (found === undefined) return undefined;
  const fields: Record<string, string | readonly string[]> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(found)) {
    const read = text(value) ?? list(text)(value);
    if (read !== undefined) fields[name] = read;
  }
  return fields;
};
const readKept = struct({ prompt: readPrompt, fields: readFields }, {});

export class Drafts {
  readonly #shelf: Shelf | undefined;
  readonly #kept = new Map<string, DraftFields>();
  /** As much of each prompt as is known: after a reload, what was stored of it. */
  readonly #prompts = new Map<string, ExtensionUIRequest>();
  /** Told after each change. */
  onChange: () => void = () => {};

  /** Takes over what an earlier load of this page left on the shelf. */
  constructor(shelf: Shelf | undefined) {
    this.#shelf = shelf;
    for (const key of keysOf(shelf, PREFIX)) {
      const kept = readKept(parse(attempt(() => shelf?.getItem(key)) ?? ""));
      if (kept === undefined) continue;
      this.#kept.set(kept.prompt.id, kept.fields);
      this.#prompts.set(kept.prompt.id, { type: "extension_ui_request", ...kept.prompt } as ExtensionUIRequest);
    }
  }

  of(prompt: ExtensionUIRequest): Draft {
    return {
      read: () => this.#kept.get(prompt.id) ?? NOTHING,
      save: (fields, options) => this.#save(prompt, fields, prompt.masked === true || options?.sensitive === true),
      clear: () => this.clear(prompt.id),
    };
  }

  /** Whether text or choices of this prompt are kept. */
  has(promptId: string): boolean {
    const fields = this.#kept.get(promptId);
    return fields !== undefined && Object.values(fields).some((value) => value.length > 0);
  }

  clear(promptId: string): void {
    this.#prompts.delete(promptId);
    const had = this.#kept.delete(promptId);
    attempt(() => this.#shelf?.removeItem(PREFIX + promptId));
    if (had) this.onChange();
  }

  /** Prompts of this session that text is kept for, also when nothing else is known of them any more. */
  promptsIn(sessionId: string): readonly ExtensionUIRequest[] {
    return [...this.#prompts.values()].filter((prompt) => prompt.sessionId === sessionId && this.has(prompt.id));
  }

  #save(prompt: ExtensionUIRequest, fields: DraftFields, sensitive: boolean): void {
    const had = this.has(prompt.id);
    this.#kept.set(prompt.id, fields);
    this.#prompts.set(prompt.id, prompt);
    const { sessionId, id, title, method, source } = prompt;
    if (sensitive) attempt(() => this.#shelf?.removeItem(PREFIX + id));
    else attempt(() => this.#shelf?.setItem(PREFIX + id, JSON.stringify({ prompt: { sessionId, id, title, method, source }, fields })));
    if (had !== this.has(prompt.id)) this.onChange();
  }
}

function parse(json: string): unknown {
  return attempt(() => JSON.parse(json) as unknown);
}
