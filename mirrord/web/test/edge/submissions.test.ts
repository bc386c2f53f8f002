/** Promise: what was sent survives the page, is the same in all tabs of a browser, and goes out from one of them alone, whichever lives. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { sessionOf } from "../../src/core/chat/journal.ts";
import type { Receipt } from "../../src/core/chat/messages.ts";
import { LATE_MS } from "../../src/core/chat/turns.ts";
import { RETRY_MS } from "../../src/core/pending.ts";
import { Submissions } from "../../src/edge/submissions.ts";
import type { ClientMessage } from "../../src/protocol.ts";
import { FakeLocks, FakeShelf } from "./browser.ts";

const S = "4242-1";

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());

/** Tabs of one browser. */
class Browser {
  readonly shelf = new FakeShelf();
  readonly locks = new FakeLocks();
  readonly tabs = new Map<number, Submissions>();
  readonly sent: [number, ClientMessage][] = [];
  now = 1_000;
  #opened = 0;

  open(): Tab {
    const tab = (this.#opened += 1);
    const post = { locks: this.locks.of(tab), send: (message: ClientMessage) => void this.sent.push([tab, message]), now: () => this.now };
    const shelf = new Proxy(this.shelf, {
      get: (all, name: keyof FakeShelf) => {
        // A tab is told of what the others store, not of what it stores itself.
        all.onChange = (key) => this.#storage(tab, key);
        const value = all[name];
        return typeof value === "function" ? (value as () => unknown).bind(all) : value;
      },
    });
    const submissions = new Submissions(S, post, shelf);
    this.tabs.set(tab, submissions);
    return { tab, submissions };
  }

  /** The tab crashes, or is closed. */
  end({ tab, submissions }: Tab): void {
    submissions.stop();
    this.tabs.delete(tab);
    this.locks.end(tab);
  }

  /** Which tab sent what, since this was asked last. */
  outgoing(): string[] {
    return this.sent.splice(0).map(([tab, message]) => `${tab} ${message.type === "chat_action" ? message.action : message.type}`);
  }

  /** The turns of which something was sent, since this was asked last. */
  ids(): string[] {
    return this.sent.splice(0).flatMap(([, message]) => (message.type === "chat_action" ? [message.clientTurnId] : []));
  }

  #storage(by: number, key: string): void {
    if (sessionOf(key) !== S) return;
    queueMicrotask(() => {
      for (const [tab, submissions] of this.tabs) if (tab !== by) submissions.reload();
    });
  }
}

interface Tab {
  readonly tab: number;
  readonly submissions: Submissions;
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function stages({ submissions }: Tab): string[] {
  return submissions.shown.map(({ text, stage }) => `${text}: ${stage}`);
}

function receipt(id: string, stage: Receipt["stage"], code?: string): Receipt {
  return { type: "receipt", sessionId: S, clientTurnId: id, stage, ...(code === undefined ? {} : { code }) };
}

test("a page that ends before the receipt sends it again when it is opened anew, under the same id", async () => {
  const browser = new Browser();
  const before = browser.open();
  before.submissions.back();
  const id = before.submissions.submit("prompt", "Plant tulips");
  await settle();
  assert.deepEqual(browser.outgoing(), ["1 submit"]);
  browser.end(before);

  const after = browser.open();
  assert.deepEqual(stages(after), ["Plant tulips: unsure"]);
  await settle();
  assert.deepEqual(browser.outgoing(), [], "there is no connection yet");
  after.submissions.back();
  assert.deepEqual(browser.ids(), [id]);
  after.submissions.receive(receipt(id, "consumed"));
  assert.deepEqual([stages(after), browser.shelf.length], [[], 0]);
  browser.end(after);
});

test("a page that is opened much later does not send it by itself: the person decides", async () => {
  const browser = new Browser();
  const before = browser.open();
  before.submissions.back();
  before.submissions.submit("prompt", "Plant tulips");
  browser.end(before);
  browser.outgoing();
  browser.now += LATE_MS + 1;
  const after = browser.open();
  await settle();
  after.submissions.back();
  assert.deepEqual([stages(after), browser.outgoing()], [["Plant tulips: unknown"], []]);
  browser.end(after);
});

test("a page that slept long does not send it by itself either, on whichever clock it wakes first", async () => {
  for (const wake of ["connection", "timer"] as const) {
    const browser = new Browser();
    const page = browser.open();
    page.submissions.back();
    page.submissions.submit("prompt", "Plant tulips");
    await settle();
    browser.outgoing();
    browser.now += LATE_MS + 1;
    if (wake === "timer") mock.timers.tick(RETRY_MS + 1);
    else {
      page.submissions.lost();
      page.submissions.back();
    }
    assert.deepEqual([stages(page), browser.outgoing()], [["Plant tulips: unknown"], []], wake);
    browser.end(page);
  }
});

test("of two tabs the one that it was typed in sends it, both show the same, and the other takes over when that one is gone", async () => {
  const browser = new Browser();
  const [one, other] = [browser.open(), browser.open()];
  for (const { submissions } of [one, other]) submissions.back();
  const id = one.submissions.submit("steer", "north first");
  await settle();
  assert.deepEqual([browser.outgoing(), stages(other)], [["1 submit"], ["north first: sending"]]);
  one.submissions.receive(receipt(id, "queued"));
  await settle();
  assert.deepEqual(stages(other), ["north first: queued"]);
  other.submissions.back();
  assert.deepEqual(browser.outgoing(), [], "a new connection of the other tab is none of its business");

  browser.end(one);
  await settle();
  assert.deepEqual(browser.outgoing(), ["2 submit"], "to be told what becomes of it");
  other.submissions.receive(receipt(id, "consumed"));
  assert.deepEqual([stages(other), browser.shelf.length], [[], 0]);
  browser.end(other);
});

test("what failed can be tried again, or given up, in either tab", async () => {
  const browser = new Browser();
  const [one, other] = [browser.open(), browser.open()];
  for (const { submissions } of [one, other]) submissions.back();
  const refused = one.submissions.submit("prompt", "first");
  const unknown = one.submissions.submit("prompt", "second");
  await settle();
  one.submissions.receive(receipt(refused, "rejected", "refused"));
  one.submissions.receive(receipt(unknown, "unknown"));
  browser.outgoing();
  await settle();
  assert.deepEqual(stages(other), ["first: rejected", "second: unknown"]);
  other.submissions.retry(refused);
  assert.equal(other.submissions.discard(unknown), "second");
  await settle();
  assert.deepEqual([stages(one), stages(other)], [["first: sending"], ["first: sending"]]);
  assert.deepEqual(browser.outgoing().sort(), ["2 discard", "2 submit"]);
  other.submissions.receive(receipt(unknown, "unknown", "discarded"));
  assert.deepEqual([...browser.shelf.items.values()].map((json) => json.includes("second")), [false]);
  for (const tab of [one, other]) browser.end(tab);
});

test("without a receipt it goes out again each time, from one tab", async () => {
  const browser = new Browser();
  const [one, other] = [browser.open(), browser.open()];
  for (const { submissions } of [one, other]) submissions.back();
  one.submissions.submit("prompt", "Plant tulips");
  await settle();
  const clock = mock.method(performance, "now");
  for (const round of [1, 2]) {
    const at = performance.now() + round * RETRY_MS + 1;
    clock.mock.mockImplementation(() => at);
    mock.timers.tick(RETRY_MS + 1);
  }
  clock.mock.restore();
  assert.deepEqual([browser.outgoing(), stages(one)], [["1 submit", "1 submit", "1 submit"], ["Plant tulips: unsure"]]);
  for (const tab of [one, other]) browser.end(tab);
});

test("a storage that is full or forbidden loses nothing of what this page knows", async () => {
  const browser = new Browser();
  browser.shelf.room = 10;
  const tab = browser.open();
  tab.submissions.back();
  const failed = tab.submissions.submit("prompt", "first");
  tab.submissions.receive(receipt(failed, "rejected", "refused"));
  tab.submissions.submit("prompt", "second");
  await settle();
  assert.deepEqual(stages(tab), ["first: rejected", "second: sending"]);
  browser.end(tab);
});
