/**
 * What a prompt card is given and what it may do. The prompt area (`src/ui/prompts.tsx`) renders `Card` of `src/cards/Card.tsx`
 * with these props, one at a time, inside an error boundary of its own.
 */

import type { CustomView, ExtensionUIRequest, OptionsPage, Session, Verdict } from "../protocol.ts";

/**
 * Where an answer of this browser stands, and whether the prompt still waits.
 *
 * - `open`: it waits, nothing was sent.
 * - `sending`: an answer went out, no verdict yet. Also when some device has answered and nobody has told yet whether it was this one.
 * - `unsure`: still no verdict (link lost, or 5 s passed); it is tried again under the same id. Shown as not confirmed.
 * - `settled`: it ended; `verdict` says how, when that is known.
 * - `refused`: the answer was not taken, the prompt waits; `detail` says why. Answering again is possible.
 * - `lost_race`: this browser answered and somebody else was first; `verdict` says who.
 * - `link_lost`: it waits as far as is known, the daemon cannot be reached, nothing was sent.
 * - `detached`: the daemon cannot reach Pi now; nothing was sent.
 */
export type CardPhase = "open" | "sending" | "unsure" | "settled" | "refused" | "lost_race" | "link_lost" | "detached";

/** Exactly one field, as the prompt's method has it. */
export type Answer =
  | { readonly index: number }
  | { readonly value: string }
  | { readonly confirmed: boolean }
  | { readonly answers: Readonly<Record<string, string | readonly string[]>> }
  | { readonly unchanged: true }
  | { readonly cancelled: true };

/** What was typed or chosen and not sent yet, by field: a question's id, or `value` where there is one field. */
export type DraftFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Keeps what was typed across settlement elsewhere, reload and a lost link. In this tab's storage; in memory alone when the
 * prompt is masked or `sensitive` was said. Writes are cheap: call `save` on every input event.
 */
export interface Draft {
  /** What is kept; empty when nothing is. The same object until `save` or `clear`. */
  read(): DraftFields;
  save(fields: DraftFields, options?: { readonly sensitive?: boolean }): void;
  clear(): void;
}

export interface CardProps {
  readonly prompt: ExtensionUIRequest;
  /** Which session it answers. */
  readonly session: Session;
  /** Which machine, as the daemon or the address names it. */
  readonly machine: string;
  readonly phase: CardPhase;
  /** How it ended, in `settled` and `lost_race`, where known. */
  readonly verdict?: Verdict;
  /** This browser's answer is the one that counted. */
  readonly mine: boolean;
  /** One sentence for a person: why an answer was refused, or what is waited for. */
  readonly detail?: string;
  /** The daemon's time in ms, as well as this browser knows it. */
  readonly now: () => number;
  /** `index` from 0 in server order among `count` open prompts of this session. */
  readonly position: { readonly index: number; readonly count: number };
  /** This browser is an observer: it looks, and cannot answer. */
  readonly readOnly: boolean;
  /** Whether the number, arrow and Enter keys of cards are on. */
  readonly shortcuts: boolean;
  readonly answer: (answer: Answer) => void;
  /** Take a settled card away, with what was typed in it. */
  readonly dismiss: () => void;
  readonly draft: Draft;
  /** At most 200 options from `offset` on. Rejects with an Error whose message is one sentence for a person. */
  readonly loadOptions: (offset: number) => Promise<OptionsPage>;
  /** The whole prefill of an editor, however it travels. Rejects as above. */
  readonly loadPrefill: () => Promise<string>;
  /** What a dialog of its extension's own draws now, where that is forwarded. */
  readonly drawn?: CustomView | undefined;
}
