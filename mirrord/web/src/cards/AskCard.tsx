import { useId, useState } from "preact/hooks";
import * as ask from "./ask.ts";
import type { Ask } from "./ask.ts";
import { AskReview } from "./AskReview.tsx";
import { Choices } from "./Choices.tsx";
import type { CardProps } from "./contract.ts";
import { IgnoreButton, NextButton, SendButton } from "./Foot.tsx";
import { Frame, type KindProps } from "./Frame.tsx";
import { OwnAnswer } from "./OwnAnswer.tsx";
import { Pager } from "./Pager.tsx";
import { canEdit } from "./phase.ts";
import { Cuts, Said, Title } from "./Said.tsx";
import { clip } from "./text.ts";
import { notShown } from "./words.ts";

const SPOKEN_CHARS = 200;

/** Questions one at a time, then all answers before they are sent; a single question is sent at once. */
export function AskCard({ card, size }: KindProps) {
  const [state, setState] = useState(() => ask.begin(card.prompt, card.draft.read()));
  const change = (next: Ask): void => {
    setState(next);
    if (next.entries !== state.entries) card.draft.save(ask.fields(next));
  };
  const isReview = ask.isReview(state);
  return (
    <Frame
      card={card}
      size={size}
      view={`page ${state.page}`}
      said={spoken(state)}
      foot={isReview || !ask.hasReview(state) ? <LastFoot card={card} state={state} /> : <PageFoot card={card} state={state} change={change} />}
    >
      {ask.hasReview(state) && <Pager page={state.page} count={state.questions.length} turn={(page) => change(ask.turn(state, page))} />}
      {isReview ? (
        <AskReview state={state} edit={(page) => change(ask.turn(state, page))} />
      ) : (
        <QuestionPage key={state.page} card={card} state={state} change={change} />
      )}
      <Cuts sentences={notShown(card.prompt.truncated)} />
    </Frame>
  );
}

interface PageProps {
  readonly card: CardProps;
  readonly state: Ask;
  readonly change: (next: Ask) => void;
}

function QuestionPage({ card, state, change }: PageProps) {
  const title = useId();
  const { page: at } = state;
  const question = state.questions[at];
  if (question === undefined) return <Title text={card.prompt.title} />;
  const entry = ask.entryOf(state, at);
  const options = ask.optionsOf(question);
  const isLocked = !canEdit(card);
  const several = question.multiSelect === true;
  return (
    <>
      <Title id={title} text={question.question} />
      {card.prompt.message !== undefined && card.prompt.message !== "" && at === 0 && <Said text={card.prompt.message} />}
      {several && options.length > 0 && <p class="secondary">Choose any number.</p>}
      <Choices
        labelledby={title}
        choices={options.map(({ label, description }, key) => ({ key, label, ...(description !== undefined && { description }) }))}
        isChosen={(key) => entry.chosen.has(key)}
        choose={(key) => change(ask.choose(state, at, key))}
        several={several}
        isLocked={isLocked}
        hasArrows={card.shortcuts}
      >
        {ask.takesTyped(state, question) && (
          <OwnAnswer
            text={entry.typed}
            isUsed={entry.own}
            several={several}
            isOther={options.length > 0}
            isLocked={isLocked}
            obstacle={ask.obstacleAt(state, at)}
            type={(text) => change(ask.type(state, at, text))}
            use={() => change(ask.useTyped(state, at))}
          />
        )}
      </Choices>
    </>
  );
}

/** Under one of several questions. */
function PageFoot({ card, state, change }: PageProps) {
  const { page } = state;
  const isLast = page === state.questions.length - 1;
  return (
    <>
      <IgnoreButton card={card} label="Ignore all" />
      {canEdit(card) && (
        <button type="button" class="button button-quiet" onClick={() => change(ask.skip(state, page))}>
          Skip
        </button>
      )}
      <NextButton label={isLast ? "Review" : "Next"} go={() => change(ask.turn(state, page + 1))} />
    </>
  );
}

/** Where it is sent. */
function LastFoot({ card, state }: Omit<PageProps, "change">) {
  const isReview = ask.isReview(state);
  const isBlocked = state.questions.some((_, at) => ask.obstacleAt(state, at) !== undefined);
  // One question without an answer is ignored, not sent; of several, sending none is an answer too.
  const isReady = !isBlocked && (isReview || ask.answered(state) > 0);
  return (
    <>
      <IgnoreButton card={card} label={isReview ? "Ignore all" : "Ignore"} />
      <SendButton card={card} what={ask.sendLabel(state)} send={isReady ? () => card.answer({ answers: ask.answers(state) }) : undefined} />
    </>
  );
}

function spoken(state: Ask): string {
  const question = state.questions[state.page];
  if (!ask.hasReview(state) || state.page === 0) return "";
  if (question === undefined) return `All answers: ${ask.answered(state)} of ${state.questions.length} questions answered.`;
  return `Question ${state.page + 1} of ${state.questions.length}: ${clip(question.question, SPOKEN_CHARS)}`;
}
