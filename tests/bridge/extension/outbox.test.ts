// Promise: what waits is said in the order it was first put, once, with its last value.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";

const title = (text: string): Outgoing => ({ type: "title", title: text });

function all(outbox: Outbox): (string | null)[] {
  const said = [];
  for (let next = outbox.next(); next !== undefined; next = outbox.next()) said.push(next.type === "title" ? next.title : null);
  return said;
}

test("a key put again keeps its place", () => {
  const outbox = new Outbox();
  outbox.put("a", () => title("a1"));
  outbox.put("b", () => title("b"));
  outbox.put("a", () => title("a2"));
  assert.deepEqual(all(outbox), ["a2", "b"]);
});

test("a maker runs when its turn comes, and may have nothing to say", () => {
  const outbox = new Outbox();
  let value = "early";
  outbox.put("a", () => undefined);
  outbox.put("b", () => title(value));
  value = "late";
  assert.deepEqual([all(outbox), outbox.size], [["late"], 0]);
});

test("a maker that throws is gone and does not hold up the others", () => {
  const outbox = new Outbox();
  outbox.put("a", () => {
    throw new Error("no");
  });
  outbox.put("b", () => title("b"));
  assert.throws(() => outbox.next());
  assert.deepEqual(all(outbox), ["b"]);
});

test("what is dropped or cleared is not said", () => {
  const outbox = new Outbox();
  outbox.put("a", () => title("a"));
  outbox.put("b", () => title("b"));
  outbox.drop("a");
  assert.deepEqual(all(outbox), ["b"]);
  outbox.put("c", () => title("c"));
  outbox.clear();
  assert.deepEqual(all(outbox), []);
});

test("messages that belong together come together, each made when its turn comes", () => {
  const outbox = new Outbox();
  let value = "early";
  outbox.put("a", function* () {
    yield title("a1");
    yield title(value);
  });
  outbox.put("b", () => title("b"));
  assert.partialDeepStrictEqual(outbox.next(), title("a1"));
  value = "late";
  outbox.put("a", () => title("a again"));
  assert.deepEqual(all(outbox), ["late", "b", "a again"]);
});

test("what has begun is gone when all is cleared", () => {
  const outbox = new Outbox();
  outbox.put("a", function* () {
    yield title("a1");
    yield title("a2");
  });
  outbox.next();
  outbox.clear();
  assert.deepEqual(all(outbox), []);
});
