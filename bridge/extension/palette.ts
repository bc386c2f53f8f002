// The colours of the theme, by what they mean: lines that were drawn have them as numbers only.

import type { Board, Look } from "./board.ts";
import { SGR_BYTES } from "./limits.ts";
import { call, field, isObject } from "./pi.ts";

/** The foreground colours that both generations of Pi have, or one of them. */
const TOKENS = [
  "accent border borderAccent borderMuted success error warning muted dim text thinkingText searchMatchText",
  "userMessageText customMessageText customMessageLabel toolTitle toolOutput",
  "mdHeading mdLink mdLinkUrl mdCode mdCodeBlock mdCodeBlockBorder mdQuote mdQuoteBorder mdHr mdListBullet",
  "toolDiffAdded toolDiffRemoved toolDiffContext",
  "syntaxComment syntaxKeyword syntaxFunction syntaxVariable syntaxString syntaxNumber syntaxType syntaxOperator syntaxPunctuation",
  "scrollbarTrack scrollbarThumb bashMode",
  "thinkingOff thinkingMinimal thinkingLow thinkingMedium thinkingHigh thinkingXhigh thinkingMax",
].flatMap((line) => line.split(" "));

const MARK = "x";
const SGR = /^(?:\x1b\[[\d;:]*m)+$/;

/** The name of each colour of `theme` → the sequence that starts it. */
export function colours(theme: unknown): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const token of TOKENS) {
    const start = startOf(theme, token);
    if (start !== undefined && start.length <= SGR_BYTES && SGR.test(start)) tokens[token] = start;
  }
  return tokens;
}

/** Pi throws for a colour that it does not have. */
function startOf(theme: unknown, token: string): string | undefined {
  try {
    const coloured = call(theme, "fg", token, MARK);
    return typeof coloured === "string" ? coloured.slice(0, Math.max(0, coloured.indexOf(MARK))) : undefined;
  } catch {
    return undefined;
  }
}

export class Colours {
  private readonly board: Board;
  private readonly ui: () => unknown;
  private tokens: Record<string, string> = {};

  /** `ui` gives the session's `ctx.ui`, as far as there is one. */
  constructor(board: Board, ui: () => unknown) {
    this.board = board;
    this.ui = ui;
  }

  /** The theme may be another. */
  look(): void {
    const theme = field(this.ui(), "theme");
    if (!isObject(theme)) return;
    const tokens = colours(theme);
    if (JSON.stringify(tokens) === JSON.stringify(this.tokens)) return;
    this.tokens = tokens;
    this.board.put("palette", () => this.palette());
    // Lines in these colours may follow at once.
    this.board.flush("palette");
  }

  /** By key, what a daemon is to be told. */
  *states(): Generator<readonly [string, Look]> {
    yield ["palette", () => this.palette()];
  }

  private palette(): ReturnType<Look> {
    return { message: { type: "palette", tokens: this.tokens }, isDefault: Object.keys(this.tokens).length === 0 };
  }
}
