// What is said of surfaces: sentences of ours around words of others.

import type { Pill, Region } from "../protocol.ts";
import type { NativeSurface } from "../surface.ts";

/** Fields of a truncation (docs/protocol.md) that count things, and what these are called. */
const THINGS: ReadonlyMap<string, string> = new Map([
  ["nativeSurface.blocks", "parts"],
  ["native", "parts"],
  ["nativeSurface.rows", "rows"],
  ["nativeSurface.lines", "lines"],
  ["nativeSurface.fallback", "lines"],
  ["widgetLines", "lines"],
  ["lines", "lines"],
]);

/** What of a surface is not shown, as sentences. */
export function cutsOf({ truncated, nativeSurface }: Region): readonly string[] {
  const skipped = passedOver(nativeSurface);
  const sentences = new Set<string>();
  for (const { field, shown, total } of truncated ?? []) {
    if (skipped.has(field)) continue;
    const things = THINGS.get(field);
    if (things !== undefined) sentences.add(`${shown.toLocaleString("en")} of ${total.toLocaleString("en")} ${things} are shown.`);
    else if (field === "nativeSurface.depth") sentences.add("What is nested too deep is not shown.");
    else if (field === "nativeSurface.spans") sentences.add("Some text is shown without its looks.");
    else sentences.add("Some of this is too long to be shown.");
  }
  return [...sentences];
}

/** Fields whose cuts do not matter: they are of another form than the one that is shown. */
function passedOver(native: NativeSurface | undefined): ReadonlySet<string> {
  if (native === undefined || native.blocks.length === 0) return new Set();
  const isDrawn = native.blocks.length === 1 && native.blocks[0]?.type === "terminal";
  return new Set(["widgetLines", "nativeSurface.fallback", ...(isDrawn ? [] : ["lines"])]);
}

/** What a surface is called: its own title, else its key. */
export function titleOf({ nativeSurface }: Region, key: string): string {
  const title = nativeSurface?.presentation?.title;
  return title === undefined || title.trim() === "" ? key : title;
}

/** What a screen reader is told of a pill besides its words: that it is a status, and whose it is. */
export function besides({ kind, source }: Pill): string {
  return `${kind === "status" ? ", status" : ""}${source === undefined ? "" : `, of ${source}`}`;
}
