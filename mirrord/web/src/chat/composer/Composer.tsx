import "../composer.css";
import { Lock } from "lucide";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { commandNamed } from "../../core/composer/commands.ts";
import { contentOf, isBlank } from "../../core/composer/draft.ts";
import { deliveryOf, intentOf, isWorking, NOTHING, type Submission } from "../../core/composer/intent.ts";
import { failures } from "../../core/composer/outcome.ts";
import type { SessionView } from "../../core/state.ts";
import { Icon } from "../../design/Icon.tsx";
import { desk as deskOf, type Desk } from "../../edge/composing.ts";
import { delivery } from "../../edge/preferences.ts";
import type { Conversation, ConversationActions } from "../contract.ts";
import { Doing } from "../queue/Doing.tsx";
import { Queue } from "../queue/Queue.tsx";
import { Chips } from "./Chips.tsx";
import { Handoffs } from "./Handoffs.tsx";
import { Hint } from "./Hint.tsx";
import { KeptBeside } from "./KeptBeside.tsx";
import { OwnTurns } from "./OwnTurns.tsx";
import { SendStop } from "./SendStop.tsx";
import { TextArea } from "./TextArea.tsx";
import { useCommands } from "./useCommands.ts";
import { useDoing } from "./useDoing.ts";

export interface ComposerProps {
  readonly conversation: Conversation;
  readonly actions: ConversationActions;
  readonly view: SessionView;
  /** Which machine a message goes to. */
  readonly machine?: string;
  /** Why this browser may look and not send, as a sentence. */
  readonly onlooker?: string | undefined;
  /** Texts of extensions, where they cannot come into the text. */
  readonly handoffs?: ComponentChildren;
  /** A hand-off was taken or given up. */
  readonly taken: (handoffId: string) => void;
  /** For a screen reader. */
  readonly say?: (text: string) => void;
  /** The prompt card, which grows out of the composer. */
  readonly card?: ComponentChildren;
}

/** Where a person talks to Pi: one container with what waits, the text, how it goes out, and the card of a question when there is one. */
export function Composer(props: ComposerProps) {
  const { conversation, actions, view, card, handoffs, onlooker } = props;
  const { sessionId } = view.session;
  const desk = useMemo(() => deskOf(sessionId), [sessionId]);
  const [isAt, setAt] = useState(false);
  useFailures(conversation.turns, props.say);
  const reason = onlooker ?? (conversation.readOnly ? (conversation.readOnlyReason ?? "Nothing can be sent to this Pi.") : undefined);
  const isBlankNow = isBlank(desk.draft.value);
  // Nobody's words go from under their hands because a link is lost or Pi has quit.
  const hasWords = !isBlankNow || desk.entry.value.other !== undefined || conversation.turns.length > 0;
  const isWriting = reason === undefined || (onlooker === undefined && (isAt || hasWords));
  return (
    <section class="composer" aria-label="Composer" data-working={isWorking(conversation)}>
      {card !== undefined && <div class="composer-card">{card}</div>}
      <Doing conversation={conversation} actions={actions} isOnlooker={reason !== undefined} />
      <Queue conversation={conversation} />
      {!isWriting && handoffs}
      {reason !== undefined && (isBlankNow || !isWriting) && (
        <p class="composer-readonly secondary">
          <Icon node={Lock} small />
          <bdi class="foreign">{reason}</bdi>
        </p>
      )}
      {isWriting && <Writing {...props} desk={desk} isFocused={isAt} focus={setAt} />}
    </section>
  );
}

interface WritingProps extends ComposerProps {
  readonly desk: Desk;
  readonly isFocused: boolean;
  readonly focus: (isFocused: boolean) => void;
}

function Writing({ conversation, actions, view, machine, taken, say, card, desk, isFocused, focus }: WritingProps) {
  const [commands, learn] = useCommands(actions);
  const doing = useDoing();
  const choosing = useDoing();
  const field = useRef<HTMLTextAreaElement>(null);
  const [isOffering, offer] = useState(false);
  const { value: draft } = desk.draft;
  const situation = { conversation, delivery: delivery.value, commands };
  const content = contentOf(draft);
  const intent = useMemo(() => intentOf(content, situation), [content, conversation, delivery.value, commands]);
  const isCommand = commandNamed(content) !== undefined;
  useEffect(() => {
    if (isCommand) learn();
  }, [isCommand, learn]);
  useEffect(() => {
    desk.isTyping = () => document.hasFocus() && document.activeElement === field.current;
    return () => void (desk.isTyping = () => false);
  }, [desk]);

  useEffect(() => {
    // Who goes on has read why Stop did not happen. Why a choice did not may still be read in its window while a text comes in.
    doing.forget();
    if (desk.isTyping()) choosing.forget();
  }, [content]);

  useFocusAtOpening(field, card !== undefined);

  const submit = ({ kind, text, options }: Submission): void => {
    const isSent = actions.submit(kind, text, options);
    desk.sent(content.trim());
    doing.forget();
    choosing.forget();
    if (isSent) say?.("Sent.");
  };
  const send = (): void => {
    // At once and of what stands there now: a key can come before the last one was drawn.
    const now = intentOf(contentOf(desk.draft.peek()), situation);
    if (now.kind === "submit") submit(now.submission);
    field.current?.focus({ preventScroll: true });
  };
  const isWorkingNow = isWorking(conversation);
  const { delivery: way, noSteering } = deliveryOf(conversation, delivery.value);
  const isBrief = useBrief(card !== undefined, isFocused || !isBlank(draft));
  return (
    <div class={isBrief ? "composer-writing composer-brief" : "composer-writing"} onFocusIn={() => focus(true)} onFocusOut={(event) => focus(event.currentTarget.contains(event.relatedTarget as Node | null))}>
      <OwnTurns conversation={conversation} actions={actions} desk={desk} />
      <KeptBeside desk={desk} />
      <Handoffs handoffs={view.ambient.handoffs} desk={desk} taken={taken} />
      <TextArea
        field={field}
        desk={desk}
        rows={conversation.rows}
        commands={commands}
        learn={learn}
        send={send}
        offering={offer}
        label={isWorkingNow ? (way === "steer" ? "Steer Pi" : "Follow up") : machine === undefined ? "Message Pi" : `Message Pi on ${machine}`}
      />
      <Hint
        intent={isOffering && intent.kind === "refused" ? NOTHING : intent}
        around={{ ...conversation, failure: doing.failure ?? choosing.failure, isKept: desk.isKept.value }}
        sendLiterally={submit}
      />
      <div class="composer-foot">
        <Chips conversation={conversation} actions={actions} way={way} noSteering={noSteering} choosing={choosing} />
        <SendStop intent={intent} conversation={conversation} send={send} stop={() => doing.begin(actions.stop())} />
      </div>
    </div>
  );
}

/** Tells of what was sent and has failed, at once or later. What had failed before is on the page. */
function useFailures(turns: Conversation["turns"], say: ComposerProps["say"]): void {
  const told = useRef(turns);
  // With each drawing: one that fails, is sent again and fails again could look the same a frame later.
  useLayoutEffect(() => {
    const words = failures(told.current, turns);
    told.current = turns;
    if (words !== "") say?.(words);
  }, [turns]);
}

/** Whether the writing is kept short: under a question, until somebody writes. Not short again after that: the card would move under a finger. */
function useBrief(hasCard: boolean, isInUse: boolean): boolean {
  const wasUsed = useRef(false);
  wasUsed.current = hasCard && (wasUsed.current || isInUse);
  return hasCard && !wasUsed.current;
}

/**
 * Who comes with a pointer, and a keyboard in reach, can type at once. Who comes with keys stays at the heading, where the page's own keys
 * work; a phone's keyboard opens for nobody who has not asked; a question that waits is not typed past.
 */
function useFocusAtOpening(field: RefObject<HTMLTextAreaElement | null>, isAsked: boolean): void {
  useEffect(() => {
    const { activeElement: at } = document;
    const isFree = at instanceof HTMLHeadingElement && !at.matches(":focus-visible");
    if (isFree && !isAsked && matchMedia("(hover: hover) and (pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, []);
}
