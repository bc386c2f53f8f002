// Who shows something. To read the call stack costs more than most calls do, so it is read so often only.

import { guard } from "./guard.ts";
import { SOURCE_BYTES, SOURCE_LOOKS, SOURCE_LOOKS_MS } from "./limits.ts";
import { caller } from "./source.ts";
import { cut } from "./text.ts";

export type Looks = Pick<Sources, "look">;

export class Sources {
  private left = SOURCE_LOOKS;
  private until = 0;

  /** The extension that calls now, or after SOURCE_LOOKS of them within SOURCE_LOOKS_MS `known`, who it was last. */
  look(known?: string): string | undefined {
    const now = performance.now();
    if (now >= this.until) {
      this.until = now + SOURCE_LOOKS_MS;
      this.left = SOURCE_LOOKS;
    }
    if ((this.left -= 1) < 0) return known;
    const name = guard("source.look", caller, known);
    return name === undefined ? undefined : cut(name, SOURCE_BYTES).text;
  }
}

/** `source` as a field of a message, which is there only when it is known. */
export function by(source: string | undefined): { source?: string } {
  return source === undefined ? {} : { source };
}
