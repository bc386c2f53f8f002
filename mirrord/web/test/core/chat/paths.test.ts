/** Promise: paths of files are found in prose and in code, with their lines; words, addresses and versions are never taken for one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { fewer, pathOf, piecesOf, written } from "../../../src/core/chat/paths.ts";
import { cpuMs } from "../../cpu.ts";

const found = (text: string, isCode = false): readonly string[] => piecesOf(text, isCode).flatMap((piece) => (piece.found === undefined ? [] : [written(piece.found)]));

const PATHS: Readonly<Record<string, readonly string[]>> = {
  "See src/core/app.ts:12 and README.md.": ["src/core/app.ts:12", "README.md"],
  "(mirrord/web/src/main.tsx:4:9)": ["mirrord/web/src/main.tsx:4:9"],
  "in src/a.py#L7, then": ["src/a.py:7"],
  "lines src/a.py:10-20": ["src/a.py:10-20"],
  "/etc/hosts and ~/notes and ./run and ../up/x": ["/etc/hosts", "~/notes", "./run", "../up/x"],
  "“docs/план.md”": ["docs/план.md"],
  "package.json, tsconfig.json": ["package.json", "tsconfig.json"],
  "a/b.ts/": ["a/b.ts/"],
};
const NONE = [
  "and/or, his/her, TCP/IP, 24/7, 1/2, w/o, n/a",
  "https://example.com/src/app.ts:12",
  "ftp://host/a.txt and www.example.com/x.html",
  "example.com/docs/a.md",
  "Node.js and Three.js, e.g. this, i.e. that",
  "version 1.2.3, v2.0, 3.14",
  "ada@example.org",
  "npm i preact@11.2.0 @scope/name",
  "console.log(x)",
  "call app.ts() now",
  "/help and /compact",
  "50 km/h.The end",
  "origin/main feature/new",
  "",
  "...",
  "///",
];

test("paths are found with their lines", () => {
  for (const [text, expected] of Object.entries(PATHS)) assert.deepEqual(found(text), expected, text);
});

test("what is no path is not taken for one", () => {
  for (const text of NONE) assert.deepEqual(found(text), [], text);
});

test("in code, folders are paths too, and branches are not", () => {
  assert.deepEqual(found("src/core/ tests/web/unit", true), ["src/core/", "tests/web/unit"]);
  assert.deepEqual(found("origin/main application/json", true), []);
  assert.deepEqual(found("src/x.rs:3: error", true), ["src/x.rs:3"]);
});

test("a whole text is a path or not", () => {
  assert.deepEqual(pathOf("src/a.ts:3"), { path: "src/a.ts", line: "3" });
  assert.equal(pathOf("src/a.ts and more"), undefined);
  assert.equal(pathOf("true"), undefined);
});

test("nothing of a text is lost", () => {
  for (const text of [...Object.keys(PATHS), ...NONE]) assert.equal(piecesOf(text).map((piece) => piece.text).join(""), text);
});

test("of thousands of paths the first are paths and the rest is text, of which nothing is lost", () => {
  const text = "a/b.ts ".repeat(20_000);
  const pieces = fewer(piecesOf(text));
  assert.equal(pieces.filter((piece) => piece.found !== undefined).length, 60);
  assert.equal(pieces.map((piece) => piece.text).join(""), text);
  assert.deepEqual(fewer(piecesOf("see a/b.ts")), piecesOf("see a/b.ts"));
});

test("a text without an end is read in a moment", () => {
  for (const text of ["a/".repeat(200_000), "a.".repeat(200_000), "/".repeat(400_000), "x".repeat(1_000_000) + "."]) {
    const ms = cpuMs(() => assert.equal(piecesOf(text, true).map((piece) => piece.text).join("").length, text.length));
    assert.ok(ms < 2_000, `${text.slice(0, 4)}: ${ms} ms`);
  }
});
