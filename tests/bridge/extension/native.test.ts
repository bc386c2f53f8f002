// Promise: whatever `renderNative()` does or returns, Pi lives, and what is told of it is JSON that fits.
import assert from "node:assert/strict";
import { test } from "node:test";

import { NATIVE_BYTES, NATIVE_DEPTH, NATIVE_ERROR_BYTES } from "../../../bridge/extension/limits.ts";
import { isNative, nativeOf } from "../../../bridge/extension/native.ts";

const saying = (renderNative: (context: any) => unknown) => nativeOf({ renderNative });
const SURFACE = {
  version: 1,
  id: "widget:review",
  source: "widget",
  presentation: { style: "surfacePanel", title: "Review" },
  blocks: [{ type: "activityList", rows: [{ id: "a", title: "A", progress: 0.5, children: [] }] }, { type: "hologram", depth: [null, true, 1e21] }],
  fallback: { lines: ["Review"] },
};

test("a surface is told as it is, also blocks that nobody knows", () => {
  assert.deepEqual(saying(() => SURFACE), { native: SURFACE, truncated: [] });
});

test("the author is told for whom it is, in a context that can be changed", () => {
  const given: unknown[] = [];
  for (let n = 0; n < 2; n += 1) saying((context) => (given.push({ ...context }), context.capabilities.push("mine"), SURFACE));
  const [first, second] = given as [{ target: string; capabilities: string[]; locale: string }, unknown];
  assert.deepEqual(first.target, "oppi-native-v1");
  assert.ok(first.capabilities.includes("extension-native-ui:v1:surface-native") && first.locale !== "");
  assert.deepEqual((second as typeof first).capabilities.filter((name) => name === "mine").length, 1);
});

test("the component is what it is called on", () => {
  class Mine {
    #title = "private";
    renderNative(): object {
      return { blocks: [this.#title] };
    }
  }
  assert.deepEqual(nativeOf(new Mine()).native, { blocks: ["private"] });
});

test("what throws, is a promise, or is no object is told in a sentence", async () => {
  const sentences = [
    () => assert.fail("no data"),
    () => Promise.reject(new Error("later")),
    () => null,
    () => "text",
    () => [SURFACE],
    () => undefined,
  ].map((run) => saying(run).nativeError);
  assert.match(sentences[0] ?? "", /^renderNative\(\) threw: AssertionError.*no data/);
  assert.equal(sentences[1], "renderNative() returned a promise");
  assert.deepEqual(new Set(sentences.slice(2)), new Set(["renderNative() returned no object"]));
  // A rejection that nobody waits for would end the process here.
  await new Promise((resolve) => setImmediate(resolve));
});

test("a long complaint is cut, and one that cannot be made into a text is a complaint too", () => {
  assert.equal(saying(() => assert.fail("x".repeat(10_000))).nativeError?.length, NATIVE_ERROR_BYTES);
  const hostile = saying(() => {
    throw { toString: () => assert.fail("worse") };
  });
  assert.equal(hostile.nativeError, "renderNative() returned what cannot be read");
});

test("a getter that throws and a proxy that lies are complaints", () => {
  for (const bad of [{ get blocks() { return assert.fail("read"); } }, new Proxy({}, { ownKeys: () => assert.fail("listed") })]) {
    assert.equal(saying(() => bad).nativeError, "renderNative() returned what cannot be read");
  }
});

test("it is JSON: what JSON has no form for is left out or null, and no half characters are in it", () => {
  const { native } = saying(() => ({ a: undefined, b: () => 1, c: Symbol("s"), d: 1n, e: NaN, f: [undefined, Infinity], "g\ud800": "\udc00", __proto__x: 1 }));
  assert.deepEqual(native, { e: null, f: [null, null], "g\ufffd": "\ufffd", __proto__x: 1 });
});

test("no name has a meaning", () => {
  const { native } = saying(() => JSON.parse('{"__proto__": {"a": 1}, "blocks": [{"__proto__": 2}]}'));
  assert.equal(JSON.stringify(native), '{"__proto__":{"a":1},"blocks":[{"__proto__":2}]}');
});

test("what is in itself ends at NATIVE_DEPTH", () => {
  const loop: Record<string, unknown> = { blocks: [] };
  loop["blocks"] = [loop];
  const json = JSON.stringify(saying(() => loop).native);
  assert.ok(json.length < 20 * NATIVE_DEPTH, json);
});

test("blocks are told as long as they fit NATIVE_BYTES; those past it are left out and counted", () => {
  const block = { type: "code", text: "x".repeat(10_000) };
  const blocks = Array(100).fill(block);
  const { native, truncated } = saying(() => ({ ...SURFACE, blocks, fallback: { text: "short" } }));
  const kept = (native as typeof SURFACE).blocks.length;
  assert.equal(kept, Math.floor(NATIVE_BYTES / (JSON.stringify(block).length + 1)));
  assert.deepEqual(truncated, [{ field: "native.blocks", shown: kept, total: 100 }]);
  assert.ok(Buffer.byteLength(JSON.stringify(native)) <= NATIVE_BYTES);
  assert.deepEqual((native as typeof SURFACE).fallback, { text: "short" });
});

test("a surface of nearly NATIVE_BYTES is whole, one of more is not", () => {
  const sized = (size: number) => {
    const empty = JSON.stringify({ version: 1, blocks: [{ text: "" }] }).length;
    return saying(() => ({ version: 1, blocks: [{ text: "x".repeat(size - empty) }] }));
  };
  const { native, truncated } = sized(NATIVE_BYTES - 64);
  assert.deepEqual([Buffer.byteLength(JSON.stringify(native)), truncated], [NATIVE_BYTES - 64, []]);
  assert.deepEqual(sized(NATIVE_BYTES + 1).truncated, [{ field: "native.blocks", shown: 0, total: 1 }]);
});

test("a fallback, or anything else, that does not fit is left out and said", () => {
  const large = "x".repeat(NATIVE_BYTES);
  assert.deepEqual(saying(() => ({ blocks: [1], fallback: { text: large } })), {
    native: { blocks: [1] },
    truncated: [{ field: "native.fallback", shown: 0, total: 1 }],
  });
  assert.deepEqual(saying(() => ({ presentation: { title: large }, other: [large], blocks: [1] })), {
    native: { blocks: [1] },
    truncated: [{ field: "native", shown: 1, total: 3 }],
  });
});

test("an array of any length costs no more than what fits", () => {
  const { truncated } = saying(() => ({ blocks: [Array(2 ** 32 - 1), 1] }));
  assert.deepEqual(truncated, [{ field: "native.blocks", shown: 0, total: 2 }]);
});

test("only a component with the method has something to say", () => {
  assert.deepEqual([isNative({ renderNative: () => SURFACE }), isNative({}), isNative(undefined), isNative({ renderNative: 1 })], [true, false, false, false]);
});
