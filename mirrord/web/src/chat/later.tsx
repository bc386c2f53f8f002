// The conversation is drawn by a file of its own: pairing and the list of sessions do without it, and a first visit sees them sooner.

import { LoaderCircle, TriangleAlert } from "lucide";

import { lazily } from "../surfaces/lazily.tsx";
import { Notice } from "../ui/Notice.tsx";
import type { ComposerProps } from "./composer/Composer.tsx";
import type { TimelineProps } from "./timeline/Timeline.tsx";

const screens = () => import("./conversation.ts");

export const { Component: Timeline } = lazily<TimelineProps>(
  () => screens().then((all) => all.Timeline),
  ({ hasFailed }) =>
    hasFailed ? (
      <Notice icon={TriangleAlert} title="The conversation could not be loaded" role="danger">
        <p>Questions can be answered all the same. Reload the page for the rest.</p>
      </Notice>
    ) : (
      <Notice icon={LoaderCircle} title="Fetching the conversation" spin />
    ),
);

/** Until it is there, the card of a question stands alone. */
export const { Component: Composer } = lazily<ComposerProps>(
  () => screens().then((all) => all.Composer),
  ({ card }) => <>{card}</>,
);
