// Promise: `exclude` covers the folders it names and all that is in them, and no pattern takes long.
import assert from "node:assert/strict";
import { test } from "node:test";

import { covers } from "../../../bridge/extension/glob.ts";
import { fixture } from "./fixtures.ts";

interface Folders {
  readonly home: string;
  readonly covered: [string, string][];
  readonly left: [string, string][];
}
const { home: HOME, covered: COVERED, left: LEFT } = JSON.parse(fixture("config/folders.json")) as Folders;

for (const [pattern, folder] of COVERED) test(`${pattern} covers ${folder}`, () => assert.equal(covers(pattern, folder, HOME), true));
for (const [pattern, folder] of LEFT) test(`${pattern} leaves ${folder}`, () => assert.equal(covers(pattern, folder, HOME), false));

test("many wildcards are matched in time that grows with the lengths, not with their number of ways", () => {
  const began = performance.now();
  assert.equal(covers(`/${"*a".repeat(200)}b`, `/${"a".repeat(250)}`, HOME), false);
  assert.equal(covers(`/${"**/a/".repeat(200)}b`, `/${"a/".repeat(2000)}`, HOME), false);
  assert.ok(performance.now() - began < 1_000);
});
