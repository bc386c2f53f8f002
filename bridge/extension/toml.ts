// The part of TOML that config.toml needs here: keys of the root table whose values are booleans, strings or arrays of strings.
// It reads every TOML document up to the first table header, or throws: what stands behind a value that it cannot read is unknown.

export type Value = boolean | string | Value[] | Other;

/** A value of a kind that nobody here asks for. */
export class Other {}

export class TomlError extends Error {}

const BARE_KEY = /[A-Za-z0-9_-]+/y;
const SCALAR = /[A-Za-z0-9_+.:-]+(?: \d{2}:[0-9:.]+(?:Z|[+-]\d{2}:\d{2})?)?/y;
const SPACE = /[ \t]*/y;
const COMMENT = /#[^\n\r\x00-\x08\x0b-\x1f\x7f]*/y;
const NEWLINE = /\r?\n/y;
const NOT_IN_LINE = /[\x00-\x08\x0a-\x1f\x7f]/;
const NOT_IN_TEXT = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/;
const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

/** The keys of the root table. A dotted key counts as its first part, with a value of another kind. */
export function rootKeys(document: string): Map<string, Value> {
  const reader = new Reader(document);
  const found = new Map<string, Value>();
  for (;;) {
    reader.blank();
    if (reader.ended || reader.peek("[")) return found;
    const path = reader.key();
    reader.expect("=");
    const value = reader.value(0);
    reader.endOfLine();
    const [name = ""] = path;
    const before = found.get(name);
    if (before !== undefined && !(path.length > 1 && before instanceof Other)) throw new TomlError(`${name} is there twice`);
    found.set(name, path.length > 1 ? new Other() : value);
  }
}

const DEPTH = 32;

class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  peek(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  expect(token: string): void {
    this.match(SPACE);
    if (!this.peek(token)) throw this.wrong(`expected ${token}`);
    this.at += token.length;
    this.match(SPACE);
  }

  /** Skips spaces, comments and line ends. */
  blank(): void {
    let before = -1;
    while (before !== this.at) {
      before = this.at;
      this.match(SPACE);
      this.match(COMMENT);
      this.match(NEWLINE);
    }
  }

  endOfLine(): void {
    this.match(SPACE);
    this.match(COMMENT);
    if (!this.ended && this.match(NEWLINE) === undefined) throw this.wrong("expected the end of the line");
  }

  key(): string[] {
    const path = [];
    do {
      if (path.length > 0) this.expect(".");
      path.push(this.keyPart());
      this.match(SPACE);
    } while (this.peek("."));
    return path;
  }

  value(depth: number): Value {
    if (depth > DEPTH) throw this.wrong("nested too deep");
    if (this.peek('"') || this.peek("'")) return this.string();
    if (this.peek("[")) return this.array(depth);
    if (this.peek("{")) return this.table(depth);
    const scalar = this.match(SCALAR);
    if (scalar === undefined) throw this.wrong("expected a value");
    if (scalar === "true" || scalar === "false") return scalar === "true";
    if (!/^[+-]?(?:\d|inf$|nan$)/.test(scalar)) throw this.wrong(`${scalar} is no value`);
    return new Other();
  }

  private keyPart(): string {
    if (this.peek('"""') || this.peek("'''")) throw this.wrong("a key on several lines");
    if (this.peek('"') || this.peek("'")) return this.string();
    const bare = this.match(BARE_KEY);
    if (bare === undefined) throw this.wrong("expected a key");
    return bare;
  }

  private array(depth: number): Value[] {
    this.expect("[");
    const items: Value[] = [];
    for (;;) {
      this.blank();
      if (this.peek("]")) break;
      items.push(this.value(depth + 1));
      this.blank();
      if (!this.peek("]")) this.expect(",");
    }
    this.at += 1;
    return items;
  }

  private table(depth: number): Other {
    this.expect("{");
    while (!this.peek("}")) {
      this.key();
      this.expect("=");
      this.value(depth + 1);
      this.match(SPACE);
      if (this.peek("}")) break;
      this.expect(",");
      if (this.peek("}")) throw this.wrong("expected a key");
    }
    this.at += 1;
    return new Other();
  }

  private string(): string {
    const quote = this.text.charAt(this.at);
    const fence = this.peek(quote.repeat(3)) ? quote.repeat(3) : quote;
    this.at += fence.length;
    if (fence.length === 3) this.match(NEWLINE);
    const from = this.at;
    const raw = this.upTo(fence);
    if ((fence.length === 3 ? NOT_IN_TEXT : NOT_IN_LINE).test(raw)) {
      this.at = from;
      throw this.wrong("a control character in a string");
    }
    return quote === "'" ? raw : this.unescaped(raw, fence.length === 3);
  }

  /** What stands before `fence`, which is passed. A closing fence of three may follow up to two quotes of its kind. */
  private upTo(fence: string): string {
    const from = this.at;
    while (!this.ended) {
      if (this.peek(fence)) {
        for (let more = 0; more < fence.length - 1 && this.text.charAt(this.at + fence.length) === fence[0]; more += 1) this.at += 1;
        const raw = this.text.slice(from, this.at);
        this.at += fence.length;
        return raw;
      }
      this.at += fence.startsWith('"') && this.peek("\\") ? 2 : 1;
    }
    throw this.wrong("a string without an end");
  }

  private unescaped(raw: string, manyLines: boolean): string {
    return raw.replace(/\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[ \t]*\r?\n\s*|[^])/g, (_whole, escape: string) => {
      if (/^[uU]./.test(escape)) return this.character(Number.parseInt(escape.slice(1), 16));
      if (manyLines && /^[ \t]*\r?\n/.test(escape)) return "";
      const plain = ESCAPES[escape];
      if (plain === undefined) throw this.wrong(`\\${escape} is no escape`);
      return plain;
    });
  }

  private character(code: number): string {
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw this.wrong("an escape that is no character");
    return String.fromCodePoint(code);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private wrong(what: string): TomlError {
    return new TomlError(`line ${this.text.slice(0, this.at).split("\n").length}: ${what}`);
  }
}
