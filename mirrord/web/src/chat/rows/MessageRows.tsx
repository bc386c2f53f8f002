// Rows of words: of a person, of Pi, of extensions, and of kinds that only a later Pi knows.

import { Brain, CircleStop, MessageSquareMore, OctagonX, Package, Split, TriangleAlert, type IconNode } from "lucide";
import { useContext, useLayoutEffect, useMemo } from "preact/hooks";
import { counted } from "../../cards/text.ts";
import { thinkingExpanded } from "../../edge/preferences.ts";
import { Icon } from "../../design/Icon.tsx";
import { GrowingMarkdown } from "../../surfaces/Markdown.tsx";
import { Recognised } from "../../surfaces/Words.tsx";
import { TerminalBlock } from "../../surfaces/TerminalBlock.tsx";
import type { ChatMessage } from "../contract.ts";
import { Timeline } from "./around.ts";
import { ImageNote } from "./ImageNote.tsx";
import type { PartItem } from "./model.ts";
import { Ago, CopyMessage, Cut, CutNote, Fold, useOpen } from "./parts.tsx";
import { Paths } from "./Paths.tsx";
import { cutOf, dayName, duration, speaker, textOf } from "./words.ts";

/** Of a text that was pasted: so much of it tells what it is. */
const USER_LINES = 16;
/** Blocks of markdown that are drawn before somebody asks for all: some screens full, and few enough elements to scroll by. */
const BLOCKS = 60;
/** The level of the heading that names the conversation. */
const DEPTH = 2;

/** What a person said, as they typed it. */
export function UserRow({ message, name }: { message: ChatMessage; name: string }) {
  return (
    <div class="bubble">
      {message.parts.map((part, place) =>
        part.type === "image" ? (
          <ImageNote key={place} part={part} />
        ) : (
          <Cut key={place} name={`${name}:${place}`} lines={(part.text ?? "").split("\n")} shown={USER_LINES}>
            {(shown) => (
              <p class="foreign typed" dir="auto">
                <Paths text={shown.join("\n")} />
              </p>
            )}
          </Cut>
        ),
      )}
      <CutNote words={cutOf(message.truncated, "parts")} />
    </div>
  );
}

/** What Pi says: the page itself. */
export function TextRow({ item }: { item: PartItem }) {
  const { message, part, place, isGrowing, isLast, key } = item;
  const { wholeText } = useContext(Timeline);
  return (
    <>
      <Prose name={key} text={part.text ?? ""} isGrowing={isGrowing} />
      <CutNote words={cutOf(message.truncated, `parts.${place}`)} />
      {isLast && (
        <p class="msg-foot turn-foot">
          <span class="msg-facts">
            <Ago at={message.at} />
            {message.model !== undefined && <bdi class="foreign msg-model">{message.model}</bdi>}
          </span>
          <CopyMessage read={() => wholeText(message.id)} />
        </p>
      )}
    </>
  );
}

/** Markdown in which paths are recognised; its first part, where it is very long and was never seen whole. */
function Prose({ name, text, isGrowing }: { name: string; text: string; isGrowing: boolean }) {
  const [isWhole, toggle] = useOpen(`${name}:all`);
  const lines = useMemo(() => (text.length > BLOCKS * 80 ? text.split("\n").length : 0), [text]);
  const isLong = lines > 4 * BLOCKS;
  // While it comes, its end is what is read; were it cut once it is there, that would be gone from under the reader.
  useLayoutEffect(() => {
    if (isGrowing && isLong && !isWhole) toggle();
  });
  const isCut = !isGrowing && !isWhole && isLong;
  return (
    <div class="markdown prose">
      <Recognised.Provider value={Paths}>
        <GrowingMarkdown markdown={text} depth={DEPTH} isGrowing={isGrowing} {...(isCut ? { shown: BLOCKS } : {})} />
      </Recognised.Provider>
      {isCut && (
        <button type="button" class="chip-button show-all" aria-expanded={false} onClick={toggle}>
          Show all {counted(lines, "line")}
        </button>
      )}
    </div>
  );
}

/** That Pi thought, and what. */
export function ThinkingRow({ item }: { item: PartItem }) {
  const { message, part, place, isGrowing, key } = item;
  const text = (part.text ?? "").trim();
  return (
    <div class="thinking">
      <Fold
        name={key}
        isOpenAtFirst={thinkingExpanded.value}
        isFlat={text === ""}
        class="thinking-line"
        head={
          <>
            <span class="glyph glyph-quiet">
              <Icon node={Brain} small />
            </span>
            <span class={isGrowing ? "thinking-words thinking-now" : "thinking-words"}>{isGrowing ? "Thinking" : thought(message)}</span>
            <span class="thinking-gist" aria-hidden="true">
              {gist(text)}
            </span>
          </>
        }
      >
        {() => (
          <div class="thinking-inside">
            <Prose name={`${key}:text`} text={text} isGrowing={isGrowing} />
            <CutNote words={cutOf(message.truncated, `parts.${place}`)} />
          </div>
        )}
      </Fold>
    </div>
  );
}

/** How long is known of the message only: it is the thinking's where nothing was written beside it. */
function thought({ durationMs, parts }: ChatMessage): string {
  const isAll = parts.every(({ type, text }) => type !== "text" || (text ?? "").trim() === "");
  return isAll && durationMs !== undefined && durationMs >= 1_000 ? `Thought for ${duration(durationMs)}` : "Thought";
}

const GIST_UNITS = 160;

function gist(text: string): string {
  return text.slice(0, GIST_UNITS).replace(/[*_`#]+/g, "").replace(/\s+/g, " ");
}

/** What an extension put into the conversation, under the name it has there. */
export function CustomRow({ message, name }: { message: ChatMessage; name: string }) {
  const { drawn, display } = message;
  return (
    <div class="custom">
      <p class="custom-head">
        <Icon node={Package} small />
        <bdi class="foreign">{speaker(message)}</bdi>
        {!display && <span class="tag">Hidden at the terminal</span>}
      </p>
      {drawn !== undefined ? (
        <TerminalBlock block={{ type: "terminal", lines: drawn.lines, columns: drawn.width }} name={name} label={speaker(message)} />
      ) : (
        <Parts message={message} name={name} />
      )}
    </div>
  );
}

/** All parts of a message whose kind says nothing about them. */
function Parts({ message, name }: { message: ChatMessage; name: string }) {
  const { parts, truncated, state } = message;
  return (
    <>
      {parts.map((part, place) =>
        part.type === "image" ? (
          <ImageNote key={place} part={part} />
        ) : (
          <div key={place}>
            <Prose name={`${name}:${place}`} text={part.text ?? part.args ?? ""} isGrowing={state === "streaming"} />
            <CutNote words={cutOf(truncated, `parts.${place}`)} />
          </div>
        ),
      )}
      {message.error !== undefined && <p class="tool-failure">{message.error}</p>}
    </>
  );
}

/** A message of a kind, or a part of a type, that is not known here: its text, and what it is called. */
export function OtherRow({ message, item }: { message: ChatMessage; item?: PartItem }) {
  const name = item?.key ?? message.id;
  return (
    <div class="custom">
      <p class="custom-head">
        <Icon node={MessageSquareMore} small />
        <bdi class="foreign">{item === undefined ? message.kind : item.part.type}</bdi>
      </p>
      {item === undefined ? <Parts message={message} name={name} /> : <Prose name={name} text={item.part.text ?? item.part.args ?? ""} isGrowing={item.isGrowing} />}
    </div>
  );
}

/** What was summed up, between the messages before and after it. */
export function DividerRow({ message, name }: { message: ChatMessage; name: string }) {
  const { kind, tokensBefore } = message;
  const text = textOf(message);
  const words = kind === "compaction" ? "Earlier messages were summed up" : "Came back from another branch";
  return (
    <div class="divider">
      <Fold
        name={name}
        class="divider-line"
        isFlat={text === ""}
        head={
          <>
            <Icon node={kind === "compaction" ? Package : Split} small />
            <span>
              {words}
              {tokensBefore !== undefined && <span class="nowrap"> · {counted(tokensBefore, "token")}</span>}
            </span>
          </>
        }
      >
        {() => (
          <div class="divider-inside">
            <Parts message={message} name={`${name}:text`} />
          </div>
        )}
      </Fold>
    </div>
  );
}

/** A day begins. */
export function DayRow({ at }: { at: number }) {
  const { now } = useContext(Timeline);
  return (
    <p class="day">
      <span>{dayName(at, now.value)}</span>
    </p>
  );
}

const ENDS: Readonly<Record<"error" | "aborted" | "length", { readonly icon: IconNode; readonly words: string; readonly role: string }>> = {
  error: { icon: OctagonX, words: "This answer failed", role: "danger" },
  aborted: { icon: CircleStop, words: "Stopped", role: "quiet" },
  length: { icon: TriangleAlert, words: "Cut off: the answer was longer than the model may write", role: "warning" },
};

/** That an answer did not end well. */
export function EndRow({ message }: { message: ChatMessage }) {
  const { icon, words, role } = ENDS[message.state === "error" || message.state === "aborted" ? message.state : "length"];
  // That it was stopped says the line already.
  const more = message.state === "error" ? message.error : undefined;
  return (
    <div class={`end end-${role}`}>
      <span class={`glyph glyph-${role}`}>
        <Icon node={icon} small />
      </span>
      <p>
        {words}
        {more !== undefined && <bdi class="foreign end-more">{more}</bdi>}
      </p>
    </div>
  );
}
