/** What is typed for each session: one desk a session for as long as the page is there, kept in the browser's storage at each key. */

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";

import { contentOf, draftOf, EMPTY_DRAFT, isBlank, typed, type Draft } from "../core/composer/draft.ts";
import { insert, withdraw, type Insertion } from "../core/composer/handoff.ts";
import { edited, goesOnFrom, handedIn, heard, joined, Journal, NEW_ENTRY, sentIn, type Entry } from "../core/composer/journal.ts";
import { newer, older, recallable, type Recalling } from "../core/composer/recall.ts";
import { attempt } from "../core/shelf.ts";
import type { Row } from "../chat/contract.ts";

const journal = new Journal(attempt(() => localStorage));
/** Another load of the page is another tab: one that is copied would count its edits twice. */
const tab = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const desks = new Map<string, Desk>();

export function desk(sessionId: string): Desk {
  const known = desks.get(sessionId);
  if (known !== undefined) return known;
  const made = new Desk(sessionId, journal, tab);
  desks.set(sessionId, made);
  return made;
}

export class Desk {
  readonly #sessionId: string;
  readonly #journal: Journal;
  readonly #tab: string;
  readonly #entry = signal<Entry>(NEW_ENTRY);
  readonly #recalling = signal<Recalling | undefined>(undefined);
  readonly #insertions = signal<readonly Insertion[]>([]);
  readonly #isKept = signal(true);
  /** Whether a person is at the text area of this tab. */
  isTyping: () => boolean = () => false;

  readonly entry: ReadonlySignal<Entry> = this.#entry;
  /** False: storage is full or forbidden, and the draft lasts as long as the page. */
  readonly isKept: ReadonlySignal<boolean> = this.#isKept;
  /** What stands in the text area. */
  readonly draft: ReadonlySignal<Draft> = computed(() => recalled(this.#recalling.value) ?? this.#entry.value.draft);
  /** The text of an extension that can be taken out again: the last one that is still there as it came. */
  readonly insertion: ReadonlySignal<Insertion | undefined> = computed(() => this.#insertions.value.at(-1));

  /** `tab` is this load of the page. */
  constructor(sessionId: string, journal: Journal, tab: string) {
    this.#sessionId = sessionId;
    this.#journal = journal;
    this.#tab = tab;
    this.#entry.value = journal.read(sessionId) ?? NEW_ENTRY;
  }

  /** The person changed the text. */
  type(text: string): void {
    const before = recalled(this.#recalling.peek());
    batch(() => {
      this.#recalling.value = undefined;
      const { draft, other } = this.#entry.peek();
      const next = typed(before ?? draft, text);
      // What was typed before an earlier message was brought back stays beside what became of that.
      this.#edit({ draft: next, ...(before !== undefined && { other: joined(other, { from: "recall", draft }, next) }) });
    });
  }

  /** A text of an extension comes in, once, whichever tab takes it first. False: no composer can hold it. */
  hand(id: string, text: string, source?: string): boolean {
    this.#hear(this.#journal.read(this.#sessionId));
    if (this.#entry.peek().handed.includes(id)) return true;
    const now = this.draft.peek();
    const inserted = insert(now, id, text, source);
    if (inserted === undefined) return text === "";
    batch(() => {
      if (this.#recalling.peek() !== undefined) this.type(now.text);
      this.#edit({ draft: inserted.draft, handed: handedIn(this.#entry.peek(), id) });
      this.#insertions.value = [...this.#insertions.peek(), inserted.insertion];
    });
    return true;
  }

  undo(insertion: Insertion): void {
    const draft = withdraw(this.#entry.peek().draft, insertion);
    batch(() => {
      this.keep(insertion);
      if (draft !== undefined) this.#edit({ draft });
    });
  }

  /** The text of an extension is the person's now. */
  keep(insertion: Insertion): void {
    this.#insertions.value = this.#insertions.peek().filter((one) => one !== insertion);
  }

  /** A text that was not sent comes back, after what is typed. False: no composer can hold it. */
  putBack(text: string): boolean {
    const now = this.draft.peek();
    const inserted = insert(now, "", text);
    if (inserted === undefined) return text === "";
    batch(() => {
      if (this.#recalling.peek() !== undefined) this.type(now.text);
      this.#edit({ draft: inserted.draft });
    });
    return true;
  }

  /** What is in the text area went out, as it was typed. What was typed before an earlier message was brought back is there again. */
  sent(text: string): void {
    const entry = this.#entry.peek();
    batch(() => {
      this.#insertions.value = [];
      this.#edit({ draft: this.#recalling.peek() === undefined ? EMPTY_DRAFT : entry.draft, sent: sentIn(entry, { text, at: Date.now() }) });
      this.#recalling.value = undefined;
    });
  }

  /** The text that is kept beside the draft takes its place, and the draft the other's. */
  swap(): void {
    const { draft, other } = this.#entry.peek();
    if (other === undefined) return;
    batch(() => {
      this.#recalling.value = undefined;
      this.#edit({ draft: other.draft, other: { from: other.from, draft } });
    });
  }

  discardOther(): void {
    this.#edit({ other: undefined });
  }

  /** An earlier message, or the next one after it, stands in the text area. False: there is none. */
  recall(way: "older" | "newer", rows: readonly Row[]): boolean {
    const all = recallable(rows, this.#entry.peek().sent);
    const now = this.#recalling.peek();
    if (way === "newer" && now === undefined) return false;
    const next = way === "older" ? older(all, now) : now && newer(all, now);
    if (way === "older" && next === undefined) return false;
    this.#recalling.value = next;
    return true;
  }

  get isRecalling(): boolean {
    return this.#recalling.peek() !== undefined;
  }

  /** Another tab has written. */
  told(theirs: Entry): void {
    this.#hear(theirs);
  }

  /** This tab may have slept while another one wrote. */
  wake(): void {
    this.#hear(this.#journal.read(this.#sessionId));
  }

  #hear(theirs: Entry | undefined): void {
    if (theirs === undefined) return;
    const mine = this.#entry.peek();
    const next = heard(mine, theirs, this.isTyping());
    if (next === mine) return;
    this.#entry.value = next;
    // Both had edited: what is kept beside the other is nowhere else yet.
    if (!goesOnFrom(theirs, next)) this.#isKept.value = this.#journal.write(this.#sessionId, next);
  }

  #edit(change: Parameters<typeof edited>[3]): void {
    const mine = edited(this.#entry.peek(), this.#tab, Date.now(), change);
    // What another tab wrote a moment ago may not have been told yet: the person did not see it, and did not change it.
    const stored = this.#journal.read(this.#sessionId);
    this.#entry.value = stored === undefined ? mine : heard(mine, stored, true);
    this.#isKept.value = this.#journal.write(this.#sessionId, this.#entry.peek());
    // What was edited is the person's own, also when it happens to read again as it came.
    const { draft } = this.#entry.peek();
    const whole = this.#insertions.peek().filter((one) => withdraw(draft, one) !== undefined);
    if (whole.length < this.#insertions.peek().length) this.#insertions.value = whole;
  }
}

/** What is typed there is kept in the storage alone from here on; where that takes nothing it stays here. */
export function putAway(sessionId: string): void {
  if (desks.get(sessionId)?.isKept.peek() === true) desks.delete(sessionId);
}

/** Texts that wait to be sent in a session of which nothing else may be known any more. */
export function textsIn(sessionId: string): readonly string[] {
  const { draft, other } = desk(sessionId).entry.value;
  return [draft, ...(other === undefined ? [] : [other.draft])].filter((one) => !isBlank(one)).map(contentOf);
}

/** Follow what other tabs of this device write. */
export function followTabs(): void {
  addEventListener("storage", ({ key, newValue }) => {
    const told = journal.told(key, newValue);
    if (told !== undefined) desks.get(told.sessionId)?.told(told.entry);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") for (const one of desks.values()) one.wake();
  });
}

function recalled(recalling: Recalling | undefined): Draft | undefined {
  return recalling && (draftOf(recalling.text) ?? { text: recalling.text, stands: [] });
}
