/**
 * Content in a text area, whole and lossless.
 *
 * A text area turns every line end into LF and shows control, invisible and direction characters as nothing. So each character that
 * cannot be shown stands in the text area as a visible one that the content does not hold itself, and goes back as what it was. A
 * content whose line ends are all CRLF (or all CR) keeps them, also for lines that are typed in.
 */

/** One character that cannot be shown, and what stands for it. */
export interface Mark {
  readonly shown: string;
  readonly stands: string;
  /** `U+001B ESC` */
  readonly name: string;
  readonly count: number;
}

/** A content as it is shown. `restore(shown)` is the content again, and so is every edit of it. */
export interface Marked {
  readonly shown: string;
  readonly marks: readonly Mark[];
  readonly lineEnd: "\n" | "\r\n" | "\r";
  restore(text: string): string;
}

// Nothing of these is seen: controls except tab and LF, formats (direction, joiners, tags), separators that break lines, fillers that
// are letters only by name, variation selectors past the two that choose between text and emoji, and broken halves of characters.
const UNSHOWN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u115f\u1160\u17b4\u17b5\u2028\u2029\u2800\u3164\uffa0\u{e0100}-\u{e01ef}]|\p{Cf}|\p{Surrogate}|\p{Noncharacter_Code_Point}/gu;
// A joiner between letters, and one inside an emoji, can be seen by what it does; so can the tags of the three flags that have any.
const SEEN_BY_EFFECT =
  /(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])|(?<=[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})|(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;

const NAMES: Readonly<Record<number, string>> = {
  0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x0b: "VT", 0x0c: "FF", 0x0d: "CR", 0x1b: "ESC", 0x7f: "DEL", 0x85: "NEL",
  0xad: "soft hyphen", 0x200b: "zero width space", 0x200c: "zero width non-joiner", 0x200d: "zero width joiner",
  0x200e: "left-to-right mark", 0x200f: "right-to-left mark", 0x2028: "line separator", 0x2029: "paragraph separator",
  0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "end of direction", 0x202d: "left-to-right override",
  0x202e: "right-to-left override", 0x2060: "word joiner", 0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate",
  0x2068: "first strong isolate", 0x2069: "end of isolate", 0x3164: "Hangul filler", 0xfeff: "byte order mark",
};

/** `content` as a text area shows it; undefined when it holds every character that could stand for another, which no person wrote. */
export function mark(content: string): Marked | undefined {
  const lineEnd = lineEndOf(content);
  const lines = lineEnd === "\n" ? content : content.replaceAll(lineEnd, "\n");
  const kept = spans(lines);
  const counts = new Map<string, number>();
  const standIns = new Map<string, string>();
  const free = standInsFor(lines);
  let isExhausted = false;
  const shown = lines.replace(UNSHOWN, (character, at: number) => {
    if (isInside(kept, at)) return character;
    counts.set(character, (counts.get(character) ?? 0) + 1);
    const known = standIns.get(character);
    if (known !== undefined) return known;
    const found = free(character);
    if (found === undefined) isExhausted = true;
    else standIns.set(character, found);
    return found ?? character;
  });
  if (isExhausted) return undefined;
  const stands = new Map(Array.from(standIns, ([character, standIn]) => [standIn, character]));
  const pattern = stands.size > 0 ? new RegExp(`[${[...stands.keys()].join("")}]`, "gu") : undefined;
  const restore = (text: string): string => {
    // What is pasted can bring line ends of its own; a text area has turned them into LF already, a stored draft has not.
    const typed = text.replace(/\r\n?/g, "\n").replaceAll("\n", lineEnd);
    return pattern === undefined ? typed : typed.replace(pattern, (standIn) => stands.get(standIn) ?? standIn);
  };
  if (restore(shown) !== content) return undefined;
  const marks = Array.from(standIns, ([character, standIn]) => ({
    shown: standIn,
    stands: character,
    name: nameOf(character),
    count: counts.get(character) ?? 0,
  }));
  return { shown, marks, lineEnd, restore };
}

/** The one line end of `content`; LF when it has none or several kinds, of which CR is then shown by a mark. */
function lineEndOf(content: string): "\n" | "\r\n" | "\r" {
  if (!content.includes("\r")) return "\n";
  let pairs = 0;
  let feeds = 0;
  let returns = 0;
  for (const [end] of content.matchAll(/\r\n|\r|\n/g)) {
    if (end === "\r\n") pairs += 1;
    else if (end === "\n") feeds += 1;
    else returns += 1;
  }
  if (feeds === 0 && returns === 0) return "\r\n";
  return feeds === 0 && pairs === 0 ? "\r" : "\n";
}

function spans(text: string): readonly (readonly [number, number])[] {
  return Array.from(text.matchAll(SEEN_BY_EFFECT), (found) => [found.index, found.index + found[0].length] as const);
}

/** Whether `at` is in one of the spans. The callers ask from left to right, so each span is passed once. */
function isInside(spans: readonly (readonly [number, number])[], at: number): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.[1] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const span = spans[low];
  return span !== undefined && span[0] <= at;
}

// Where the stand-ins come from when a control has no picture of its own: circled letters and numbers, then Braille, then private use.
const POOLS: readonly (readonly [number, number])[] = [
  [0x2460, 0x24ff],
  [0x2776, 0x2793],
  [0x2801, 0x28ff],
  [0xe000, 0xf8ff],
];

/** Gives each character a stand-in that neither `text` nor another character has. */
function standInsFor(text: string): (character: string) => string | undefined {
  const taken = new Set(text.match(/[\u2400-\u24ff\u2776-\u2793\u2801-\u28ff\ue000-\uf8ff]/g));
  const pool = candidates();
  const take = (standIn: string): string | undefined => {
    if (taken.has(standIn)) return undefined;
    taken.add(standIn);
    return standIn;
  };
  return (character) => {
    const picture = pictureOf(character.codePointAt(0) ?? 0);
    const own = picture === undefined ? undefined : take(picture);
    if (own !== undefined) return own;
    // No `for … of`: it would close the generator, and the next character goes on where this one stopped.
    for (let next = pool.next(); next.done !== true; next = pool.next()) {
      const found = take(next.value);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function* candidates(): Generator<string, undefined> {
  for (const [first, last] of POOLS) for (let code = first; code <= last; code += 1) yield String.fromCharCode(code);
  return undefined;
}

/** The control picture of a C0 control: ␛ for ESC. */
function pictureOf(code: number): string | undefined {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : undefined;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = NAMES[code];
  return name === undefined ? hex : `${hex} ${name}`;
}
