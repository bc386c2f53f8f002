/** Promise: the line under the text says first why Enter would do nothing, and nothing else stands before that. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { hintOf, type Around } from "../../../src/core/composer/hint.ts";
import { NOTHING, type Intent } from "../../../src/core/composer/intent.ts";

const REFUSED: Intent = { kind: "refused", why: "/login is at the terminal only." };
const STEER: Intent = { kind: "submit", submission: { kind: "steer", text: "Hello" }, verb: "Steer", what: "Steer: Pi reads it at its next step" };
const PROMPT: Intent = { kind: "submit", submission: { kind: "prompt", text: "Hello" }, verb: "Send" };
const CALM: Around = { isStale: false, failure: undefined, isKept: true };
const OVERDUE = { stopping: { since: 0, by: "phone", overdue: true } };
const CANNOT = { agent: { compacting: false, bash: false, models: [], levels: [], refuses: {}, cannotRun: "No API key." } };

for (const [name, intent, around, expected] of [
  ["why a text is refused, whatever went wrong before", REFUSED, { ...OVERDUE, failure: "Nobody stopped it." }, ["problem", "/login is at the terminal only."]],
  ["that Stop did not happen", STEER, { ...OVERDUE, failure: "Nobody stopped it." }, ["problem", "Nobody stopped it."]],
  ["that Stop takes long", STEER, OVERDUE, ["problem", "Pi is still busy after Stop: a tool may not react."]],
  ["that this Pi cannot run, before anything is typed", NOTHING, CANNOT, ["problem", "No API key."]],
  ["that the browser keeps nothing", STEER, { isKept: false, isStale: true }, ["problem", "This text is too long for this browser to keep: it lasts as long as the page."]],
  ["that there is no connection", STEER, { isStale: true }, ["waits", "Not connected: it is kept here, for you to send when the link is back."]],
  ["what sending does", STEER, {}, ["steer", "Steer: Pi reads it at its next step"]],
  ["nothing where the button says it", PROMPT, {}, undefined],
  ["nothing while there is nothing to say", NOTHING, { isStale: true, isKept: false }, undefined],
] as const) {
  test(`it says ${name}`, () => {
    const hint = hintOf(intent, { ...CALM, ...around });
    assert.deepEqual(hint && [hint.kind, hint.text], expected);
  });
}
