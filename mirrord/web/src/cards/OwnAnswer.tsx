import { useId } from "preact/hooks";
import { Sign } from "./Choices.tsx";
import { Growing } from "./Growing.tsx";

interface OwnAnswerProps {
  readonly text: string;
  /** Whether the text counts as an answer. */
  readonly isUsed: boolean;
  readonly several: boolean;
  /** There are choices above it. */
  readonly isOther: boolean;
  readonly isLocked: boolean;
  /** Why it cannot be sent. */
  readonly obstacle: string | undefined;
  readonly type: (text: string) => void;
  /** Count what is there already, or no longer. */
  readonly use: () => void;
}

/** An answer in one's own words, under the choices and looking like one. */
export function OwnAnswer({ text, isUsed, several, isOther, isLocked, obstacle, type, use }: OwnAnswerProps) {
  const id = useId();
  const label = isOther ? "Type your own answer" : "Type your answer";
  return (
    <div class={isUsed ? "choice choice-own choice-own-used" : "choice choice-own"}>
      {several && isOther ? (
        <button
          type="button"
          class="choice-own-toggle"
          role="checkbox"
          aria-checked={isUsed}
          aria-label="Use your own answer"
          aria-disabled={isLocked || text.trim() === ""}
          onClick={() => !isLocked && use()}
        >
          <Sign several />
        </button>
      ) : (
        isOther && <Sign several={false} />
      )}
      <Growing
        text={text}
        label={label}
        isReadOnly={isLocked}
        {...(obstacle === undefined ? {} : { obstacleId: id })}
        input={type}
        focus={() => !several && !isUsed && !isLocked && text.trim() !== "" && use()}
      />
      {obstacle !== undefined && (
        <p class="field-error" id={id} role="alert">
          {obstacle}
        </p>
      )}
    </div>
  );
}
