import { Eye, EyeOff } from "lucide";
import { useEffect, useId, useState } from "preact/hooks";
import { Icon } from "../design/Icon.tsx";
import { IgnoreButton, SendButton } from "./Foot.tsx";
import { Frame, type KindProps } from "./Frame.tsx";
import { canEdit } from "./phase.ts";
import { Cuts, Said, Title } from "./Said.tsx";
import { lineObstacle } from "./text.ts";
import { notShown, quoted } from "./words.ts";

/** One line, typed; dots where it is a secret. */
export function InputCard({ card, size }: KindProps) {
  const { prompt, draft } = card;
  const isSecret = prompt.masked === true;
  const ids = { title: useId(), error: useId() };
  const [text, setText] = useState(() => kept(draft.read()["value"]));
  const [isShown, show] = useState(!isSecret);
  useHiddenWhenAway(isSecret, () => show(false));
  const obstacle = lineObstacle(text);
  const type = (typed: string): void => {
    setText(typed);
    draft.save(typed === "" ? {} : { value: typed }, { sensitive: isSecret });
  };
  const foot = (
    <>
      <IgnoreButton card={card} />
      <SendButton
        card={card}
        what={sendLabel(text, isSecret)}
        send={obstacle === undefined ? () => (show(!isSecret), card.answer({ value: text })) : undefined}
      />
    </>
  );
  return (
    <Frame card={card} size={size} view="input" foot={foot}>
      <Title id={ids.title} text={prompt.title} />
      {prompt.message !== undefined && prompt.message !== "" && <Said text={prompt.message} />}
      <Cuts sentences={notShown(prompt.truncated)} />
      <div class="input-row">
        <input
          class="field"
          {...(isShown ? { type: "text" as const } : { type: "password" as const })}
          dir={isSecret ? "ltr" : "auto"}
          value={text}
          placeholder={prompt.placeholder}
          aria-labelledby={ids.title}
          aria-invalid={obstacle !== undefined}
          aria-describedby={obstacle === undefined ? undefined : ids.error}
          readOnly={!canEdit(card)}
          // A password manager has nothing to fill in here and nothing to keep.
          autocomplete={isSecret ? "one-time-code" : "off"}
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="send"
          onInput={(event) => type(event.currentTarget.value)}
        />
        {isSecret && (
          <button type="button" class="button button-quiet button-icon" aria-pressed={isShown} aria-label="Show what is typed" onClick={() => show(!isShown)}>
            <Icon node={isShown ? EyeOff : Eye} />
          </button>
        )}
      </div>
      {obstacle !== undefined && (
        <p class="field-error" id={ids.error} role="alert">
          {obstacle}
        </p>
      )}
      {isSecret && <p class="secondary">A secret: shown as dots, sent to Pi only, kept nowhere.</p>}
    </Frame>
  );
}

function sendLabel(text: string, isSecret: boolean): string {
  if (text === "") return "Send an empty line";
  return isSecret ? "Send the secret" : `Send ${quoted(text)}`;
}

// Line ends never get into the field, so a draft that has some is not of this card.
function kept(value: string | readonly string[] | undefined): string {
  return typeof value === "string" && !/[\r\n]/.test(value) ? value : "";
}

/** A secret that was being looked at is hidden again when the page goes to the background. */
function useHiddenWhenAway(isSecret: boolean, hide: () => void): void {
  useEffect(() => {
    if (!isSecret) return undefined;
    const look = (): void => void (document.visibilityState === "hidden" && hide());
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [isSecret]);
}
