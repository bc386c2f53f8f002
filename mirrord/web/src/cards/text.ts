// Small questions about text. Everything here takes what a stranger wrote, of any length.

/** What Pi takes in a field of one line, and as a typed answer of an ask, in bytes of UTF-8. */
export const TYPED_BYTES = 64 * 1024;
/** What Pi takes as the text of an editor, in bytes of UTF-8. */
export const CONTENT_BYTES = 1024 * 1024;

// A grapheme cluster of a living script has a few code units; clipping looks at no more than this many for each.
const UNITS_PER_CLUSTER = 16;
const LONE_SURROGATE = /\p{Surrogate}/u;
const CONTROL = /\p{Cc}/u;

// Firefox has it since 125.
const segmenter = "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : undefined;
const encoder = new TextEncoder();

/** The first `limit` characters of `text` as a reader counts them, on one line, with an ellipsis where it goes on. */
export function clip(text: string, limit: number): string {
  const head = text.slice(0, limit * UNITS_PER_CLUSTER).replace(/\s+/gu, " ").trim();
  const clusters = segmenter === undefined ? Array.from(head) : Array.from(segmenter.segment(head), ({ segment }) => segment);
  const goesOn = clusters.length > limit || text.length > limit * UNITS_PER_CLUSTER;
  return goesOn ? `${clusters.slice(0, limit).join("").trimEnd()}…` : head;
}

/** Why `text` cannot be sent in a field of one line, as a sentence; undefined when it can. */
export function lineObstacle(text: string): string | undefined {
  if (CONTROL.test(text)) return "A line break, tab or control character cannot be sent in this field.";
  return obstacle(text, TYPED_BYTES, "64 KB");
}

/** Why `text` cannot be sent as a typed answer of an ask; undefined when it can. */
export function typedObstacle(text: string): string | undefined {
  return obstacle(text, TYPED_BYTES, "64 KB");
}

/** Why `text` cannot be sent as the text of an editor; undefined when it can. */
export function contentObstacle(text: string): string | undefined {
  return obstacle(text, CONTENT_BYTES, "1 MB");
}

function obstacle(text: string, limit: number, name: string): string | undefined {
  if (LONE_SURROGATE.test(text)) return "Half of a broken character is in this text and cannot be sent.";
  // A UTF-16 unit takes one to three bytes, so most texts need no count.
  const isLong = text.length > limit || (text.length > limit / 3 && encoder.encode(text).length > limit);
  return isLong ? `This is more than the ${name} that Pi takes here.` : undefined;
}

/** A count of things for a person: `1 option`, `12,000 options`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
