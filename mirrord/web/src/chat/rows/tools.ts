/** Calls of tools, as one line and as what they change. Pure. Pi's own tools are known by name; any other is summed up by its arguments. */

import { record } from "../../core/reading.ts";

export type ToolKind = "shell" | "read" | "edit" | "write" | "search" | "list" | "web" | "other";

export interface Change {
  readonly added: number;
  readonly removed: number;
}

export interface Call {
  readonly kind: ToolKind;
  /** What it is about, on one line: the command, the path with its lines, the pattern. Empty where nothing can be told. */
  readonly title: string;
  /** Lines that an edit or a new file brings. */
  readonly change?: Change;
}

export interface DiffLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["bash", "shell"],
  ["shell", "shell"],
  ["exec", "shell"],
  ["read", "read"],
  ["edit", "edit"],
  ["multi_edit", "edit"],
  ["write", "write"],
  ["grep", "search"],
  ["find", "search"],
  ["glob", "search"],
  ["search", "search"],
  ["ls", "list"],
  ["web_search", "web"],
  ["web_fetch", "web"],
  ["fetch", "web"],
]);

/** Names of the argument that says most, the best first. */
const TELLING = ["command", "path", "file_path", "pattern", "query", "url", "name", "title", "prompt", "description", "task", "text"] as const;
/** What a line of a screen cannot show anyway. */
const TITLE_UNITS = 300;

type Json = Readonly<Record<string, unknown>>;

/** `args` is JSON text, and may break off anywhere while it is being written. */
export function callOf(name: string, args: string | undefined): Call {
  const kind = KINDS.get(name.toLowerCase()) ?? "other";
  const known = argumentsOf(args);
  const change = changeOf(kind, known);
  return { kind, title: line(titleOf(kind, known)), ...(change === undefined ? {} : { change }) };
}

/** The arguments as an object; of a text that breaks off, those strings that can be read. */
export function argumentsOf(args: string | undefined): Json {
  if (args === undefined || args === "") return {};
  const clean = withUnseenWritten(args);
  try {
    return record(JSON.parse(clean)) ?? {};
  } catch {
    return broken(clean);
  }
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|([bf])|[^])/g;
const SEEN = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\n\r\t]$/u;
/** Begins characters that are tags, which are never seen. */
const TAGS = 0xdb40;

/** The JSON in which characters that nobody sees are shown by their escapes: those would bring back what the daemon took out of the text. */
function withUnseenWritten(json: string): string {
  return json.replace(ESCAPE, (escape, hex?: string, short?: string) => (isSeen(hex, short) ? escape : `\\${escape}`));
}

function isSeen(hex: string | undefined, short: string | undefined): boolean {
  if (hex === undefined) return short === undefined;
  const unit = Number.parseInt(hex, 16);
  return unit >= 0xd800 && unit <= 0xdfff ? unit !== TAGS : SEEN.test(String.fromCharCode(unit));
}

/** An argument as it is shown. Of one that is nested deeper than a program would read, that it is. */
export function writtenOut(value: unknown): string {
  try {
    return typeof value === "string" ? value : JSON.stringify(value);
  } catch {
    // What can be read can be too deep to be written.
    return "(nested too deep to be shown)";
  }
}

const PAIR = /"((?:[^"\\]|\\.){1,80})"\s*:\s*"((?:[^"\\]|\\.)*)/g;

function broken(args: string): Json {
  const found: Record<string, unknown> = Object.create(null);
  for (const [, name, value] of args.slice(0, 4 * TITLE_UNITS).matchAll(PAIR)) {
    if (name !== undefined && !(name in found)) found[name] = unescaped(value ?? "");
  }
  return found;
}

function unescaped(inside: string): string {
  // The last escape may not have come whole.
  const whole = inside.replace(/\\(?:u[\da-fA-F]{0,3})?$/, "");
  try {
    return JSON.parse(`"${whole}"`) as string;
  } catch {
    return whole;
  }
}

function titleOf(kind: ToolKind, args: Json): string {
  const path = text(args["path"]) ?? text(args["file_path"]);
  switch (kind) {
    case "shell":
      return text(args["command"]) ?? "";
    case "read":
      return path === undefined ? "" : `${path}${range(args)}`;
    case "edit":
    case "write":
      return path ?? "";
    case "search": {
      const pattern = text(args["pattern"]) ?? text(args["query"]);
      const where = path ?? text(args["glob"]);
      return [pattern, where].filter((one) => one !== undefined && one !== ".").join(" in ");
    }
    case "list":
      return path ?? ".";
    default:
      return telling(args);
  }
}

function telling(args: Json): string {
  for (const name of TELLING) {
    const value = text(args[name]);
    if (value !== undefined) return value;
  }
  const pairs = Object.entries(args).filter(([, value]) => typeof value !== "object" && value !== "");
  return pairs.map(([name, value]) => `${name}: ${String(value)}`).join(", ");
}

function range({ offset, limit }: Json): string {
  if (typeof offset !== "number") return "";
  return typeof limit === "number" && limit > 0 ? `:${offset}-${offset + limit - 1}` : `:${offset}`;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function line(whole: string): string {
  return whole.slice(0, TITLE_UNITS).replace(/\s+/g, " ").trim();
}

// ---- changes -----------------------------------------------------------------------------------------------------------

function changeOf(kind: ToolKind, args: Json): Change | undefined {
  if (kind !== "edit" && kind !== "write") return undefined;
  const lines = diffOf(kind, args);
  if (lines.length === 0) return undefined;
  return { added: lines.filter(({ sign }) => sign === "+").length, removed: lines.filter(({ sign }) => sign === "-").length };
}

/** The lines that an edit takes out and puts in, each replacement after the other; those of a new file all as put in. */
export function diffOf(kind: ToolKind, args: Json): readonly DiffLine[] {
  if (kind === "write") return linesOf(text(args["content"])).map((one) => ({ sign: "+", text: one }));
  if (kind !== "edit") return [];
  const edits = Array.isArray(args["edits"]) ? args["edits"].map((one) => record(one) ?? {}) : [args];
  return edits.flatMap((edit) => replaced(linesOf(before(edit)), linesOf(after(edit))));
}

function before(edit: Json): string | undefined {
  return text(edit["oldText"]) ?? text(edit["old_string"]);
}

function after(edit: Json): string | undefined {
  return text(edit["newText"]) ?? text(edit["new_string"]);
}

function linesOf(whole: string | undefined): readonly string[] {
  return whole === undefined ? [] : whole.replace(/\n$/, "").split("\n");
}

/** What both begin and end with stays; the rest is taken out and put in. */
function replaced(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const same = (one: string): DiffLine => ({ sign: " ", text: one });
  return [
    ...old.slice(0, head).map(same),
    ...old.slice(head, old.length - tail).map((one): DiffLine => ({ sign: "-", text: one })),
    ...now.slice(head, now.length - tail).map((one): DiffLine => ({ sign: "+", text: one })),
    ...old.slice(old.length - tail).map(same),
  ];
}
