import { EyeOff, SquareTerminal } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CustomView, ExtensionUIRequest } from "../protocol.ts";
import { Icon } from "../design/Icon.tsx";
import { SurfaceBody } from "../surfaces/later.tsx";
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
      {card.drawn !== undefined && <View prompt={prompt} drawn={card.drawn} isWhole={size.isFull} />}
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

/** What the dialog draws, as it draws it: to look at. */
function View({ prompt, drawn, isWhole }: { prompt: ExtensionUIRequest; drawn: CustomView; isWhole: boolean }) {
  const hasLines = drawn.nativeSurface !== undefined || (drawn.widgetLines?.length ?? 0) > 0;
  if (hasLines) {
    return (
      <Steady class={isWhole ? "view view-whole" : "view"}>
        <SurfaceBody drawn={drawn} name={`view:${prompt.id}`} title={prompt.title} depth={2} />
      </Steady>
    );
  }
  return (
    <p class="line secondary view-hidden">
      <Icon node={EyeOff} small />
      {drawn.typing === true
        ? "Somebody may be typing in it, so it is shown on devices that may answer, not on this one."
        : "It has drawn nothing yet."}
    </p>
  );
}

/** Never lower than it was at this width: a card that moves with each frame takes no press. */
function Steady({ class: name, children }: { class: string; children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let width = element.offsetWidth;
    const observer = new ResizeObserver(() => {
      const isTurned = element.offsetWidth !== width;
      width = element.offsetWidth;
      element.style.minBlockSize = isTurned ? "" : `${element.offsetHeight}px`;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} class={name}>
      {children}
    </div>
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
