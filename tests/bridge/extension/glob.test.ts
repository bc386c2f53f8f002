// Promise: `exclude` covers the folders it names and all that is in them, and no pattern takes long.
import assert from "node:assert/strict";
import { test } from "node:test";

import { covers } from "../../../bridge/extension/glob.ts";

const HOME = "/home/ada";

const COVERED: [string, string][] = [
  ["~/secret", "/home/ada/secret"],
  ["~/secret", "/home/ada/secret/deep/er"],
  ["~/secret/", "/home/ada/secret"],
  ["~", "/home/ada/anything"],
  ["/srv/*/private", "/srv/a/private/x"],
  ["/srv/**/private", "/srv/private"],
  ["/srv/**/private", "/srv/a/b/private"],
  ["~/clients/**", "/home/ada/clients"],
  ["~/clients/**", "/home/ada/clients/a/b"],
  ["private", "/any/where/private"],
  ["a/b", "/x/a/b/c"],
  ["**", "/"],
  ["/", "/etc"],
  ["/a?c", "/abc"],
  ["/a?c", "/a🍎c"],
  ["/a*", "/a"],
  ["/*.tmp", "/x.tmp/y"],
  ["/a+(b)[c]", "/a+(b)[c]"],
  ["/./a//b", "/a/b"],
];

const NOT_COVERED: [string, string][] = [
  ["~/secret", "/home/ada/secrets"],
  ["~/secret", "/home/ada"],
  ["~/secret", "/home/eve/secret"],
  ["~eve/secret", "/home/eve/x"],
  ["/srv/*/private", "/srv/a/b/private"],
  ["/srv/*", "/srv"],
  ["/a?c", "/ac"],
  ["/a?c", "/a/c"],
  ["/a.c", "/abc"],
  ["private", "/privates"],
];

for (const [pattern, folder] of COVERED) test(`${pattern} covers ${folder}`, () => assert.equal(covers(pattern, folder, HOME), true));
for (const [pattern, folder] of NOT_COVERED) test(`${pattern} leaves ${folder}`, () => assert.equal(covers(pattern, folder, HOME), false));

test("many wildcards are matched in time that grows with the lengths, not with their number of ways", () => {
  const began = performance.now();
  assert.equal(covers(`/${"*a".repeat(200)}b`, `/${"a".repeat(250)}`, HOME), false);
  assert.equal(covers(`/${"**/a/".repeat(200)}b`, `/${"a/".repeat(2000)}`, HOME), false);
  assert.ok(performance.now() - began < 1_000);
});
