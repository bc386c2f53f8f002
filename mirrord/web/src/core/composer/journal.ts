/**
 * What is typed and not sent yet, by session, in the browser's storage: it outlives a reload, a crash and a lost link. All tabs of a device
 * share one journal. Each entry says which edits it knows of, so that two tabs that edited at the same time are told from one that went on
 * where the other stopped; then both texts are kept.
 */

import { list, literal, number, oneOf, record, struct, text, type Reader } from "../reading.ts";
import { attempt, keysOf, type Shelf } from "../shelf.ts";
import { contentOf, draftOf, EMPTY_DRAFT, isBlank, type Draft } from "./draft.ts";

/** A text that is kept beside the draft: another tab's, or what was typed before an earlier message was brought back and changed. */
export interface Other {
  readonly from: "tab" | "recall";
  readonly draft: Draft;
}

export interface Sent {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Entry {
  readonly draft: Draft;
  readonly other?: Other;
  /** Hand-offs that are in the draft or were, by id: none comes twice, to whichever tab. */
  readonly handed: readonly string[];
  /** What was sent from here, newest last. */
  readonly sent: readonly Sent[];
  /** Tab → how many of its edits are in this; the one that edited last is the last. */
  readonly edits: Readonly<Record<string, number>>;
  /** Of the last edit. Milliseconds since the epoch. */
  readonly at: number;
}

export const NEW_ENTRY: Entry = { draft: EMPTY_DRAFT, handed: [], sent: [], edits: {}, at: 0 };

const VERSION = "1";
const PREFIX = "mirrord.composer.";
/** Sessions whose entries are kept; those that were edited longest ago go first. */
export const ENTRIES = 32;
/** Ids of hand-offs: as many as the daemon can have on the way, several times over. */
const HANDED = 64;
/** Sent texts that can be brought back, and of how many characters; longer ones come back from the conversation. */
const SENT = 20;
const SENT_CHARS = 4_096;
/** Tabs that an entry in the storage names, those that edited last: each load of the page is another one, of some 20 characters. */
export const TABS = 256;

// ---- edits -------------------------------------------------------------------------------------------------------------

/** The entry after an edit of `tab`. */
export function edited(entry: Entry, tab: string, at: number, change: Partial<Pick<Entry, "draft" | "handed" | "sent">> & { other?: Other | undefined }): Entry {
  const { [tab]: count = 0, ...others } = entry.edits;
  const { other: before, ...rest } = entry;
  const { other = "other" in change ? undefined : before, ...changed } = change;
  return {
    ...rest,
    ...changed,
    ...(other !== undefined && !isBlank(other.draft) && { other }),
    edits: { ...others, [tab]: count + 1 },
    at,
  };
}

/** The entry after `text` was sent; what is kept from Pi's context is not noted here either. */
export function sentIn(entry: Entry, sent: Sent): readonly Sent[] {
  if (sent.text.startsWith("!!") || sent.text.length > SENT_CHARS) return entry.sent;
  return [...entry.sent.filter(({ text }) => text !== sent.text), sent].slice(-SENT);
}

export function handedIn(entry: Entry, id: string): readonly string[] {
  return [...entry.handed, id].slice(-HANDED);
}

/**
 * What a tab has after it hears of another's entry. One that knows of all our edits counts; else both edited, and the text that a person is
 * at stays where it is: ours while `isTyping`, or the one that was edited last.
 */
export function heard(mine: Entry, theirs: Entry, isTyping: boolean): Entry {
  if (knows(mine, theirs)) return mine;
  if (goesOnFrom(theirs, mine)) return { ...theirs, edits: { ...unnamed(mine.edits, theirs.edits), ...theirs.edits } };
  const isOurs = isTyping || mine.at > theirs.at;
  const [first, second] = isOurs ? [mine, theirs] : [theirs, mine];
  const draft = isBlank(first.draft) && !isTyping ? second.draft : first.draft;
  const beside = [first.other, second.other, draft === second.draft ? undefined : ({ from: "tab", draft: second.draft } as const)];
  const other = beside.reduce<Other | undefined>((all, one) => joined(all, one, draft), undefined);
  return {
    draft,
    ...(other !== undefined && { other }),
    handed: [...new Set([...second.handed, ...first.handed])].slice(-HANDED),
    sent: [...second.sent.filter(({ text }) => first.sent.every((one) => one.text !== text)), ...first.sent].sort((one, next) => one.at - next.at).slice(-SENT),
    edits: newest(mine.edits, theirs.edits),
    at: Math.max(mine.at, theirs.at),
  };
}

/** Whether all edits that are in `theirs` are in `mine`. In memory nothing that was ever heard of is forgotten. */
function knows(mine: Entry, theirs: Entry): boolean {
  return Object.entries(theirs.edits).every(([tab, count]) => (mine.edits[tab] ?? 0) >= count);
}

/**
 * Whether all edits that are in `mine` are in `theirs`, which was in the storage. Where that names as many tabs as it can, those before one
 * that it names are taken to be in it. What came after all that it names, such as what was just typed here, is not.
 */
export function goesOnFrom(theirs: Entry, mine: Entry): boolean {
  const edits = Object.entries(mine.edits);
  const isNamed = edits.map(([tab, count]) => (theirs.edits[tab] ?? 0) >= count);
  const last = Object.keys(theirs.edits).length < TABS ? -1 : isNamed.lastIndexOf(true);
  return edits.every(([tab], place) => isNamed[place] || (place < last && theirs.edits[tab] === undefined));
}

/** The last edits of both are last, and ours after theirs: what the storage has no room for is of the beginning. */
function newest(mine: Entry["edits"], theirs: Entry["edits"]): Entry["edits"] {
  const [here, there] = [ages(mine), ages(theirs)];
  const age = (tab: string): number => Math.min(here.get(tab) ?? Infinity, there.get(tab) ?? Infinity);
  const tabs = [...Object.keys(unnamed(theirs, mine)), ...Object.keys(mine)].sort((one, other) => age(other) - age(one));
  return Object.fromEntries(tabs.map((tab) => [tab, Math.max(mine[tab] ?? 0, theirs[tab] ?? 0)]));
}

/** By tab, how many others edited after it. */
function ages(edits: Entry["edits"]): ReadonlyMap<string, number> {
  return new Map(Object.keys(edits).reverse().map((tab, age) => [tab, age]));
}

/** Those of `edits` whose tabs are not in `others`. */
function unnamed(edits: Entry["edits"], others: Entry["edits"]): Entry["edits"] {
  return Object.fromEntries(Object.entries(edits).filter(([tab]) => others[tab] === undefined));
}

/** Nothing that was typed is lost: a second text beside the draft comes after the first. */
export function joined(all: Other | undefined, one: Other | undefined, draft: Draft): Other | undefined {
  if (one === undefined || isBlank(one.draft) || contentOf(one.draft) === contentOf(draft)) return all;
  if (all === undefined) return one;
  const [before, after] = [contentOf(all.draft), contentOf(one.draft)];
  if (before.includes(after)) return all;
  const both = `${before}\n\n${after}`;
  return { from: one.from, draft: draftOf(both) ?? { text: both, stands: [] } };
}

// ---- storage -----------------------------------------------------------------------------------------------------------

const readDraft: Reader<Draft> = struct({ text, stands: list(pair) }, {});
const readOther: Reader<Other> = struct({ from: oneOf(["tab", "recall"]), draft: readDraft }, {});
const readEntry: Reader<Entry> = struct(
  { draft: readDraft, handed: list(text), sent: list(struct({ text, at: number }, {})), edits: counts, at: number },
  { other: readOther },
);
const readKept = struct({ version: literal(VERSION), entry: readEntry }, {});

export class Journal {
  readonly #shelf: Shelf | undefined;

  constructor(shelf: Shelf | undefined) {
    this.#shelf = shelf;
  }

  read(sessionId: string): Entry | undefined {
    return parse(attempt(() => this.#shelf?.getItem(PREFIX + sessionId)));
  }

  /** Whether it is kept: storage that is full or forbidden takes nothing. */
  write(sessionId: string, entry: Entry): boolean {
    const kept = attempt(() => {
      if (this.#shelf === undefined) return false;
      const edits = Object.fromEntries(Object.entries(entry.edits).slice(-TABS));
      this.#shelf.setItem(PREFIX + sessionId, JSON.stringify({ version: VERSION, entry: { ...entry, edits } }));
      return true;
    });
    if (kept === true) this.#prune();
    return kept === true;
  }

  /** The session and the entry that a storage event tells of; undefined where it tells of something else. */
  told(key: string | null, value: string | null): { readonly sessionId: string; readonly entry: Entry } | undefined {
    if (key === null || !key.startsWith(PREFIX)) return undefined;
    const entry = parse(value);
    return entry && { sessionId: key.slice(PREFIX.length), entry };
  }

  #prune(): void {
    const shelf = this.#shelf;
    if (shelf === undefined) return;
    const keys = keysOf(shelf, PREFIX);
    if (keys.length <= ENTRIES) return;
    // Those that hold nothing go before those that hold a text.
    const age = (key: string): number => {
      const entry = parse(attempt(() => shelf.getItem(key)));
      return entry === undefined ? -2 : isBlank(entry.draft) && entry.other === undefined ? -1 / (1 + entry.at) : entry.at;
    };
    const oldest = keys.map((key) => ({ key, age: age(key) })).sort((one, other) => one.age - other.age);
    for (const { key } of oldest.slice(0, keys.length - ENTRIES)) attempt(() => shelf.removeItem(key));
  }
}

function parse(json: string | null | undefined): Entry | undefined {
  return readKept(attempt(() => JSON.parse(json ?? "") as unknown))?.entry;
}

function pair(raw: unknown): readonly [string, string] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const [one, other] = raw.map(text);
  return one === undefined || other === undefined ? undefined : [one, other];
}

function counts(raw: unknown): Readonly<Record<string, number>> | undefined {
  const found = record(raw);
  if (found === undefined) return undefined;
  const read = Object.entries(found).map(([tab, count]) => [tab, number(count)] as const);
  return Object.fromEntries(read.filter((one): one is [string, number] => one[1] !== undefined));
}
