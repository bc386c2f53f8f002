/** Promise: markdown becomes the structure that its author meant; markup in it stays text, and no text of 32 KiB stops the page. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { grow, parse, type Grown, type Inline, type Part } from "../../src/core/markdown.ts";
import { cpuMs } from "../cpu.ts";

const text = (words: string): Inline => ({ kind: "text", text: words });
const paragraph = (...inside: readonly Inline[]): Part => ({ kind: "paragraph", inside });

const CASES: Readonly<Record<string, readonly [string, readonly Part[]]>> = {
  "words and their looks": [
    "a **b** *c* ~~d~~ `e<f`\\*",
    [
      paragraph(
        text("a "),
        { kind: "strong", inside: [text("b")] },
        text(" "),
        { kind: "emphasis", inside: [text("c")] },
        text(" "),
        { kind: "struck", inside: [text("d")] },
        text(" "),
        { kind: "code", text: "e<f" },
        text("*"),
      ),
    ],
  ],
  "headings and rules": ["## a\n\n---", [{ kind: "heading", level: 2, inside: [text("a")] }, { kind: "rule" }]],
  quotes: ["> a", [{ kind: "quote", parts: [paragraph(text("a"))] }]],
  "lists in lists": [
    "3. a\n   - [x] b\n   - [ ] c",
    [
      {
        kind: "list",
        first: 3,
        items: [
          {
            parts: [
              paragraph(text("a")),
              {
                kind: "list",
                items: [
                  { isDone: true, parts: [paragraph(text("b"))] },
                  { isDone: false, parts: [paragraph(text("c"))] },
                ],
              },
            ],
          },
        ],
      },
    ],
  ],
  code: ["```sh\nls <a>\n```", [{ kind: "code", language: "sh", text: "ls <a>" }]],
  tables: [
    "|a|b|\n|-|-:|\n|1|<br>|",
    [
      {
        kind: "table",
        head: [{ inside: [text("a")] }, { align: "right", inside: [text("b")] }],
        rows: [[{ inside: [text("1")] }, { align: "right", inside: [{ kind: "break" }] }]],
      },
    ],
  ],
  "links, and images as links": [
    "[a](https://a.example/) ![b](https://b.example/c.png)",
    [
      paragraph(
        { kind: "link", href: "https://a.example/", inside: [text("a")] },
        text(" "),
        { kind: "link", href: "https://b.example/c.png", inside: [text("b")] },
      ),
    ],
  ],
  "entities for what can be seen": [
    "a &lt; b &amp; c &#65;&#x42; &#8238;&#x202e;&#0;&#xe0041;&#1114112;&#55296; &zwnj;",
    [paragraph(text("a < b & c AB &#8238;&#x202e;&#0;&#xe0041;&#1114112;&#55296; &zwnj;"))],
  ],
};

for (const [name, [markdown, parts]] of Object.entries(CASES)) test(name, () => assert.deepEqual(parse(markdown), parts));

test("an entity brings nothing back that the daemon took out, wherever it stands", () => {
  for (const markdown of ["&#8238;a", "- &#8238;a", "# &#8238;a", "|&#8238;a|\n|-|", "> &#8238;a", "[&#8238;a](https://a.example/)", "![&#8238;a](b)"]) {
    assert.doesNotMatch(JSON.stringify(parse(markdown)), /\p{Cf}/u, markdown);
  }
});

test("markup is text, wherever it stands", () => {
  const markup = "<img src=x onerror=alert(1)><script>alert(1)</script>";
  for (const markdown of [markup, `a ${markup}`, `- ${markup}`, `# ${markup}`, `> ${markup}`, `|a|\n|-|\n|${markup}|`]) {
    assert.ok(wordsOf(parse(markdown)).includes("<script>alert(1)</script>"), markdown);
  }
});

function wordsOf(tree: unknown): string {
  if (Array.isArray(tree)) return tree.map(wordsOf).join("");
  if (typeof tree !== "object" || tree === null) return "";
  return Object.entries(tree)
    .map(([name, value]) => (name === "text" ? String(value) : wordsOf(value)))
    .join("");
}

const SIZE = 64 * 1024;
const HARD = ["[", "![", ">", "> ", "*", "**a", "_a", "`", "`a", "1. ", "- ", "|a", "<a ", "<!--", "[a](", "*_`[", "\\", "&", "http://a.", "a@", "\n",
  "*a_", "!", "https://a.b/(", "a.b@", "> - ", "*a_ b\n\n", "- *a_\n"];

test("64 KiB of anything are taken apart in less than two seconds, and nothing nests deeper than it can be drawn", () => {
  for (const piece of HARD) {
    let tree: ReturnType<typeof parse> = [];
    const ms = cpuMs(() => {
      tree = parse(piece.repeat(SIZE / piece.length));
    });
    assert.ok(ms < 2_000, `${piece}: ${ms} ms`);
    assert.ok(depthOf(tree) < 80, piece);
  }
});

function depthOf(tree: unknown): number {
  if (typeof tree !== "object" || tree === null) return 0;
  return 1 + Object.values(tree).reduce<number>((deepest, one) => Math.max(deepest, depthOf(one)), 0);
}

test("a paragraph of more marks than anybody reads stays as it is written, and the ones beside it are read", () => {
  const dense = "*a_".repeat(5_000);
  assert.deepEqual(parse(`*a*\n\n${dense}\n\n*b*`), [
    paragraph({ kind: "emphasis", inside: [text("a")] }),
    paragraph(text(dense)),
    paragraph({ kind: "emphasis", inside: [text("b")] }),
  ]);
  const long = `${"word ".repeat(25)}*x*. `.repeat(60);
  assert.ok(parse(long)[0]?.kind === "paragraph" && JSON.stringify(parse(long)).split("emphasis").length === 61);
});

// ---- texts that grow ---------------------------------------------------------------------------------------------------

const LONG = [
  "# Plan\n\nFirst *this*, then `that`.\nStill the same paragraph.\n\n",
  "1. one\n2. two\n\n   more of two\n\n- [x] done\n- [ ] not\n\n",
  "```ts\nconst a = 1;\n\nconst b = 2;\n```\n\nA line\n===\n\n",
  "|a|b|\n|-|-|\n|1|2|\n|3|4|\n\n> a quote\n> of two lines\n\n    indented\n\n",
  "<div>\nmarkup\n</div>\n\n![alt](https://a.example/x.png) and https://a.example/y.\r\n\r\nEnd",
].join("");

test("a text that grows by any steps ends as it would have been read at once", () => {
  for (const step of [1, 3, 17, 64]) {
    let grown: Grown | undefined;
    for (let end = 0; end < LONG.length + step; end += step) grown = grow(grown, LONG.slice(0, end), false);
    assert.deepEqual(grown?.blocks.flatMap((block) => block.parts), parse(LONG), `steps of ${step}`);
  }
});

test("blocks before the last stay the same objects, also when the text is whole", () => {
  const first = grow(undefined, "One.\n\nTwo.\n\nThr", false);
  const second = grow(first, "One.\n\nTwo.\n\nThree.\n\nFo", false);
  const whole = grow(second, "One.\n\nTwo.\n\nThree.\n\nFour.", true);
  assert.equal(second.blocks[0], first.blocks[0]);
  assert.equal(second.blocks[1], first.blocks[1]);
  assert.equal(whole.blocks[2], second.blocks[2]);
  assert.deepEqual(whole.blocks.flatMap((block) => block.parts), parse("One.\n\nTwo.\n\nThree.\n\nFour."));
});

test("a definition of a link counts once the text is whole", () => {
  const markdown = "See [it][1].\n\n[1]: https://a.example/";
  const grown = grow(grow(undefined, "See [it][1].\n\n", false), markdown, true);
  assert.deepEqual(grown.blocks[0]?.parts, [paragraph(text("See "), { kind: "link", href: "https://a.example/", inside: [text("it")] }, text("."))]);
});

test("a text that was replaced is read anew", () => {
  const grown = grow(grow(undefined, "One.\n\nTwo.", false), "Another.", false);
  assert.deepEqual(grown.blocks.map((block) => block.parts), [[paragraph(text("Another."))]]);
});
