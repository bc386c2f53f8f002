/**
 * Native surfaces of the extension UI contract, as the daemon sends them, and how they are read.
 *
 * Reading never throws and never loses a block: one of a type that this build does not know is kept as it came, one that cannot be read is
 * kept as `unreadable`, so that a screen can say that something is missing here. What is nested deeper than DEEPEST is left out.
 */

import { bool, named, number, oneOf, readable, record, struct, text, unlessFalse, type Read, type Reader } from "./core/reading.ts";

/** The daemon's bound is 6; a reader that recurses without one could be made to overflow the stack. */
const DEEPEST = 12;

export const ROLES = ["primary", "secondary", "muted", "accent", "success", "warning", "danger", "code"] as const;
export const TRAITS = ["bold", "italic", "monospaced", "strikethrough", "underline"] as const;
export const ROW_STATES = ["queued", "running", "success", "warning", "error", "inactive"] as const;
const SIZES = ["small", "medium", "large"] as const;

/** A run of text with one look. */
export interface Span {
  readonly text: string;
  readonly role?: (typeof ROLES)[number];
  readonly traits?: readonly (typeof TRAITS)[number][];
  readonly link?: string;
}

export type Line = readonly Span[];
export type RowState = (typeof ROW_STATES)[number];

export interface ActivityRow {
  readonly id?: string;
  readonly title: string;
  readonly subtitle?: string;
  readonly detail?: string;
  readonly state?: RowState;
  /** 0 to 1. */
  readonly progress?: number;
  readonly link?: string;
  readonly children?: readonly ActivityRow[];
}

interface Base {
  readonly id?: string;
  readonly accessibility?: { readonly label?: string; readonly value?: string; readonly hint?: string };
}

export interface TerminalBlock extends Base {
  readonly type: "terminal";
  readonly lines: readonly Line[];
  /** The width at which the lines were drawn; absent where they have no width of their own. */
  readonly columns?: number;
  /** Where Pi's cursor stands: a row from 0, and the code points of its text before it. */
  readonly caret?: { readonly row: number; readonly column: number };
}

export interface SectionBlock extends Base {
  readonly type: "section";
  readonly title?: string;
  readonly subtitle?: string;
  readonly blocks: readonly Block[];
}

/** A block that this build can draw. */
export type KnownBlock =
  | (Base & { readonly type: "text"; readonly spans: readonly Span[] })
  | (Base & { readonly type: "markdown"; readonly markdown: string })
  | SectionBlock
  | (Base & { readonly type: "activityList"; readonly rows: readonly ActivityRow[] })
  | (Base & { readonly type: "progress"; readonly label?: string; readonly value?: number; readonly indeterminate?: boolean })
  | TerminalBlock
  | (Base & { readonly type: "code"; readonly language?: string; readonly text: string })
  | (Base & { readonly type: "divider" })
  | (Base & { readonly type: "spacer"; readonly size?: (typeof SIZES)[number] });

/** A block of a later contract, as it came, or one that could not be read. */
export interface LaterBlock extends Base {
  readonly type: string;
}

export type Block = KnownBlock | LaterBlock;

export interface NativeSurface {
  readonly version: 1;
  readonly id: string;
  readonly source?: string;
  readonly presentation?: { readonly style?: string; readonly title?: string; readonly subtitle?: string };
  readonly blocks: readonly Block[];
  readonly fallback?: { readonly text?: string; readonly lines?: readonly string[] };
}

const TYPES: ReadonlySet<string> = new Set<KnownBlock["type"]>([
  "text",
  "markdown",
  "section",
  "activityList",
  "progress",
  "terminal",
  "code",
  "divider",
  "spacer",
]);

export function isKnown(block: Block): block is KnownBlock {
  return TYPES.has(block.type);
}

// ---- readers -----------------------------------------------------------------------------------------------------------

const UNREADABLE: LaterBlock = { type: "unreadable" };

const base = { id: text, accessibility: struct({}, { label: text, value: text, hint: text }) };
const span: Reader<Span> = struct({ text }, { role: oneOf(ROLES), traits: readable(oneOf(TRAITS)), link: text });
export const line = readable(span);
const finite: Reader<number> = (raw) => (Number.isFinite(raw) ? (raw as number) : undefined);
const count: Reader<number> = (raw) => (Number.isSafeInteger(raw) && (raw as number) >= 0 ? (raw as number) : undefined);

export const caret = struct({ row: count, column: count }, {});

const rowFields = { id: text, subtitle: text, detail: text, state: oneOf(ROW_STATES), progress: finite, link: text };
const row = nested<ActivityRow>((inner) => struct({ title: text }, { ...rowFields, children: readable(inner) }));

const flat: ReadonlyMap<string, Reader<Block>> = new Map<string, Reader<Block>>([
  ["text", struct({ type: text, spans: readable(span) }, base)],
  ["markdown", struct({ type: text, markdown: text }, base)],
  ["activityList", struct({ type: text, rows: readable(row) }, base)],
  ["progress", struct({ type: text }, { ...base, label: text, value: finite, indeterminate: bool })],
  ["terminal", struct({ type: text, lines: readable(line) }, { ...base, columns: count, caret })],
  ["code", struct({ type: text, text }, { ...base, language: text })],
  ["divider", struct({ type: text }, base)],
  ["spacer", struct({ type: text }, { ...base, size: oneOf(SIZES) })],
]);

const block = nested<Block>((inner) => {
  const section = struct({ type: text, blocks: readable(inner) }, { ...base, title: text, subtitle: text });
  return (raw) => {
    const found = record(raw);
    if (found === undefined || typeof found["type"] !== "string") return UNREADABLE;
    const { type } = found;
    if (!TYPES.has(type)) return found as unknown as LaterBlock;
    return (type === "section" ? section : flat.get(type))?.(found) ?? UNREADABLE;
  };
});

/** A surface of version 1. A later version is not read: what goes with it as plain lines is shown instead. */
export const nativeSurface: Reader<NativeSurface> = struct(
  { version: (raw: unknown): 1 | undefined => (raw === 1 ? 1 : undefined), id: text, blocks: readable(block) },
  {
    source: text,
    presentation: struct({}, { style: text, title: text, subtitle: text }),
    fallback: struct({}, { text, lines: readable(text) }),
  },
);

/** A reader of what holds others of its kind, DEEPEST deep. */
function nested<T>(make: (inner: Reader<T>) => Reader<T>): Reader<T> {
  let reader: Reader<T> = () => undefined;
  for (let depth = 0; depth < DEEPEST; depth += 1) reader = make(reader);
  return reader;
}

// ---- what goes with them -----------------------------------------------------------------------------------------------

export const truncation = struct({ field: text, shown: number, total: number }, {});
/** A text or list that was cut: `shown` of `total`, in bytes, clusters or items as the field has it. */
export type Truncation = Read<typeof truncation>;

export const placement = named(["aboveEditor", "belowEditor"], "aboveEditor");
export type Placement = Read<typeof placement>;

/** What is drawn, natively and as plain lines, where it comes from and what of it was cut. */
export const drawn = { nativeSurface, widgetLines: readable(text), source: text, truncated: readable(truncation) };

export const region = struct({}, drawn);
/** Pi's header or footer, as an extension draws it. */
export type Region = Read<typeof region>;

export const widget = struct({ key: text }, { ...drawn, placement });
/** One widget of a session. */
export type Widget = Read<typeof widget>;

export const customView = struct({ requestId: text }, { ...drawn, overlay: bool, typing: bool });
/** What a dialog of its extension's own draws. `typing`: it shows what a person types, so an observer gets it without lines. */
export type CustomView = Read<typeof customView>;

const pill = struct(
  { id: text, kind: oneOf(["widget", "status"]), key: text, label: text },
  { status: text, source: text },
);
/** One pill of a strip: a widget, with the status that is attached to it, or a status of its own. */
export type Pill = Read<typeof pill>;

export const pills = readable(pill);

/** The pills beside the composer, as the daemon computes them. */
export const strips = struct({}, { above: pills, below: pills });

export const indicator = struct({ frames: readable(text) }, { intervalMs: number });
/** How the working row moves; no frames: not at all. */
export type Indicator = Read<typeof indicator>;

export const workingRow = struct({}, { message: text, visible: unlessFalse, indicator });
/** What an extension made of the working row; what is absent is as Pi has it. */
export type WorkingRow = Read<typeof workingRow>;
