/**
 * Markdown as a tree of what this page draws. `marked` finds the structure; no HTML is ever made of it: markup inside a text is text, an
 * image is a link to it, and a link is followed only where `links.ts` allows it. Never throws: what cannot be taken apart is one text.
 */

import { Lexer, type MarkedToken, type Token, type Tokens, type TokensList } from "marked";

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis" | "struck"; readonly inside: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly inside: readonly Inline[] }
  | { readonly kind: "break" };

export interface Item {
  /** Of a task. */
  readonly isDone?: boolean;
  readonly parts: readonly Part[];
}

export interface Cell {
  readonly align?: "left" | "center" | "right";
  readonly inside: readonly Inline[];
}

export type Part =
  | { readonly kind: "paragraph"; readonly inside: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly inside: readonly Inline[] }
  | { readonly kind: "quote"; readonly parts: readonly Part[] }
  /** `first`: of a numbered one. */
  | { readonly kind: "list"; readonly first?: number; readonly items: readonly Item[] }
  | { readonly kind: "code"; readonly language?: string; readonly text: string }
  | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" };

/** What is nested deeper is shown as it is written: nobody reads it, and each level costs stack. */
const DEEPEST = 16;

/**
 * Finding what is emphasised takes the lexer as long as the number of marks times the length of the text that they stand in. So much of it
 * is a tenth of a second at worst, and more than any paragraph that somebody reads: sixteen thousand characters may have five hundred marks.
 */
const WORK = 8_000_000;
/** Of all paragraphs of a text together. */
const WORK_IN_ALL = 5 * WORK;
const MARK = /[*_~`<[\]!&\\:@]/g;

/** What is beyond its bounds stays as it is written, so that a text that was made to be slow is not. */
class BoundedLexer extends Lexer {
  #left = WORK_IN_ALL;
  #depth = 0;

  constructor() {
    super({ gfm: true });
  }

  /** Each level of quotes and lists reads the rest of the text again. */
  override blockTokens(text: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(text: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(text: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    if (this.#depth > DEEPEST) {
      tokens.push({ type: "text", raw: text, text });
      return tokens;
    }
    this.#depth += 1;
    try {
      return super.blockTokens(text, tokens, isClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    const work = text.length * (text.match(MARK)?.length ?? 0);
    if (work > Math.min(WORK, this.#left)) {
      tokens.push({ type: "text", raw: text, text });
      return tokens;
    }
    this.#left -= work;
    return super.inlineTokens(text, tokens);
  }
}

export function parse(markdown: string): readonly Part[] {
  return blocks(markdown, 0).blocks.flatMap((block) => block.parts);
}

/** A piece of a text at its highest level. The same object for as long as it reads the same. */
export interface Block {
  /** Of its first character and behind its last one, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

/** A text that grows, as it was taken apart last. */
export interface Grown {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/**
 * The blocks of a text that may go on. Where it goes on from `before`, only the last block is read again: nothing that follows changes
 * those before it, except a definition of a link, which counts once the text `isWhole`.
 */
export function grow(before: Grown | undefined, markdown: string, isWhole: boolean): Grown {
  const text = markdown.replace(/\r\n?/g, "\n");
  const goesOn = before !== undefined && text.startsWith(before.text);
  if (goesOn && !isWhole) {
    const last = before.blocks.at(-1);
    if (last !== undefined) return { text, blocks: [...before.blocks.slice(0, -1), ...blocks(text, last.start).blocks] };
  }
  const read = blocks(text, 0);
  if (!goesOn || read.defines) return { text, blocks: read.blocks };
  const had = new Map(before.blocks.map((block) => [`${block.start} ${block.end}`, block]));
  return { text, blocks: read.blocks.map((block) => had.get(`${block.start} ${block.end}`) ?? block) };
}

function blocks(text: string, from: number): { readonly blocks: readonly Block[]; readonly defines: boolean } {
  const rest = text.slice(from);
  try {
    const tokens = new BoundedLexer().lex(rest);
    const found: Block[] = [];
    let at = from;
    for (const token of tokens) {
      const end = at + token.raw.length;
      if (token.type !== "space") found.push({ start: at, end, parts: part(token as MarkedToken, DEEPEST) });
      at = end;
    }
    return { blocks: found, defines: Object.keys(tokens.links).length > 0 };
  } catch {
    // Whatever the lexer meets, the text can be read.
    return { blocks: [{ start: from, end: text.length, parts: [{ kind: "paragraph", inside: [{ kind: "text", text: rest }] }] }], defines: false };
  }
}

function parts(tokens: readonly Token[], depth: number): readonly Part[] {
  return tokens.flatMap((token) => part(token as MarkedToken, depth));
}

function part(token: MarkedToken, depth: number): readonly Part[] {
  if (depth === 0) return [{ kind: "paragraph", inside: [{ kind: "text", text: token.raw }] }];
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return [{ kind: "heading", level: token.depth, inside: inlines(token.tokens, depth - 1) }];
    case "blockquote":
      return [{ kind: "quote", parts: parts(token.tokens, depth - 1) }];
    case "list":
      return [list(token, depth - 1)];
    case "code":
      return [{ kind: "code", text: token.text, ...(token.lang ? { language: token.lang } : {}) }];
    case "hr":
      return [{ kind: "rule" }];
    case "table":
      return [{ kind: "table", head: cells(token.header, depth), rows: token.rows.map((row) => cells(row, depth)) }];
    case "paragraph":
    case "text":
      return [{ kind: "paragraph", inside: token.tokens === undefined ? said(token.text) : inlines(token.tokens, depth - 1) }];
    default:
      return [{ kind: "paragraph", inside: inline(token, depth) }];
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): Part {
  return {
    kind: "list",
    ...(ordered ? { first: typeof start === "number" ? start : 1 } : {}),
    items: items.map(({ task, checked, tokens }) => ({ ...(task ? { isDone: checked === true } : {}), parts: parts(tokens, depth) })),
  };
}

function cells(row: readonly Tokens.TableCell[], depth: number): readonly Cell[] {
  return row.map(({ align, tokens }) => ({ ...(align === null ? {} : { align }), inside: inlines(tokens, depth - 1) }));
}

function inlines(tokens: readonly Token[], depth: number): readonly Inline[] {
  return tokens.flatMap((token) => inline(token as MarkedToken, depth));
}

function inline(token: MarkedToken, depth: number): readonly Inline[] {
  if (depth <= 0) return [{ kind: "text", text: token.raw }];
  switch (token.type) {
    case "strong":
      return [{ kind: "strong", inside: inlines(token.tokens, depth - 1) }];
    case "em":
      return [{ kind: "emphasis", inside: inlines(token.tokens, depth - 1) }];
    case "del":
      return [{ kind: "struck", inside: inlines(token.tokens, depth - 1) }];
    case "link":
      return [{ kind: "link", href: token.href, inside: inlines(token.tokens, depth - 1) }];
    case "image":
      return [{ kind: "link", href: token.href, inside: said(token.text === "" ? "image" : token.text) }];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return [{ kind: "break" }];
    case "checkbox":
      return [];
    case "html":
      // The one piece of markup that tables need.
      return /^<br\s*\/?>$/i.test(token.text) ? [{ kind: "break" }] : [{ kind: "text", text: token.text }];
    case "text":
      // As it was written: the lexer turns numbers of characters into what the daemon took out, such as a turn of direction.
      return token.tokens === undefined ? said(token.raw) : inlines(token.tokens, depth - 1);
    case "escape":
      return [{ kind: "text", text: token.text }];
    default:
      return [{ kind: "text", text: token.raw }];
  }
}

const NAMES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g;
const SEEN = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

/** A text with the characters that its entities stand for, where these can be seen; the others stay as they are written. */
function said(text: string): readonly Inline[] {
  const shown = text.replace(ENTITY, (entity, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return NAMES[name] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(decimal, 10);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : "";
    return SEEN.test(character) ? character : entity;
  });
  return [{ kind: "text", text: shown }];
}
