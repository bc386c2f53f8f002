import type { ComponentChildren } from "preact";
import { Icon } from "../design/Icon.tsx";
import { Check } from "lucide";

export interface Choice {
  readonly key: number;
  readonly label: string;
  readonly description?: string;
  /** Cannot be chosen, at the terminal neither. */
  readonly isBarred?: boolean;
}

interface ChoicesProps {
  /** The id of what they answer. */
  readonly labelledby: string;
  readonly choices: readonly Choice[];
  readonly isChosen: (key: number) => boolean;
  readonly choose: (key: number) => void;
  readonly several?: boolean;
  readonly isLocked: boolean;
  /** Arrow keys move among them; without, each is a stop of the Tab key. */
  readonly hasArrows: boolean;
  /** How many there are, when not all are here. */
  readonly count?: number;
  /** What belongs to the same group, under the choices. */
  readonly children?: ComponentChildren;
}

/** Choices as rows, each a target as wide as the card, chosen or not by a sign and an edge. */
export function Choices({ labelledby, choices, isChosen, choose, several = false, isLocked, hasArrows, count, children }: ChoicesProps) {
  const stop = choices.find(({ key }) => isChosen(key))?.key ?? choices.find(({ isBarred }) => isBarred !== true)?.key;
  return (
    <div class="choices" role={several ? "group" : "radiogroup"} aria-labelledby={labelledby}>
      {choices.map(({ key, label, description, isBarred = false }, at) => (
        <button
          key={key}
          type="button"
          class="choice"
          data-choice
          role={several ? "checkbox" : "radio"}
          aria-checked={isChosen(key)}
          aria-disabled={isLocked || isBarred}
          {...(several || count === undefined ? {} : { "aria-posinset": key + 1, "aria-setsize": count })}
          tabIndex={several || !hasArrows || key === stop ? 0 : -1}
          onClick={() => !isLocked && !isBarred && choose(key)}
        >
          <Sign several={several} />
          <span class="choice-text">
            <span class="foreign said" dir="auto">
              {label === "" ? <i>empty</i> : label}
            </span>
            {description !== undefined && (
              <span class="foreign said secondary" dir="auto">
                {description}
              </span>
            )}
          </span>
          {at < 9 && hasArrows && (
            <kbd class="choice-key" aria-hidden="true">
              {at + 1}
            </kbd>
          )}
        </button>
      ))}
      {children}
    </div>
  );
}

/** A circle or a box, with a check in it where it is chosen. */
export function Sign({ several }: { several: boolean }) {
  return (
    <span class={several ? "choice-sign choice-sign-box" : "choice-sign"} aria-hidden="true">
      <Icon node={Check} small />
    </span>
  );
}
