/** Promise: what is shown of a conversation is what the daemon tells and the pages before it: whole, once, in order, cheap to change. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Conversation } from "../../../src/chat/contract.ts";
import {
  askOlder,
  dismissNotice,
  EMPTY_CONVERSATION,
  lost,
  NEW_TALK,
  notPaged,
  paged,
  show,
  subscribed,
  take,
  type Asked,
  type Talk,
} from "../../../src/core/chat/conversation.ts";
import { NOTICES, OLDER_ROWS, OLDER_ROWS_AT_END } from "../../../src/core/chat/limits.ts";

type Json = Readonly<Record<string, unknown>>;

const S = "4242-1";
const LIVE = { isLive: true, turns: [] } as const;

function message(id: string, more: Json = {}): Json {
  return { id, entryId: id, kind: "user", at: 1, state: "done", parts: [{ type: "text", text: `text of ${id}` }], ...more };
}

/** A talk and the revision that it has come to. */
class Stream {
  talk: Talk = NEW_TALK;
  revision = 0;

  tell(event: Json): Conversation {
    this.revision += 1;
    const frame = { type: "chat_event", sessionId: S, cursor: `a:${this.revision}`, revision: this.revision, ...event };
    this.talk = take(this.talk, JSON.parse(JSON.stringify(frame)) as Json);
    return this.shown;
  }

  subscribe(): Json {
    const { talk, send } = subscribed(this.talk, S);
    this.talk = talk;
    return send as unknown as Json;
  }

  ask(): Asked {
    const wanted = askOlder(this.talk);
    assert.ok(wanted !== undefined);
    this.talk = wanted.talk;
    return wanted.asked;
  }

  page(asked: Asked, ids: readonly string[], more: boolean): Conversation {
    this.talk = paged(this.talk, asked, { messages: ids.map((id) => message(id)), more, before: more ? (ids[0] ?? null) : null });
    return this.shown;
  }

  get shown(): Conversation {
    return show(this.talk, LIVE);
  }
}

function window(ids: readonly string[], history: Json = { more: true, before: ids[0] }): Json {
  return { snapshot: { messages: ids.map((id) => message(id)), history } };
}

function begun(ids: readonly string[] = ["e3", "e4"], history?: Json): Stream {
  const stream = new Stream();
  stream.subscribe();
  stream.tell(window(ids, history));
  return stream;
}

function idsOf(shown: Conversation): string[] {
  return shown.rows.map((row) => row.message.id);
}

test("before the first messages nothing is known, and what is known then is what was told", () => {
  assert.deepEqual(show(NEW_TALK, { isLive: false, turns: [] }), EMPTY_CONVERSATION);
  const stream = new Stream();
  assert.deepEqual(stream.subscribe(), { type: "chat_subscribe", sessionId: S });
  assert.deepEqual([stream.shown.isKnown, stream.shown.isStale], [false, true]);
  const shown = stream.tell({
    snapshot: {
      messages: [message("e1")],
      history: { more: false, before: null },
      conversationId: "c1",
      streaming: true,
      stopping: { since: 5, by: "phone" },
      readOnly: true,
      readOnlyReason: "The terminal cannot be reached right now.",
      queuedFollowUps: [{ kind: "steer", position: 0, text: "north", clientTurnId: "t1", from: "phone" }],
      queueReadOnly: true,
      queueReadOnlyReason: "At the terminal only.",
      queueSteeringUnavailableReason: null,
      agent: {
        models: [{ provider: "p", id: "m", name: "M" }],
        refuses: { fork: "No." },
      },
      fork: { disabledReason: "No." },
    },
  });
  assert.deepEqual(shown, {
    isKnown: true,
    isStale: false,
    rows: [{ key: "e1", message: { ...message("e1"), display: true } }],
    older: { kind: "none" },
    boundary: { count: 0 },
    conversationId: "c1",
    streaming: true,
    stopping: { since: 5, by: "phone", overdue: false },
    readOnly: true,
    readOnlyReason: "The terminal cannot be reached right now.",
    queue: [{ kind: "steer", position: 0, text: "north", clientTurnId: "t1", from: "phone" }],
    queueReadOnlyReason: "At the terminal only.",
    agent: {
      compacting: false,
      bash: false,
      models: [{ provider: "p", id: "m", name: "M" }],
      levels: [],
      refuses: { fork: "No." },
    },
    turns: [],
    notices: [],
  });
});

test("a new connection says how far this page is, and what is told once more is the same objects", () => {
  const stream = begun(["e3", "e4"]);
  stream.tell({ snapshot: { agent: { models: [], thinkingLevel: "high" } } });
  const before = stream.shown;
  stream.talk = lost(stream.talk);
  assert.deepEqual([stream.shown.isStale, stream.shown.rows], [true, before.rows]);
  assert.deepEqual(stream.subscribe(), { type: "chat_subscribe", sessionId: S, since: "a:2", entryId: "e4" });
  stream.revision = 0;
  const messages = ["e3", "e4", "e5"].map((id) => message(id));
  const after = stream.tell({ snapshot: { messages, agent: { models: [], thinkingLevel: "high" } } });
  assert.equal(after.isStale, false);
  assert.deepEqual([after.rows[0] === before.rows[0], after.rows[1] === before.rows[1]], [true, true]);
  assert.equal(after.agent, before.agent);
  assert.deepEqual([idsOf(after), after.boundary.count], [["e3", "e4", "e5"], 0]);
});

test("a word that streams changes its row, and no other object", () => {
  const stream = begun();
  const parts = [
    { type: "thinking", text: "Hm" },
    { type: "text", text: "I " },
  ];
  stream.tell({ patches: [{ op: "add", path: "/messages/2", value: message("live:1", { entryId: null, state: "streaming", parts }) }] });
  const before = stream.shown;
  const after = stream.tell({ appends: [{ message: 2, part: 1, offset: 2, text: "plant" }] });
  assert.deepEqual([0, 1, 2].map((place) => after.rows[place] === before.rows[place]), [true, true, false]);
  assert.deepEqual(after.rows[2]?.message.parts.map(({ text }) => text), ["Hm", "I plant"]);
  assert.equal(after.rows[2]?.message.parts[0], before.rows[2]?.message.parts[0]);
  assert.deepEqual([after.queue === before.queue, after.rows[2]?.key], [true, before.rows[2]?.key]);
  const entry = message("e5", { liveId: "live:1", parts });
  assert.equal(stream.tell({ patches: [{ op: "replace", path: "/messages/2", value: entry }] }).rows[2]?.key, before.rows[2]?.key);
  const same = stream.shown.rows;
  assert.equal(stream.tell({ snapshot: { streaming: false } }).rows, same, "nothing was told of messages");
});

test("pages come before the window, once each, until there are no more", () => {
  const stream = begun(["e5", "e6"]);
  assert.deepEqual(stream.shown.older, { kind: "more" });
  const asked = stream.ask();
  assert.deepEqual([asked.before, stream.shown.older], ["e5", { kind: "loading" }]);
  assert.equal(askOlder(stream.talk), undefined, "one at a time");
  const window = stream.shown.rows;
  const shown = stream.page(asked, ["e3", "e4", "e5"], true);
  assert.deepEqual([idsOf(shown), shown.older], [["e3", "e4", "e5", "e6"], { kind: "more" }]);
  assert.deepEqual(shown.rows.slice(2), window);
  const next = stream.ask();
  assert.equal(next.before, "e3");
  const all = stream.page(next, ["e1", "e2"], false);
  assert.deepEqual([idsOf(all), all.older], [["e1", "e2", "e3", "e4", "e5", "e6"], { kind: "none" }]);
  assert.equal(askOlder(stream.talk), undefined);
});

test("a page that does not come can be asked for again; one that is empty, or unreadable, ends nowhere", () => {
  const stream = begun();
  const asked = stream.ask();
  stream.talk = notPaged(stream.talk, asked, "mirrord cannot be reached now.");
  assert.deepEqual(stream.shown.older, { kind: "failed", why: "mirrord cannot be reached now." });
  const again = stream.ask();
  assert.deepEqual(stream.shown.older, { kind: "loading" });
  stream.talk = paged(stream.talk, again, { messages: "nonsense" });
  assert.equal(stream.shown.older.kind, "failed");
  assert.deepEqual(stream.page(stream.ask(), [], true).older, { kind: "none" });
});

test("what leaves the window at its front stays, and what Pi takes away goes", () => {
  const stream = begun(["e1", "e2", "e3"], { more: false, before: null });
  const keys = stream.shown.rows.map(({ key }) => key);
  const left = stream.tell({ snapshot: { history: { more: true, before: "e2" } }, patches: [{ op: "remove", path: "/messages/0" }] });
  assert.deepEqual([idsOf(left), left.rows.map(({ key }) => key), left.older], [["e1", "e2", "e3"], keys, { kind: "none" }]);
  const gone = stream.tell({ patches: [{ op: "remove", path: "/messages/1" }] });
  assert.deepEqual(idsOf(gone), ["e1", "e2"]);

  const other = begun(["live:1", "e2"], { more: false, before: null });
  assert.deepEqual(idsOf(other.tell({ patches: [{ op: "remove", path: "/messages/0" }] })), ["e2"], "nothing is older: it was taken away");
});

test("rows before one that left without being seen to become an entry are given up, so that nothing is missing in between", () => {
  const stream = begun(["e1", "live:2", "e3", "e4"], { more: false, before: null });
  stream.tell({ patches: [{ op: "replace", path: "/messages/1", value: message("live:2", { entryId: null }) }] });
  const remove = { op: "remove", path: "/messages/0" };
  const shown = stream.tell({ snapshot: { history: { more: true, before: "e4" } }, patches: [remove, remove, remove] });
  assert.deepEqual([idsOf(shown), shown.older], [["e3", "e4"], { kind: "more" }]);
  assert.deepEqual(idsOf(stream.page(stream.ask(), ["e1", "e2"], false)), ["e1", "e2", "e3", "e4"]);
});

test("a row that leaves and comes back is there once, under the name that it had", () => {
  const stream = begun(["e1", "e2", "e3"], { more: false, before: null });
  stream.tell({ snapshot: { history: { more: true, before: "e2" } }, patches: [{ op: "remove", path: "/messages/0" }] });
  const before = stream.shown.rows.map(({ key }) => key);
  const after = stream.tell({ patches: [{ op: "add", path: "/messages/0", value: message("e1") }] });
  assert.deepEqual([idsOf(after), after.rows.map(({ key }) => key)], [["e1", "e2", "e3"], before]);
});

test("a temporary id that is used again names another row", () => {
  const live = (id: string, more: Json = {}): Json => message(id, { entryId: null, ...more });
  const stream = begun(["e1"]);
  stream.tell({ patches: [{ op: "add", path: "/messages/1", value: live("live:1") }] });
  stream.tell({ patches: [{ op: "replace", path: "/messages/1", value: message("e2", { liveId: "live:1" }) }] });
  stream.tell({ patches: [{ op: "add", path: "/messages/2", value: message("e3") }] });
  stream.tell({
    snapshot: { history: { more: true, before: "e3" } },
    patches: [
      { op: "remove", path: "/messages/0" },
      { op: "remove", path: "/messages/0" },
    ],
  });
  const shown = stream.tell({ patches: [{ op: "add", path: "/messages/1", value: live("live:1") }] });
  assert.deepEqual(idsOf(shown), ["e1", "e2", "e3", "live:1"]);
  assert.equal(new Set(shown.rows.map(({ key }) => key)).size, 4);
});

for (const [what, event] of [
  ["a boundary", { ...window(["n1"]), boundary: "new" }],
  ["a gap", { ...window(["n1"]), gap: { entryId: "e4" } }],
  ["a window that has nothing of what was shown", window(["n1"])],
] as const) {
  test(`${what} replaces all rows and is counted`, () => {
    const stream = begun();
    stream.page(stream.ask(), ["e1", "e2"], true);
    const asked = stream.ask();
    const shown = stream.tell(event);
    assert.deepEqual([idsOf(shown), shown.boundary], [["n1"], { count: 1, reason: "boundary" in event ? "new" : "gap" }]);
    assert.deepEqual(idsOf(stream.page(asked, ["e0"], true)), ["n1"], "a page of what was before is nobody's");
    assert.equal(stream.ask().before, "n1");
  });
}

test("a page that comes after rows before it were given up fits no more, and is not shown", () => {
  const stream = begun();
  const asked = stream.ask();
  stream.tell({ snapshot: { history: { more: true, before: "e4" } }, patches: [{ op: "remove", path: "/messages/0" }] });
  assert.deepEqual(idsOf(stream.page(asked, ["e1", "e2"], true)), ["e1", "e2", "e3", "e4"], "what left is in its place");
  assert.equal(stream.ask().before, "e1");
  const late: Asked = { boundary: stream.shown.boundary.count, before: "other" };
  stream.talk = { ...stream.talk, asked: late };
  assert.deepEqual(idsOf(stream.page(late, ["x"], true)), ["e1", "e2", "e3", "e4"]);
});

test("a submission that is a row is not told twice", () => {
  const stream = begun();
  const turn = { id: "t1", kind: "prompt", text: "text", stage: "accepted", at: 1 } as const;
  const told = (): number => show(stream.talk, { isLive: true, turns: [turn] }).turns.length;
  assert.equal(told(), 1);
  stream.tell({ patches: [{ op: "add", path: "/messages/2", value: message("live:1", { clientTurnId: "t1" }) }] });
  assert.equal(told(), 0);
});

test("a notice is there once, until it is dismissed, and no more than can be read", () => {
  const stream = begun();
  stream.tell({ notice: { level: "warning", text: "Pi is still busy." } });
  assert.deepEqual(stream.shown.notices, [{ id: 1, level: "warning", text: "Pi is still busy." }]);
  stream.talk = dismissNotice(stream.talk, 1);
  assert.equal(stream.shown.notices.length, 0);
  for (let count = 0; count <= NOTICES; count += 1) stream.tell({ notice: { level: "info", text: "Compacted." } });
  assert.deepEqual([stream.shown.notices.length, stream.shown.notices.at(-1)?.id], [NOTICES, NOTICES + 2]);
});

test("a stream that is of no more use shows what it showed, and is stale until it is begun anew", () => {
  const stream = begun();
  stream.tell({ patches: [{ op: "remove", path: "/messages/9" }] });
  assert.equal(stream.talk.view.error, "malformed");
  assert.deepEqual(idsOf(stream.shown), ["e3", "e4"]);
  stream.subscribe();
  assert.equal(stream.shown.isStale, true);
  assert.deepEqual(stream.tell(window(["e3", "e4"])).isStale, false);
});

// ---- against a plain list ------------------------------------------------------------------------------------------------

/** The same numbers each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const WINDOW = 8;
const PAGE = 3;

test("whatever happens, what is shown is a whole end of the conversation, with each row once under a name that stays", () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const roll = dice(seed);
    const stream = new Stream();
    let all: Json[] = Array.from({ length: roll(30) }, (_, number) => message(`s${number}`));
    let from = Math.max(0, all.length - WINDOW);
    let lives = 0;
    let names = new Map<string, string>();
    const history = (): Json => ({ more: from > 0, before: from > 0 ? (all[from]?.["id"] ?? null) : null });
    const whole = (more: Json = {}): Json => ({ snapshot: { messages: all.slice(from), history: history() }, ...more });
    stream.subscribe();
    stream.tell(whole());
    for (let step = 0; step < 120; step += 1) {
      const patches: Json[] = [];
      const last = all.length - 1;
      switch (roll(9)) {
        case 0:
        case 1: {
          // A row begins, and pushes the oldest out of the window.
          lives += 1;
          all = [...all, message(`live:${lives}`, { entryId: null, state: "streaming", parts: [{ type: "text", text: "" }] })];
          patches.push({ op: "add", path: `/messages/${all.length - 1 - from}`, value: all.at(-1) });
          break;
        }
        case 2:
        case 3: {
          const row = all[last];
          if (row?.["state"] !== "streaming") continue;
          const text = String((row["parts"] as Json[])[0]?.["text"]);
          all = all.with(last, { ...row, parts: [{ type: "text", text: `${text}w🌷` }] });
          stream.tell({ appends: [{ message: last - from, part: 0, offset: text.length, text: "w🌷" }] });
          break;
        }
        case 4: {
          // Rows become entries.
          all = all.map((row, place) => {
            if (row["entryId"] !== null) return row;
            const entry = { ...row, id: `c${seed}.${String(row["id"])}`, entryId: "yes", state: "done", liveId: row["id"] };
            const done = { ...entry, entryId: entry.id };
            patches.push({ op: "replace", path: `/messages/${place - from}`, value: done });
            return done;
          });
          break;
        }
        case 5: {
          if (last < from || roll(3) > 0) continue;
          all = all.slice(0, -1);
          patches.push({ op: "remove", path: `/messages/${last - from}` });
          break;
        }
        case 6: {
          const wanted = askOlder(stream.talk);
          if (wanted === undefined) continue;
          stream.talk = wanted.talk;
          const place = all.findIndex((row) => row["id"] === wanted.asked.before);
          const rows = all.slice(Math.max(0, place - PAGE), place);
          if (roll(4) === 0) stream.talk = notPaged(stream.talk, wanted.asked, "No.");
          else stream.talk = paged(stream.talk, wanted.asked, { messages: rows, more: place > PAGE, before: null });
          break;
        }
        case 7: {
          // The connection is lost, and something may happen meanwhile.
          stream.talk = lost(stream.talk);
          if (roll(3) === 0) {
            all = [...all, message(`away${step}`)];
            while (all.length - from > WINDOW && all[from]?.["entryId"] !== null) from += 1;
          }
          stream.subscribe();
          stream.revision = 0;
          stream.tell(whole());
          break;
        }
        case 8: {
          if (roll(6) > 0) continue;
          all = Array.from({ length: roll(12) }, (_, number) => message(`b${step}.${number}`));
          from = Math.max(0, all.length - WINDOW);
          names = new Map();
          stream.tell(whole({ boundary: "new" }));
          break;
        }
      }
      if (patches.length > 0) {
        while (all.length - from > WINDOW && all[from]?.["entryId"] !== null) {
          from += 1;
          patches.push({ op: "remove", path: "/messages/0" });
        }
        stream.tell({ patches, snapshot: { history: history() } });
      }
      const shown = stream.shown;
      const where = `seed ${seed}, step ${step}`;
      const count = shown.rows.length;
      assert.ok(count >= all.length - from, where);
      assert.deepEqual(
        shown.rows.map(({ message: { id, parts } }) => [id, parts[0]?.text]),
        (count === 0 ? [] : all.slice(-count)).map((row) => [row["id"], (row["parts"] as Json[])[0]?.["text"]]),
        where,
      );
      assert.equal(new Set(shown.rows.map(({ key }) => key)).size, count, where);
      const before = names;
      names = new Map();
      for (const { key, message: row } of shown.rows) {
        const had = before.get(row.id) ?? before.get(String((row as unknown as Json)["liveId"]));
        if (had !== undefined) assert.equal(key, had, where);
        names.set(row.id, key);
      }
      assert.equal(shown.older.kind === "none", count === all.length, where);
    }
  }
});

// ---- cost ----------------------------------------------------------------------------------------------------------------

/** A message that counts how often anything of it is looked at. */
function counted(id: string, looks: { count: number }): Json {
  return new Proxy(message(id), {
    get: (target, name) => {
      looks.count += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
}

test("with 20,000 rows a word costs a look at its row, and a page a look at its rows", () => {
  const stream = begun(Array.from({ length: 300 }, (_, number) => `w${number}`));
  const looks = { count: 0 };
  for (let page = 0; stream.shown.older.kind === "more"; page += 1) {
    const asked = stream.ask();
    const messages = Array.from({ length: 100 }, (_, number) => counted(`p${page}.${number}`, looks));
    stream.talk = paged(stream.talk, asked, { messages, more: true, before: null });
    assert.ok(page <= OLDER_ROWS / 100, "there is a bound");
  }
  assert.deepEqual([stream.shown.rows.length, stream.shown.older.kind], [OLDER_ROWS + 300, "full"]);
  assert.equal(askOlder(stream.talk), undefined);
  const live = message("live:1", { entryId: null, parts: [{ type: "text", text: "" }] });
  stream.tell({ patches: [{ op: "add", path: "/messages/300", value: live }] });
  const before = stream.shown.rows;
  looks.count = 0;
  for (let word = 0; word < 1_000; word += 1) {
    stream.tell({ appends: [{ message: 300, part: 0, offset: 5 * word, text: "word " }] });
    assert.equal(stream.shown.rows.length, before.length);
  }
  assert.ok(looks.count <= 2_000, "whether there are more is asked of the first row");
  assert.deepEqual(stream.shown.rows.slice(0, -1).every((row, place) => row === before[place]), true);
});

test("of what left the window no more is kept than may be, and the rest can be asked for again", () => {
  const stream = begun(["e0", "e1"], { more: false, before: null });
  const huge = "x".repeat(1024 * 1024);
  for (let number = 2; number < 60; number += 1) {
    stream.tell({
      snapshot: { history: { more: true, before: `e${number - 1}` } },
      patches: [
        { op: "add", path: "/messages/2", value: message(`e${number}`, { parts: [{ type: "text", text: huge }] }) },
        { op: "remove", path: "/messages/0" },
      ],
    });
  }
  const [first, ...rest] = idsOf(stream.shown);
  assert.ok(rest.length > 20 && rest.length < 40);
  assert.deepEqual([stream.shown.older, rest.at(-1)], [{ kind: "more" }, "e59"]);
  assert.equal(stream.ask().before, first);
});

/** A row more comes, and the first one of two leaves. */
function goesOn(stream: Stream, number: number): Conversation {
  return stream.tell({
    snapshot: { history: { more: true, before: `e${number - 1}` } },
    patches: [
      { op: "add", path: "/messages/2", value: message(`e${number}`) },
      { op: "remove", path: "/messages/0" },
    ],
  });
}

test("who is at the end of a long day holds little of it, and reads back what they want; who reads above loses nothing", () => {
  const stream = begun(["e0", "e1"], { more: false, before: null });
  stream.talk = { ...stream.talk, isAtEnd: true };
  let most = 0;
  for (let number = 2; number < 5_000; number += 1) most = Math.max(most, goesOn(stream, number).rows.length);
  assert.equal(most, 2 * OLDER_ROWS_AT_END + 2);
  const rest = idsOf(stream.shown);
  assert.deepEqual([stream.shown.older.kind, rest.at(-1), rest.length >= OLDER_ROWS_AT_END], ["more", "e4999", true]);
  assert.deepEqual(rest, Array.from(rest, (_, place) => `e${5_000 - rest.length + place}`), "without a hole");
  assert.equal(stream.ask().before, rest[0]);
  stream.talk = { ...stream.talk, isAtEnd: false };
  for (let number = 5_000; number < 7_000; number += 1) goesOn(stream, number);
  assert.deepEqual(idsOf(stream.shown).slice(0, rest.length), rest);
});
