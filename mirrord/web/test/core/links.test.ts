/** Promise: a link is followed only where it does one harmless thing, and where it really leads is told. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { places, saysPlace, target } from "../../src/core/links.ts";

test("pages, addresses and sessions are followed", () => {
  assert.deepEqual(target("https://garden.example/plan?bed=1#a"), {
    kind: "page",
    href: "https://garden.example/plan?bed=1#a",
    place: "garden.example",
  });
  assert.deepEqual(target("http://127.0.0.1:8080/"), { kind: "page", href: "http://127.0.0.1:8080/", place: "127.0.0.1:8080" });
  assert.deepEqual(target("mailto:ada@garden.example"), {
    kind: "mail",
    href: "mailto:ada@garden.example",
    place: "ada@garden.example",
  });
  assert.deepEqual(target("oppi://session/0198c0de-1"), { kind: "session", id: "0198c0de-1" });
});

const NEVER = [
  "",
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,<script>",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://a.example/1",
  "ssh://a.example",
  "intent://a.example",
  "//a.example",
  "/v1/ws",
  "#session=1",
  "?x",
  "https:a.example",
  "https://",
  "https:///a.example",
  "https://user@a.example/",
  "https://github.com@evil.example/",
  "https://user:secret@a.example/",
  "https://a.example/<b>",
  'https://a.example/"onclick=x',
  "https://a.example/\u202ex",
  "https://аpple.example/",
  "https://a.example/a b",
  `https://a.example/${"a".repeat(2_100)}`,
  "mailto:a@b.example?body=x",
  "mailto:",
  "oppi://session/",
  "oppi://session/../x",
  "oppi://other/1",
  "oppi://session/a/b",
];

for (const link of NEVER) test(`${JSON.stringify(link.slice(0, 60))} is text`, () => assert.equal(target(link), undefined));

test("the place is the host as a resolver takes it, not as it is written", () => {
  assert.equal((target("https://GARDEN.example/") as { place: string }).place, "garden.example");
  assert.equal((target("http://0x7f.1/") as { place: string }).place, "127.0.0.1");
});

test("words say where a link leads only when they say that and nothing else", () => {
  for (const words of ["garden.example", "https://garden.example", " https://garden.example/plan ", "HTTPS://garden.example/a?b"]) {
    assert.ok(saysPlace(words, "garden.example"), words);
  }
  for (const words of ["the plan", "garden.example.evil.example", "https://garden.example@evil.example", "see garden.example", ""]) {
    assert.ok(!saysPlace(words, "garden.example"), words);
  }
});

test("places are told once, and those of links that are not followed not at all", () => {
  const links = ["https://a.example/1", "https://a.example/2", "javascript:1", "mailto:b@c.example", "oppi://session/1"];
  assert.deepEqual(places(links), ["a.example", "b@c.example", "another session"]);
});
