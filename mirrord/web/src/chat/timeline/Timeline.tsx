import "../../surfaces/surfaces.css";
import "../chat.css";
import { ArrowDown } from "lucide";
import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { announced, SILENCE } from "../../core/announcement.ts";
import { showHidden } from "../../edge/preferences.ts";
import { Announced } from "../../design/Announced.tsx";
import { Icon } from "../../design/Icon.tsx";
import type { Conversation, ConversationActions } from "../contract.ts";
import { Timeline as Surrounding, type TimelineAround } from "../rows/around.ts";
import { countAfter, EMPTY_MODEL, modelOf, type Item, type Model } from "../rows/model.ts";
import { hasTools, nameOf } from "../rows/OneRow.tsx";
import { textOf } from "../rows/words.ts";
import { estimate } from "./estimate.ts";
import { Before, Nothing, Stale } from "./Edges.tsx";
import { keptIn, useActive, useArrows } from "./handling.ts";
import { RowShell, Sized, Space } from "./RowShell.tsx";
import { news } from "./spoken.ts";
import { useVirtual } from "./useVirtual.ts";

export interface TimelineProps {
  readonly conversation: Conversation;
  readonly actions: ConversationActions;
  readonly sessionId: string;
  /** The daemon's clock. */
  readonly now: ReadonlySignal<number>;
  /** What stands below the last message, and scrolls with it: the row that says that Pi works. */
  readonly children?: ComponentChildren;
}

/** A conversation, from its newest message back. */
export function Timeline({ conversation, actions, sessionId, now, children }: TimelineProps) {
  const { rows, older, boundary, isKnown, isStale, streaming } = conversation;
  const hidden = showHidden.value;
  const model = useModel(conversation, sessionId, hidden);
  const { items } = model;
  const list = useRef<HTMLDivElement>(null);
  const [announcement, announce] = useReducer(announced, SILENCE);
  const active = useActive();
  const current = useRef(rows);
  current.current = rows;

  const width = list.current?.clientWidth ?? Math.min(700, innerWidth - 32);
  const virtual = useVirtual(
    list,
    {
      count: items.length,
      keyOf: useCallback((index: number) => items[index]?.key ?? "", [items]),
      estimate: (index) => (items[index] === undefined ? 0 : estimate(items[index], width)),
      kept: () => keptIn(list.current, items),
      anew: `${sessionId} ${boundary.count}`,
    },
    () => older.kind === "more" && actions.loadOlder(),
  );
  const arrows = useArrows(list, items, virtual);
  const unseen = useUnseen(items, virtual.isAtEnd);
  useEffect(() => {
    actions.readsEnd(virtual.isAtEnd);
    // Who is not here reads nothing, and loses nothing.
    return () => actions.readsEnd(true);
  }, [actions, virtual.isAtEnd]);
  useNews(rows, sessionId, boundary.count, announce);

  const around = useMemo<TimelineAround>(
    () => ({
      now,
      active: active.key,
      wholeText: (id) => {
        const message = current.current.find((row) => row.message.id === id)?.message;
        return message === undefined ? "" : textOf(message);
      },
      announce,
    }),
    [now, active.key],
  );

  // One flat list: a row that stays is found again by its key.
  const drawn: ComponentChildren[] = [];
  let end = virtual.above;
  for (const { index, start, end: next } of virtual.items) {
    const item = items[index];
    if (item === undefined) continue;
    if (start - end > 0.5) drawn.push(<Space key={`before ${item.key}`} size={start - end} />);
    end = next;
    drawn.push(
      <RowShell
        key={item.key}
        item={item}
        index={index}
        count={older.kind === "none" ? items.length : -1}
        name={nameOf(item)}
        isJoined={isJoined(items[index - 1], item)}
        isAbove={index < virtual.first}
        isStop={arrows.stop === item.key}
        hasTools={hasTools(item)}
        measure={virtual.measure}
      />,
    );
  }
  return (
    <Surrounding.Provider value={around}>
      <section class="timeline" aria-label="Conversation">
        <Before isShown={items.length > 0} older={older} boundary={boundary} retry={() => actions.loadOlder()} />
        <Sized size={virtual.total} class="timeline-list" {...(items.length > 0 && { role: "feed", "aria-label": "Messages", "aria-busy": streaming })} listRef={list} {...active.handlers} onKeyDown={arrows.onKeyDown}>
          {drawn}
        </Sized>
        {items.length === 0 && <Nothing isKnown={isKnown} boundary={boundary} readOnlyReason={conversation.readOnly ? conversation.readOnlyReason : undefined} />}
        <div class="timeline-foot">
          {isStale && isKnown && <Stale />}
          {children}
        </div>
        <NewMessages isShown={!virtual.isAtEnd && items.length > 0} unseen={unseen} show={virtual.toEnd} />
        <p class="visually-hidden" role="status">
          <Announced {...announcement} />
        </p>
      </section>
    </Surrounding.Provider>
  );
}

/** Calls one after the other stand close, as do thoughts and the calls that follow them. */
function isJoined(before: Item | undefined, item: Item): boolean {
  const isQuiet = (one: Item | undefined): boolean => one?.kind === "tool" || one?.kind === "thinking" || one?.kind === "bash";
  return isQuiet(before) && isQuiet(item);
}

function useModel(conversation: Conversation, sessionId: string, hidden: boolean): Model {
  const { rows, streaming, older } = conversation;
  const made = useRef<{ of: string; model: Model }>({ of: sessionId, model: EMPTY_MODEL });
  const before = made.current.of === sessionId ? made.current.model : EMPTY_MODEL;
  const model = modelOf(before, rows, { hidden, streaming, isStart: older.kind === "none" });
  made.current = { of: sessionId, model };
  return model;
}

/** A pill that leads back to the end, and says how much came meanwhile. */
function NewMessages({ isShown, unseen, show }: { isShown: boolean; unseen: number; show: () => void }) {
  if (!isShown) return null;
  const words = unseen === 0 ? "To the end" : unseen === 1 ? "1 new message" : `${unseen} new messages`;
  return (
    <div class="to-end">
      <button type="button" class={unseen > 0 ? "to-end-pill to-end-new" : "to-end-pill"} onClick={show} aria-label={words}>
        {unseen > 0 && <span>{words}</span>}
        <Icon node={ArrowDown} small />
      </button>
    </div>
  );
}

/** How many messages began since the reader left the end. */
function useUnseen(items: readonly Item[], isAtEnd: boolean): number {
  const seen = useRef<string | undefined>(undefined);
  if (isAtEnd || seen.current === undefined) seen.current = items.at(-1)?.key;
  const last = seen.current;
  return useMemo(() => (isAtEnd ? 0 : countAfter(items, last)), [items, isAtEnd, last]);
}

/** Tells of messages when they are whole. */
function useNews(rows: Conversation["rows"], sessionId: string, boundary: number, announce: (words: string) => void): void {
  const told = useRef({ of: `${sessionId} ${boundary}`, rows });
  useEffect(() => {
    const of = `${sessionId} ${boundary}`;
    const words = told.current.of === of ? news(told.current.rows, rows) : "";
    told.current = { of, rows };
    if (words !== "") announce(words);
  }, [rows, sessionId, boundary]);
}
