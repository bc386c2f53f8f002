// Promise: what the terminal draws is noted and never changed: a component draws, throws and is as it would be without us.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Recorder, type Frame } from "../../../bridge/extension/components.ts";
import { DRAWN_LINES } from "../../../bridge/extension/limits.ts";

let recorder: Recorder;
let seen: [Frame, boolean][];

beforeEach(() => {
  recorder = new Recorder();
  seen = [];
});

const look = (frame: Frame, isNew: boolean): void => void seen.push([frame, isNew]);
const frames = (): [number, readonly unknown[]][] => seen.filter(([, isNew]) => isNew).map(([frame]) => [frame.width, frame.kept]);

test("a frame is noted with its width, and the array that is returned is the component's own", () => {
  const lines = ["a", "b"];
  const component = { render: (_width: number) => lines };
  assert.ok(recorder.watch(component, look));
  assert.equal(component.render(80), lines);
  lines.push("c");
  assert.deepEqual(frames(), [[80, ["a", "b"]]]);
});

test("a method of a class keeps its `this`, its private fields and all of its arguments", () => {
  class Mine {
    #lines = ["mine"];
    render(width: number, ...more: unknown[]): string[] {
      return [...this.#lines, `${width}`, ...more.map(String)];
    }
  }
  const mine = new Mine();
  recorder.watch(mine, look);
  assert.deepEqual(mine.render(80, "x", "y"), ["mine", "80", "x", "y"]);
  assert.deepEqual(new Mine().render(1), ["mine", "1"]);
  assert.deepEqual([frames().length, Object.keys(mine), JSON.stringify({ ...mine })], [1, [], "{}"]);
});

test("what throws throws the same, and is no frame", () => {
  const error = new Error("no lines");
  const component = {
    render: () => {
      throw error;
    },
  };
  recorder.watch(component, look);
  assert.throws(() => component.render(), (thrown) => thrown === error);
  assert.deepEqual(seen, []);
});

test("what is no array of lines is returned as it is, and is no frame", () => {
  for (const odd of [undefined, null, "text", { length: 1 }, 5]) {
    const component = { render: (_width: number) => odd };
    recorder.watch(component, look);
    assert.equal(component.render(80), odd);
  }
  const widthless = { render: (_width: unknown) => ["a"] };
  recorder.watch(widthless, look);
  for (const width of [undefined, "80", NaN, 1.5, -1]) assert.deepEqual(widthless.render(width), ["a"]);
  assert.deepEqual(seen, []);
});

test("a frame like the one before is seen and not new, also when it is another array", () => {
  const component = { lines: ["a"], render: (_width: number) => [...component.lines] };
  recorder.watch(component, look);
  component.render(80);
  component.render(80);
  component.render(79);
  component.lines = ["b"];
  component.render(79);
  assert.deepEqual(seen.map(([, isNew]) => isNew), [true, false, true, true]);
});

test("an array that is filled anew each time is compared with what was in it", () => {
  const lines = ["a"];
  const component = { render: (_width: number) => lines };
  recorder.watch(component, look);
  component.render(80);
  lines[0] = "b";
  component.render(80);
  assert.deepEqual(frames(), [[80, ["a"]], [80, ["b"]]]);
});

test("of ten thousand lines the first are kept, and another number of them is another frame", () => {
  const component = { count: 10_000, render: (_width: number) => Array(component.count).fill("x") };
  recorder.watch(component, look);
  assert.equal(component.render(80).length, 10_000);
  component.count = 9_999;
  component.render(80);
  assert.deepEqual(seen.map(([{ kept, total }, isNew]) => [kept.length, total, isNew]), [
    [DRAWN_LINES, 10_000, true],
    [DRAWN_LINES, 9_999, true],
  ]);
});

test("what we have drawn ourselves is not what the terminal drew", () => {
  const component = { render: (width: number) => [`${width}`] };
  recorder.watch(component, look);
  component.render(80);
  assert.deepEqual(recorder.hush(() => component.render(40)), ["40"]);
  assert.throws(() => recorder.hush(() => assert.fail("thrown")), /thrown/);
  component.render(80);
  assert.deepEqual(frames(), [[80, ["80"]]]);
});

test("a component that calls its own render is noted once, with what it returned in the end", () => {
  const component = {
    render(width: number): string[] {
      return width > 10 ? ["┌", ...this.render(10), "└"] : ["inner"];
    },
  };
  recorder.watch(component, look);
  component.render(80);
  assert.deepEqual(frames(), [[80, ["┌", "inner", "└"]]]);
});

test("a component that is shown twice tells both, and the second what was drawn already", () => {
  const component = { render: (_width: number) => ["a"] };
  const one: Frame[] = [];
  const leave = recorder.watch(component, (frame) => one.push(frame));
  component.render(80);
  recorder.watch(component, look);
  assert.deepEqual(frames(), [[80, ["a"]]]);
  leave?.();
  component.render(70);
  assert.deepEqual([one.length, frames().length], [1, 2]);
});

test("when nobody looks any more the component is as it was", () => {
  class Mine {
    render(_width: number): string[] {
      return ["a"];
    }
  }
  const own = { render: (_width: number) => ["b"] };
  const { render } = own;
  const mine = new Mine();
  for (const component of [own, mine]) recorder.watch(component, look)?.();
  assert.deepEqual([own.render, Object.hasOwn(mine, "render"), mine.render], [render, false, Mine.prototype.render]);
  recorder.watch(own, look);
  own.render(80);
  assert.equal(seen.length, 1);
});

test("somebody else's wrapper around ours stays, and goes on", () => {
  const component = { render: (_width: number) => ["a"] };
  const leave = recorder.watch(component, look);
  const ours = component.render;
  const theirs = (width: number): string[] => ["<", ...ours(width), ">"];
  component.render = theirs;
  leave?.();
  assert.equal(component.render, theirs);
  assert.deepEqual([component.render(80), seen], [["<", "a", ">"], []]);
});

test("an author may put another render in its place", () => {
  const component = { render: (_width: number) => ["a"] };
  recorder.watch(component, look);
  component.render = () => ["b"];
  assert.deepEqual(component.render(80), ["b"]);
});

test("what cannot be changed, has no render, or finds it anew each time is left alone", () => {
  const frozen = Object.freeze({ render: () => ["a"] });
  const getter = {
    get render() {
      return () => ["a"];
    },
  };
  const refusing = new Proxy({ render: () => ["a"] }, { defineProperty: () => false });
  for (const component of [frozen, getter, refusing, {}, undefined, null, "text", { render: 5 }]) {
    assert.equal(recorder.watch(component, look), undefined);
  }
  assert.deepEqual([frozen.render(), getter.render(), refusing.render(), seen], [["a"], ["a"], ["a"], []]);
});

test("a proxy is noted like what is behind it", () => {
  const component = new Proxy({ render: (_width: number) => ["a"] }, {});
  const leave = recorder.watch(component, look);
  component.render(80);
  leave?.();
  component.render(70);
  assert.deepEqual(frames(), [[80, ["a"]]]);
});

test("who looks and throws disturbs neither the component nor the terminal", () => {
  const component = { render: (_width: number) => ["a"] };
  recorder.watch(component, () => assert.fail("looked"));
  assert.deepEqual(component.render(80), ["a"]);
});

test("a text field that is drawn inside is known from then on, for all that it is in, and for nothing else", () => {
  const inner = {
    render: (_width: number) => {
      recorder.field();
      return ["> text"];
    },
  };
  const outer = { hasInner: true, render: (width: number) => (outer.hasInner ? ["outer", ...inner.render(width)] : ["You wrote: text"]) };
  const other = { render: (_width: number) => ["other"] };
  for (const component of [inner, outer, other]) recorder.watch(component, look);
  recorder.field();
  other.render(80);
  outer.render(80);
  outer.hasInner = false;
  outer.render(80);
  assert.deepEqual(
    seen.map(([{ kept, hasField }]) => [kept.at(-1), hasField]),
    [["other", false], ["> text", true], ["> text", true], ["You wrote: text", true]],
  );
});
