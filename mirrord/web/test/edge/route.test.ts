/** Promise: Back leads to another screen, however often one comes to the same. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { followAddress, go, route, type Route } from "../../src/edge/route.ts";

/** What stands in the history, the last one shown. */
let steps: string[];
let listeners: Map<string, (event: unknown) => void>;

class FakeLink {
  readonly #href: string;
  constructor(href: string) {
    this.#href = href;
  }
  closest(): this {
    return this;
  }
  getAttribute(): string {
    return this.#href;
  }
}

const NAMES = ["history", "location", "addEventListener", "Element"] as const;

beforeEach(() => {
  steps = ["/"];
  listeners = new Map();
  const shown = (address: string): string => (address === "/" ? address : address.slice(1));
  Object.assign(globalThis, {
    history: {
      pushState: (_: unknown, __: string, address: string) => void steps.push(shown(address)),
      replaceState: (_: unknown, __: string, address: string) => void (steps = steps.with(-1, shown(address))),
    },
    location: { pathname: "/", hash: "" },
    addEventListener: (name: string, listener: (event: unknown) => void) => void listeners.set(name, listener),
    Element: FakeLink,
  });
  followAddress();
});

afterEach(() => {
  for (const name of NAMES) Reflect.deleteProperty(globalThis, name);
});

/** Whether the page follows the link itself. */
function click(href: string, more: object = {}): boolean {
  let isTaken = false;
  const keys = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, button: 0, defaultPrevented: false };
  listeners.get("click")?.({ ...keys, target: new FakeLink(href), preventDefault: () => (isTaken = true), ...more });
  return isTaken;
}

const SESSION: Route = { screen: "session", sessionId: "a" };

test("another screen, and another session, are a step", () => {
  for (const to of [SESSION, { screen: "session", sessionId: "b", prompt: "p" }, { screen: "settings" }] as const) go(to);
  assert.deepEqual(steps, ["/", "#session=a", "#session=b&prompt=p", "#settings"]);
});

test("a question of the session that is shown is none, however often one is called to it", () => {
  go(SESSION);
  for (const prompt of ["p", "q"]) {
    go({ ...SESSION, prompt });
    assert.deepEqual([steps, route.peek()], [["/", `#session=a&prompt=${prompt}`], { ...SESSION, prompt }]);
    // What was asked for is done.
    go(SESSION, { replace: true });
  }
  go(SESSION);
  assert.deepEqual(steps, ["/", "#session=a"]);
});

test("neither is a link to one; links to elsewhere, and into another window, are the browser's", () => {
  go(SESSION);
  assert.equal(click("#session=a&prompt=p"), true);
  assert.deepEqual([steps, route.peek()], [["/", "#session=a&prompt=p"], { ...SESSION, prompt: "p" }]);
  for (const href of ["#session=b", "#settings", "#", "#main", "https://example.org/#session=a"]) assert.equal(click(href), false, href);
  for (const how of [{ ctrlKey: true }, { metaKey: true }, { button: 1 }, { defaultPrevented: true }]) assert.equal(click("#session=a", how), false);
  assert.deepEqual(steps, ["/", "#session=a&prompt=p"]);
});
