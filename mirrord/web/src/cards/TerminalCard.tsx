import { SquareTerminal } from "lucide";
import type { ExtensionUIRequest } from "../protocol.ts";
import { Icon } from "../design/Icon.tsx";
import { IgnoreButton } from "./Foot.tsx";
import { Frame, type KindProps } from "./Frame.tsx";
import { mark } from "./marks.ts";
import { Cuts, Said, Title } from "./Said.tsx";
import { notShown } from "./words.ts";

/** What only the terminal can answer: that it is open, what it asks as far as that is known, and a way to cancel it where there is one. */
export function TerminalCard({ card, size }: KindProps) {
  const { prompt, machine } = card;
  const canCancel = prompt.cancellable !== false && !card.readOnly;
  return (
    <Frame card={card} size={size} view="terminal" foot={canCancel ? <IgnoreButton card={card} label="Cancel it" /> : undefined}>
      <Title text={prompt.title} />
      {prompt.message !== undefined && prompt.message !== "" && <Said text={prompt.message} />}
      <Cuts sentences={notShown(prompt.truncated)} />
      <Look prompt={prompt} isWhole={size.isFull} />
      <p class="at-terminal">
        <Icon node={SquareTerminal} />
        <span>
          <strong>Answer it at the terminal{machine === "" ? "" : ` of ${machine}`}</strong>
          <Said text={prompt.terminalOnly ?? "This can only be answered at the terminal."} secondary />
        </span>
      </p>
    </Frame>
  );
}

/** What there is to look at: questions, options, a text. */
function Look({ prompt, isWhole }: { prompt: ExtensionUIRequest; isWhole: boolean }) {
  if (!isWhole) return null;
  const { questions = [], options = [], prefill } = prompt;
  return (
    <>
      {questions.map(({ question, options: choices = [] }, at) => (
        <div key={at} class="look">
          <Said text={question} />
          <List texts={choices.map(({ label }) => label)} />
        </div>
      ))}
      {options.length > 0 && <List texts={options} />}
      {prefill !== undefined && <pre class="look mono foreign said">{mark(prefill)?.shown ?? prefill}</pre>}
    </>
  );
}

function List({ texts }: { texts: readonly string[] }) {
  return (
    <ul class="look-list">
      {texts.map((text, at) => (
        <li key={at}>
          <Said text={text} />
        </li>
      ))}
    </ul>
  );
}
