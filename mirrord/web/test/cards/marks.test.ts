/** Promise: a text area changes nothing of a content that is not edited, and of an edited one only what was edited. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { mark } from "../../src/cards/marks.ts";
import { cpuMs } from "../cpu.ts";

/** What a text area makes of a text: every line end becomes LF. */
const throughTextArea = (text: string): string => text.replace(/\r\n?/g, "\n");

function marked(content: string) {
  const found = mark(content);
  assert.ok(found !== undefined);
  return found;
}

const CONTENTS: Readonly<Record<string, string>> = {
  empty: "",
  plain: "one\ntwo\n",
  "CR LF": "one\r\ntwo\r\n",
  CR: "one\rtwo",
  "mixed line ends": "one\r\ntwo\nthree\rfour\r\n\r\n",
  "a lone CR before CR LF": "one\r\r\ntwo\r\n",
  controls: "\u0000\u0001\u001b[31mred\u001b[0m\u007f\u0085",
  tabs: "\tone\t\n",
  "control pictures of its own": "␛ and \u001b, ␀ and \u0000",
  direction: "file\u202etxt.exe \u2066x\u2069",
  invisible: "a\u200bb\u00adc\ufeffd\u2060e\u3164",
  "separators that break lines": "a\u2028b\u2029c",
  emoji: "👩‍💻 🏳️‍🌈 👍🏽 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  "hidden tags": "hi\u{e0068}\u{e0069}",
  "Persian and Hindi joiners": "می‌خواهم क्‍ष",
  "half characters": "a\ud800b\udc00c",
};

for (const [name, content] of Object.entries(CONTENTS)) {
  test(`nothing is lost of: ${name}`, () => {
    const { shown, restore } = marked(content);
    assert.equal(throughTextArea(shown), shown);
    assert.equal(restore(shown), content);
  });
}

test("every character of the basic plane comes back, all together and each alone", () => {
  const all = Array.from({ length: 0xd7ff }, (_, code) => String.fromCharCode(code)).join("");
  const { shown, restore } = marked(all);
  assert.equal(restore(throughTextArea(shown)), all);
  for (let code = 0; code < 0x3100; code += 1) {
    const one = `a${String.fromCharCode(code)}b`;
    const single = marked(one);
    assert.equal(single.restore(throughTextArea(single.shown)), one);
  }
});

test("random contents of awkward characters come back", () => {
  const awkward = ["\r", "\n", "\r\n", "\u001b", "␛", "①", "②", "\u200d", "\u202e", "👩", "\ud83d", "a", "\u0000", "\ue000", " "];
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 2_000; round += 1) {
    const content = Array.from({ length: next(20) }, () => awkward[next(awkward.length)] ?? "").join("");
    const { shown, restore } = marked(content);
    assert.equal(restore(throughTextArea(shown)), content);
  }
});

test("a line that is added to a text of CR LF ends in CR LF", () => {
  const { shown, restore, lineEnd } = marked("one\r\ntwo\r\n");
  assert.equal(lineEnd, "\r\n");
  assert.equal(restore(`${shown}three\n`), "one\r\ntwo\r\nthree\r\n");
});

test("an edit beside a mark leaves what it stands for", () => {
  const { shown, restore } = marked("a\u001b[1mb\u202ec");
  assert.equal(restore(shown.replace("b", "B")), "a\u001b[1mB\u202ec");
});

test("a mark that is deleted takes its character away", () => {
  const { shown, restore, marks } = marked("pass\u200bword");
  assert.equal(restore(shown.replace(marks[0]?.shown ?? "", "")), "password");
});

test("what cannot be shown has a mark with a name and a count", () => {
  const { shown, marks } = marked("\u001b[1m\u001b[0m \u202e");
  assert.match(shown, /^␛\[1m␛\[0m /);
  assert.deepEqual(
    marks.map(({ name, count }) => [name, count]),
    [
      ["U+001B ESC", 2],
      ["U+202E right-to-left override", 1],
    ],
  );
});

test("a mark never looks like what the content holds itself", () => {
  const { shown, marks } = marked("␛\u001b");
  assert.notEqual(marks[0]?.shown, "␛");
  assert.equal(shown.length, 2);
});

test("emoji and joined letters are shown as they are", () => {
  for (const content of [CONTENTS["emoji"], CONTENTS["Persian and Hindi joiners"]]) {
    assert.equal(marked(content ?? "").shown, content);
  }
});

test("a content that holds every character that could be a mark is not marked at all", () => {
  const ranges = [[0x2400, 0x24ff], [0x2776, 0x2793], [0x2801, 0x28ff], [0xe000, 0xf8ff]] as const;
  const every = ranges.map(([first, last]) => String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, at) => first + at))).join("");
  assert.equal(mark(`${every}\u001b`), undefined);
  assert.equal(marked(every).shown, every);
});

test("a megabyte takes time in proportion", () => {
  const unit = "a\u001b\u200d\u200bb\r\n\n";
  const time = (count: number): number => {
    const content = unit.repeat(count);
    return cpuMs(() => void marked(content));
  };
  time(2_000);
  assert.ok(time(128_000) < 4_000);
});
