import type { ExtensionUIRequest } from "../protocol.ts";
import type { CardProps } from "./contract.ts";
import { IgnoreButton, NextButton } from "./Foot.tsx";
import { Frame } from "./Frame.tsx";
import { Said, Title } from "./Said.tsx";
import { clip, counted } from "./text.ts";

const TITLE_CHARS = 160;
const MESSAGE_CHARS = 200;

/** A card that has no room above the composer: what it asks, in short, and the way to all of it. */
export function Brief({ card, open }: { card: CardProps; open: () => void }) {
  const { prompt } = card;
  const inside = contents(prompt);
  const label = card.readOnly || prompt.terminalOnly !== undefined ? "Open to read" : prompt.method === "editor" ? "Open the editor" : "Open to answer";
  const foot = (
    <>
      <IgnoreButton card={card} label={(prompt.questions?.length ?? 0) > 1 ? "Ignore all" : "Ignore"} />
      <NextButton label={label} go={open} />
    </>
  );
  return (
    <Frame card={card} size={{ isFull: false, toggle: open }} view="brief" foot={foot}>
      <Title text={clip(prompt.title, TITLE_CHARS)} />
      {prompt.message !== undefined && prompt.message !== "" && <Said text={clip(prompt.message, MESSAGE_CHARS)} />}
      {inside !== undefined && <p class="secondary">{inside}</p>}
    </Frame>
  );
}

function contents({ method, questions = [], options = [], optionCount, prefill }: ExtensionUIRequest): string | undefined {
  switch (method) {
    case "select":
      return `${counted(Math.max(optionCount ?? 0, options.length), "option")} to choose from`;
    case "ask":
      return questions.length > 1 ? undefined : `${counted(questions[0]?.options?.length ?? 0, "option")} to choose from`;
    case "editor":
      return prefill === undefined || prefill === "" ? undefined : `${counted(prefill.split(/\r\n|\r|\n/).length, "line")} to edit`;
    default:
      return undefined;
  }
}
