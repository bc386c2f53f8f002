/**
 * Paths of files in what Pi and people write: `src/app.ts:12`, `./run.sh`, `/etc/hosts`. Pure, and it touches no file: what has the
 * shape of a path is one. It would rather miss one than take a word for one, and an address of the web is never one.
 */

export interface FoundPath {
  readonly path: string;
  /** `12`, `12:5` or `12-20`, as it was written. */
  readonly line?: string;
}

/** A text with its paths: texts and paths in turn, which together say what it said. */
export type Piece = { readonly text: string; readonly found?: FoundPath };

/** What a name without a folder must end in to be taken for a file. */
const KNOWN = new Set(
  (
    "bash c cc cfg conf cpp cs css csv diff env fish go gradle graphql h hpp html ini ipynb java js json jsonl jsx kt lock log lua md mdx mjs cjs mts cts " +
    "patch php pl png jpg jpeg svg gif webp pdf proto ps1 py pyi r rb rs rst scala scss sh sql swift toml ts tsx txt vue svelte wasm xml yaml yml zig zsh"
  ).split(" "),
);

const SEGMENT = "[\\p{L}\\p{N}_@.+\\-]+";
/** Nothing before it that it could be a part of; a place in the file after it. Each alternative takes another character: linear. */
const CANDIDATE = new RegExp(
  `(?<![\\p{L}\\p{N}_@.+\\-/~:\\\\#])(?:~/|\\.{1,2}/|/)?${SEGMENT}(?:/${SEGMENT})*/?(?::(\\d+(?::\\d+)?(?:-\\d+)?)|#L(\\d+(?:-\\d+)?))?`,
  "gu",
);
const EXPLICIT = /^(?:~\/|\.{1,2}\/|\/)/;
const EXTENSION = /[\p{L}\p{N}_)\]]\.([A-Za-z][A-Za-z0-9]{0,9})$/u;
const HOST = /^[^.].*\.[A-Za-z]{2,}$/;
/** Libraries and languages are called like files. */
const CALLED_JS = /^\p{Lu}[\p{L}\p{N}]*\.js$/u;
/** No path is so long, and a text of a megabyte without a space is none. */
const LONGEST = 400;

/** `isCode`: it stands in code or output, where a folder alone is a path too. */
export function piecesOf(text: string, isCode = false): readonly Piece[] {
  if (!text.includes("/") && !text.includes(".")) return [{ text }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(CANDIDATE)) {
    const found = judge(match, text, isCode);
    if (found === undefined) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    from = match.index + found.length;
    pieces.push({ text: text.slice(match.index, from), found: found.path });
  }
  if (from < text.length || pieces.length === 0) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** Each path that is drawn is an element with a button's work: of a listing of thousands, the first ones have to do. */
const MOST_PATHS = 60;

/** The pieces with the first paths only; what follows them is one text. */
export function fewer(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.length <= 2 * MOST_PATHS) return pieces;
  const rest = pieces.slice(2 * MOST_PATHS);
  return [...pieces.slice(0, 2 * MOST_PATHS), { text: rest.map(({ text }) => text).join("") }];
}

/** The path that a whole text is, if it is one. */
export function pathOf(text: string): FoundPath | undefined {
  const [only, ...others] = piecesOf(text, true);
  return others.length === 0 ? only?.found : undefined;
}

/** `path:line`, as editors take it. */
export function written({ path, line }: FoundPath): string {
  return line === undefined ? path : `${path}:${line}`;
}

function judge(match: RegExpMatchArray, text: string, isCode: boolean): { path: FoundPath; length: number } | undefined {
  const [whole, colon, hash] = match;
  if (whole.length > LONGEST) return undefined;
  const line = colon ?? hash;
  const end = (match.index ?? 0) + whole.length;
  // The dot that ends a sentence is none of its name.
  const bare = line === undefined ? whole.replace(/[.\-+]+$/, "") : whole.slice(0, whole.search(/(?::\d[\d:-]*|#L\d[\d-]*)$/));
  const length = line === undefined ? bare.length : whole.length;
  const next = text.slice(end, end + 3);
  if (next === "://" || (line === undefined && bare.length === whole.length && /^[(*=?]/.test(next))) return undefined;
  return isPath(bare, line !== undefined, isCode) ? { path: { path: bare, ...(line === undefined ? {} : { line }) }, length } : undefined;
}

function isPath(bare: string, hasLine: boolean, isCode: boolean): boolean {
  const isExplicit = EXPLICIT.test(bare);
  const segments = bare.replace(EXPLICIT, "").split("/").filter(Boolean);
  const [first = "", last = ""] = [segments[0], segments.at(-1)];
  if (first === "" || !/\p{L}/u.test(bare) || /.@/.test(first)) return false;
  const extension = EXTENSION.exec(last)?.[1];
  const isKnown = extension !== undefined && KNOWN.has(extension.toLowerCase());
  // A slash alone before one word is a command of Pi's.
  if (isExplicit) return segments.length > 1 || isKnown || !bare.startsWith("/");
  if (segments.length === 1 && !bare.endsWith("/")) return isKnown && (hasLine || isCode || !CALLED_JS.test(bare));
  if (HOST.test(first) && segments.length > 1) return false;
  if (isKnown || (extension !== undefined && extension === extension.toLowerCase() && extension.length <= 5)) return true;
  return isCode && (hasLine || segments.length > 2 || bare.endsWith("/"));
}
