// Promise: what a custom dialog draws is told from its first frame to its last, and said to be private as soon as it may be.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Recorder } from "../../../bridge/extension/components.ts";
import { Dialogs } from "../../../bridge/extension/dialogs.ts";
import { UPDATE_MS } from "../../../bridge/extension/limits.ts";
import type { Outgoing, View } from "../../../bridge/extension/protocol.ts";
import type { Callable } from "../../../bridge/extension/registry.ts";
import { Views } from "../../../bridge/extension/views.ts";
import { Watch } from "../../../bridge/extension/watch.ts";
import { around, blankRegistry } from "./blank.ts";
import { BoardStage } from "./board_stage.ts";
import { settled, StackMode, type Factory } from "./pi_fakes.ts";

let stage: BoardStage;
let pi: StackMode;
let recorder: Recorder;
let views: Views;
let dialogs: Dialogs;
let sees: boolean;

beforeEach(() => {
  stage = new BoardStage();
  pi = new StackMode();
  recorder = new Recorder();
  sees = true;
  views = new Views({ board: stage.board, recorder, sees: () => sees, drawn: () => {} });
  const keyboard = pi.createExtensionUIContext().onTerminalInput as never;
  dialogs = new Dialogs(blankRegistry(), new Watch(), around((key, make) => stage.put(key, make), { views, keyboard }));
});

afterEach(() => stage.end());

function custom(factory: unknown, options?: object): Promise<unknown> {
  const ui = pi.createExtensionUIContext();
  return dialogs.race("custom", ui, ui.custom as Callable, [factory, options]) as Promise<unknown>;
}

function told(messages: Outgoing[] = stage.said()): View[] {
  return messages.filter((message) => message.type === "view");
}

/** After a frame, and the time in which what was drawn is told. */
function drawn(width = 80): View[] {
  pi.draw(width);
  stage.pass(UPDATE_MS);
  return told();
}

/** A dialog of these lines that ends when `end` is called. */
function dialog(...lines: string[]): { factory: Factory; lines: string[]; end: (value?: unknown) => void } {
  const made = {
    lines,
    end: (_value?: unknown): void => {},
    factory: ((_screen, _theme, _keys, done) => {
      made.end = done;
      return { render: () => made.lines };
    }) as Factory,
  };
  return made;
}

test("a dialog is told as it is drawn, under the id of its prompt, after that", () => {
  const one = dialog("Pick", "a");
  void custom(one.factory, { overlay: true });
  pi.draw(80);
  stage.pass(UPDATE_MS);
  const [opened, view, ...rest] = stage.said();
  assert.ok(opened?.type === "prompt_opened");
  assert.deepEqual(view, { type: "view", id: opened.prompt.id, lines: ["Pick", "a"], width: 80, overlay: true, typing: false, source: opened.prompt.source });
  assert.deepEqual(rest, []);
  one.lines = ["Pick", "b"];
  assert.deepEqual(drawn().map(({ lines }) => lines), [["Pick", "b"]]);
  assert.deepEqual(drawn(), []);
});

test("the last frame comes before the settlement, also of a dialog that closes at once", async () => {
  const one = dialog("Loading");
  const shown = custom(one.factory);
  const heard = stage.said();
  pi.draw(80);
  one.lines = ["Done"];
  pi.draw(80);
  one.end("value");
  assert.equal(await shown, "value");
  assert.deepEqual([...heard, ...stage.said()].map((message) => [message.type, "lines" in message && message.lines]), [
    ["prompt_opened", false],
    ["view", ["Done"]],
    ["prompt_settled", false],
  ]);
});

test("of a dialog that is over before a daemon was told of it only the end is told", async () => {
  const one = dialog("Loading");
  const shown = custom(one.factory);
  pi.draw(80);
  stage.pass(UPDATE_MS);
  one.end("value");
  await shown;
  assert.deepEqual(stage.said().map(({ type }) => type), ["prompt_settled"]);
});

test("a dialog that ends before it is drawn has no view", async () => {
  const shown = custom((_screen: unknown, _theme: unknown, _keys: unknown, done: (value: unknown) => void) => {
    done("at once");
    return { render: () => ["never"] };
  });
  assert.equal(await shown, "at once");
  await settled();
  assert.deepEqual([told(), stage.resynced(views.states())], [[], []]);
});

test("when it is over its component is as it was, and tells nothing", async () => {
  const component = { render: (_width: number) => ["a"] };
  const { render } = component;
  let end = (_value: unknown): void => {};
  const shown = custom((_screen: unknown, _theme: unknown, _keys: unknown, done: (value: unknown) => void) => ((end = done), component));
  drawn();
  assert.notEqual(component.render, render);
  end(1);
  await shown;
  assert.equal(component.render, render);
  component.render(60);
  stage.pass(UPDATE_MS);
  assert.deepEqual(told(), []);
});

test("a factory may make its component later, fail, or be none", async () => {
  const component = { render: (_width: number) => ["later"] };
  const prepared = views.prepare(async () => component, undefined, undefined);
  assert.ok(prepared);
  prepared.view.isOffered = true;
  views.opened("id", prepared.view);
  assert.equal(await (prepared.factory() as Promise<unknown>), component);
  component.render(80);
  stage.pass(UPDATE_MS);
  assert.deepEqual(told(), [{ type: "view", id: "id", lines: ["later"], width: 80, overlay: false, typing: false }]);
  await assert.rejects(custom(() => assert.fail("no dialog")), /no dialog/);
  const failing = views.prepare(() => Promise.reject(new Error("later")), undefined, undefined);
  await assert.rejects(failing?.factory() as Promise<unknown>, /later/);
  assert.equal(views.prepare(undefined, undefined, undefined), undefined);
});

test("the factory gets all that Pi gives it", () => {
  const given: unknown[] = [];
  void custom((...args: unknown[]) => (given.push(...args), { render: () => [] }));
  assert.deepEqual([given.length, given[0]], [4, pi.screen]);
});

/** A dialog that draws what `draw` says, and whether its next frame is told as private. */
function watched(draw: { now: () => string[] }): () => boolean | undefined {
  const component = { render: (_width: number) => draw.now() };
  const prepared = views.prepare(() => component, undefined, undefined);
  assert.ok(prepared);
  prepared.factory();
  prepared.view.isOffered = true;
  views.opened("id", prepared.view);
  return () => {
    component.render(80);
    stage.pass(UPDATE_MS);
    return told()[0]?.typing;
  };
}

test("a text field in it, and a caret of any kind, make it private to the end", () => {
  const field = (): string[] => (recorder.field(), ["> text"]);
  for (const typed of [field, () => ["> \u001b_pi:c\u0007"], () => ["> \u001b_pi:fc\u0007 \u001b_pi:/fc\u0007"]]) {
    const draw = { now: () => ["Pick"] };
    const isPrivate = watched(draw);
    assert.equal(isPrivate(), false);
    draw.now = typed;
    assert.equal(isPrivate(), true);
    draw.now = () => ["You wrote: text"];
    assert.equal(isPrivate(), true);
  }
});

test("text that is typed makes every open view private; other keys do not", () => {
  const one = dialog("WASD");
  void custom(one.factory);
  assert.equal(drawn()[0]?.typing, false);
  for (const key of ["\u001b[A", "\r", "\t", " ", "\u007f", "\u0003"]) pi.press(key);
  one.lines = ["moved"];
  assert.equal(drawn()[0]?.typing, false);
  pi.press("w");
  one.lines = ["w"];
  assert.equal(drawn()[0]?.typing, true);
});

test("where neither fields nor keys are seen, every view is private", () => {
  sees = false;
  assert.equal(watched({ now: () => ["Pick"] })(), true);
});

test("who comes later is told of the views that are open", () => {
  stage.linked = false;
  const one = dialog("Pick");
  void custom(one.factory);
  drawn();
  dialogs.tell((key, make) => stage.put(key, make));
  stage.said();
  stage.linked = true;
  assert.deepEqual(told(stage.resynced(views.states())).map(({ lines }) => lines), [["Pick"]]);
  views.forget();
  assert.deepEqual(stage.resynced(views.states()), []);
});
