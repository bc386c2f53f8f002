// Promise: a widget is told as the author gave it or as the terminal drew it, until it is cleared; Pi has it as it would without us.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Recorder } from "../../../bridge/extension/components.ts";
import { KEY_BYTES, UPDATE_MS, WIDGETS } from "../../../bridge/extension/limits.ts";
import type { Outgoing, Widget } from "../../../bridge/extension/protocol.ts";
import { performed } from "../../../bridge/extension/step.ts";
import { Widgets } from "../../../bridge/extension/widgets.ts";
import { BoardStage } from "./board_stage.ts";
import { StackMode, type ComponentFactory } from "./pi_fakes.ts";

let stage: BoardStage;
let pi: StackMode;
let recorder: Recorder;
let widgets: Widgets;
let colours: number;
let gaveWay: number;

beforeEach(() => {
  stage = new BoardStage();
  pi = new StackMode();
  recorder = new Recorder();
  [colours, gaveWay] = [0, 0];
  const { board, sources } = stage;
  widgets = new Widgets({ board, recorder, sources, drawn: () => (colours += 1), gaveWay: () => (gaveWay += 1) });
});

afterEach(() => stage.end());

const ui = new Proxy({} as ReturnType<StackMode["createExtensionUIContext"]>, {
  get: () => {
    const { setWidget } = pi.createExtensionUIContext();
    return (...args: unknown[]) => performed("ui.drawn", () => widgets.step(args), { self: undefined, original: setWidget as never, args });
  },
});

function told(messages: Outgoing[] = stage.said()): Widget[] {
  return messages.filter((message) => message.type === "widget");
}

/** After a frame, and the time in which what was drawn is told. */
function drawn(width = 80): Widget[] {
  pi.draw(width);
  stage.pass(UPDATE_MS);
  return told();
}

const text = (...lines: string[]): ComponentFactory => () => ({ render: () => lines });
const LINES = { type: "widget", key: "notes", placement: "aboveEditor", width: null } as const;
const DRAWN = { ...LINES, width: 80 };

test("lines are told at once, as they were given then, and cleared", () => {
  const lines = ["Notes", "\u001b[31mfirst"];
  ui.setWidget("notes", lines);
  lines.push("later");
  assert.deepEqual(told(), [{ ...LINES, lines: ["Notes", "\u001b[31mfirst"] }]);
  assert.deepEqual(pi.draw(80), [["Notes", "\u001b[31mfirst", "later"]]);
  stage.pass(UPDATE_MS);
  ui.setWidget("notes", undefined);
  assert.deepEqual(told(), [{ ...LINES, lines: null }]);
  stage.pass(UPDATE_MS);
  ui.setWidget("notes", undefined);
  ui.setWidget("never", undefined);
  assert.deepEqual(told(), []);
});

test("no lines at all are a widget without lines, which the daemon judges", () => {
  ui.setWidget("notes", []);
  assert.deepEqual(told(), [{ ...LINES, lines: [] }]);
});

test("both placements are told; a key is in one of them", () => {
  ui.setWidget("notes", ["a"], { placement: "belowEditor" });
  ui.setWidget("other", ["b"], { placement: "aboveEditor" });
  ui.setWidget("odd", ["c"], { placement: "left" });
  assert.deepEqual(told().map(({ placement }) => placement), ["belowEditor", "aboveEditor", "aboveEditor"]);
  stage.pass(UPDATE_MS);
  ui.setWidget("notes", ["a"]);
  assert.deepEqual(told(), [{ ...LINES, lines: ["a"] }]);
});

test("a component is told as it was drawn, not before, and never within the frame", () => {
  ui.setWidget("notes", text("drawn"));
  stage.pass(UPDATE_MS);
  assert.deepEqual(told(), []);
  pi.draw(80);
  assert.deepEqual(told(), []);
  stage.pass(1);
  assert.deepEqual(told(), [{ ...DRAWN, lines: ["drawn"] }]);
  assert.deepEqual([drawn(), drawn()], [[], []]);
  assert.deepEqual(drawn(60), [{ ...DRAWN, width: 60, lines: ["drawn"] }]);
});

test("the factory is called once, on what Pi calls it on, with what Pi gives it", () => {
  const given: unknown[] = [];
  ui.setWidget("notes", function (this: unknown, ...args: unknown[]) {
    given.push(this, ...args);
    return { render: () => [] };
  } as ComponentFactory);
  assert.deepEqual([given.length, given[1]], [3, pi.screen]);
});

test("a widget that takes another's place is told when it is drawn; nothing is cleared in between", () => {
  let disposed = 0;
  ui.setWidget("notes", () => ({ render: () => ["old"], dispose: () => (disposed += 1) }));
  drawn();
  ui.setWidget("notes", text("new"));
  assert.equal(disposed, 1);
  stage.pass(UPDATE_MS);
  assert.deepEqual(told(), []);
  assert.deepEqual(drawn(), [{ ...DRAWN, lines: ["new"] }]);
});

test("the same component set again is the same widget, and told no more than once", () => {
  const component = { render: () => ["same"] };
  ui.setWidget("notes", () => component);
  assert.deepEqual(drawn(), [{ ...DRAWN, lines: ["same"] }]);
  ui.setWidget("notes", () => component);
  assert.deepEqual(drawn(), []);
  ui.setWidget("again", () => component);
  assert.deepEqual(drawn(), [{ ...DRAWN, key: "again", lines: ["same"] }]);
});

test("a factory that throws throws to its caller, and Pi has nothing under the key any more", () => {
  ui.setWidget("notes", ["old"]);
  told();
  stage.pass(UPDATE_MS);
  assert.throws(() => ui.setWidget("notes", () => assert.fail("no widget")), /no widget/);
  assert.deepEqual([told(), pi.widgets.size], [[{ ...LINES, lines: null }], 0]);
});

test("what Pi refuses is refused to its caller", () => {
  ui.setWidget("notes", ["old"]);
  told();
  stage.pass(UPDATE_MS);
  pi.createExtensionUIContext = () => ({ setWidget: () => assert.fail("not a function") }) as never;
  assert.throws(() => ui.setWidget("notes", null as never), /not a function/);
  assert.deepEqual(told(), [{ ...LINES, lines: null }]);
});

test("a component that cannot be watched is not told, and what it took the place of is cleared", () => {
  ui.setWidget("notes", ["old"]);
  told();
  stage.pass(UPDATE_MS);
  ui.setWidget("notes", () => Object.freeze({ render: () => ["frozen"] }));
  assert.deepEqual(pi.draw(80), [["frozen"]]);
  assert.deepEqual(told(), [{ ...LINES, lines: null }]);
});

test("a component that cannot be watched may still speak for itself", () => {
  ui.setWidget("notes", () => Object.freeze({ render: () => ["frozen"], renderNative: () => ({ blocks: [] }) }));
  stage.pass(1);
  assert.deepEqual(told(), [{ ...LINES, lines: [], native: { blocks: [] } }]);
});

test("renderNative is called out of the frame, at most 20 times a second, and told when what it gives has changed", () => {
  let [calls, isInFrame] = [0, false];
  const component = {
    value: 0,
    render: (_width: number) => ["same"],
    renderNative: () => {
      assert.ok(!isInFrame);
      calls += 1;
      return { blocks: [component.value] };
    },
  };
  ui.setWidget("notes", () => component);
  const messages: Widget[] = [];
  for (let frame = 0; frame < 1_000; frame += 1) {
    isInFrame = true;
    pi.draw(80);
    isInFrame = false;
    component.value = Math.floor(frame / 500);
    stage.pass(1);
    messages.push(...told());
  }
  assert.deepEqual(messages.map(({ native }) => native), [{ blocks: [0] }, { blocks: [1] }]);
  assert.ok(calls <= 21, `${calls}`);
});

test("what renderNative draws for itself is not what the terminal drew", () => {
  const component = {
    render: (width: number) => [`${width} columns`],
    renderNative: () => ({ fallback: { lines: component.render(40) } }),
  };
  ui.setWidget("notes", () => component);
  assert.deepEqual(drawn(), [{ ...DRAWN, lines: ["80 columns"], native: { fallback: { lines: ["40 columns"] } } }]);
  assert.deepEqual(drawn(), []);
});

test("renderNative that sets widgets itself neither runs again within itself nor without end", () => {
  let depth = 0;
  ui.setWidget("notes", () => ({
    render: () => ["a"],
    renderNative: () => {
      assert.equal((depth += 1), 1);
      ui.setWidget("other", ["set"]);
      ui.setWidget("notes", ["now lines"]);
      depth -= 1;
      return { blocks: [] };
    },
  }));
  drawn();
  stage.pass(UPDATE_MS);
  const resynced = told(stage.resynced(widgets.states()));
  assert.deepEqual(resynced.map(({ key, lines }) => [key, lines]), [["other", ["set"]], ["notes", ["now lines"]]]);
});

test("renderNative that fails leaves the lines", () => {
  ui.setWidget("notes", () => ({ render: () => ["a"], renderNative: () => assert.fail("no data") }));
  const [message] = drawn();
  assert.deepEqual(message?.lines, ["a"]);
  assert.match(message?.nativeError ?? "", /no data/);
});

test("what was cut, of the lines and of what was said, is one list", () => {
  const many = Array<string>(200).fill("x");
  ui.setWidget("notes", () => ({ render: () => many, renderNative: () => ({ blocks: ["x".repeat(2 ** 20)] }) }));
  assert.deepEqual(drawn()[0]?.truncated, [
    { field: "lines", shown: 160, total: 200 },
    { field: "native.blocks", shown: 0, total: 1 },
  ]);
});

test("a text field in a widget shows what a person types: its lines are not told", () => {
  ui.setWidget("notes", () => ({ render: () => (recorder.field(), ["> my secret", "hint"]) }));
  assert.deepEqual(drawn(), [{ ...DRAWN, lines: [], truncated: [{ field: "lines", shown: 0, total: 2 }] }]);
});

test("a component that throws while it is drawn is told as it was before", () => {
  const component = {
    isBroken: false,
    render: (_width: number) => (component.isBroken ? assert.fail("broken") : ["a"]),
  };
  ui.setWidget("notes", () => component);
  drawn();
  component.isBroken = true;
  assert.throws(() => pi.draw(80), /broken/);
  stage.pass(UPDATE_MS);
  assert.deepEqual(told(), []);
});

test("colours are told before lines that were drawn, and not for lines that were given", () => {
  ui.setWidget("lines", ["a"]);
  assert.equal(colours, 0);
  ui.setWidget("notes", text("a"));
  drawn();
  assert.equal(colours, 1);
});

test("who set it is told, and known on when the call stack is not looked at", () => {
  stage.source = "plan-mode";
  ui.setWidget("notes", ["a"]);
  stage.source = undefined;
  stage.pass(UPDATE_MS);
  ui.setWidget("notes", ["b"]);
  assert.deepEqual(told(), [{ ...LINES, lines: ["b"], source: "plan-mode" }]);
});

test("WIDGETS keys are kept; then the oldest untouched gives way, and is counted", () => {
  for (let n = 0; n < WIDGETS; n += 1) ui.setWidget(`k${n}`, ["x"]);
  told();
  stage.pass(UPDATE_MS);
  ui.setWidget("k0", ["touched"]);
  ui.setWidget("new", ["y"], { placement: "belowEditor" });
  assert.deepEqual(told().map(({ key, lines }) => [key, lines]), [["k0", ["touched"]], ["new", ["y"]], ["k1", null]]);
  const keys = told(stage.resynced(widgets.states())).map(({ key }) => key);
  assert.deepEqual([keys.length, keys.includes("k0"), keys.includes("k1"), gaveWay], [WIDGETS, true, false, 1]);
});

test("a key is cut to KEY_BYTES, and whatever it is, it is a text", () => {
  ui.setWidget("k".repeat(KEY_BYTES + 1), ["x"]);
  ui.setWidget(5 as never, ["x"]);
  assert.deepEqual(told().map(({ key }) => key), ["k".repeat(KEY_BYTES), "5"]);
});

test("who comes later is told what is there, in order, with what the component says now", () => {
  stage.linked = false;
  let value = 0;
  ui.setWidget("given", ["a"]);
  ui.setWidget("gone", ["b"]);
  ui.setWidget("gone", undefined);
  ui.setWidget("notes", () => ({ render: () => ["drawn"], renderNative: () => ({ blocks: [(value += 1)] }) }));
  ui.setWidget("not drawn yet", text("x"));
  pi.widgets.get("notes")?.render(80);
  stage.pass(UPDATE_MS);
  stage.linked = true;
  assert.equal(value, 0);
  assert.deepEqual(told(stage.resynced(widgets.states())), [
    { ...LINES, key: "given", lines: ["a"] },
    { ...DRAWN, lines: ["drawn"], native: { blocks: [1] } },
  ]);
});

test("what is forgotten is told no more, and its component is as it was", () => {
  const component = { render: (_width: number) => ["a"] };
  const { render } = component;
  ui.setWidget("notes", () => component);
  drawn();
  widgets.forget();
  assert.deepEqual([drawn(70), component.render, stage.resynced(widgets.states())], [[], render, []]);
});
