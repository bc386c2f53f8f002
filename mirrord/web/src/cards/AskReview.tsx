import { PenLine } from "lucide";
import { Icon } from "../design/Icon.tsx";
import * as ask from "./ask.ts";
import type { Ask } from "./ask.ts";
import { Title } from "./Said.tsx";
import { clip } from "./text.ts";

const QUESTION_CHARS = 200;
const ANSWER_CHARS = 400;

/** All questions with what would be sent for each; a tap goes back to one. */
export function AskReview({ state, edit }: { state: Ask; edit: (page: number) => void }) {
  return (
    <>
      <Title text="Your answers" />
      <ol class="review">
        {state.questions.map((question, at) => {
          const labels = ask.labelsAt(state, at);
          return (
            <li key={at}>
              <button type="button" class="choice review-row" onClick={() => edit(at)}>
                <span class="choice-text">
                  <span class="foreign said secondary" dir="auto">
                    {clip(question.question, QUESTION_CHARS)}
                  </span>
                  {labels.length === 0 ? (
                    <span class="review-none">Skipped</span>
                  ) : (
                    labels.map((label, place) => (
                      <span key={place} class="foreign said" dir="auto">
                        {clip(label, ANSWER_CHARS) || "empty"}
                      </span>
                    ))
                  )}
                </span>
                <Icon node={PenLine} small label="Change" />
              </button>
            </li>
          );
        })}
      </ol>
    </>
  );
}
