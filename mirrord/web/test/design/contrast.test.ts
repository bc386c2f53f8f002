/** Promise: every text on every ground has a contrast of 4.5 to 1, borders that carry a state 3 to 1, in every theme. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CSS = readFileSync(new URL("../../src/design/tokens.css", import.meta.url), "utf8");
const TEXTS = ["text", "text-2", "text-3", "accent", "success", "warning", "danger", "code"];
const GROUNDS = ["bg", "surface", "raised"];

type Scheme = "light" | "dark";

const plain = CSS.slice(0, CSS.indexOf('[data-theme='));
const media = block("@media (prefers-contrast: more) {", "\n}\n");
const chosen = block(':root[data-theme="contrast"] {', "\n}\n");

function block(head: string, end: string): string {
  const start = CSS.indexOf(head);
  assert.ok(start >= 0, head);
  return CSS.slice(start + head.length, CSS.indexOf(end, start));
}

function colours(css: string, scheme: Scheme): Record<string, string> {
  const pairs = css.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g);
  return Object.fromEntries([...pairs].map(([, name, light, dark]) => [name, scheme === "light" ? light : dark]));
}

function declarations(css: string): readonly string[] {
  return css
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("--"));
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((place) => Number.parseInt(hex.slice(place, place + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratio(one: string, other: string): number {
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dim + 0.05);
}

const THEMES = {
  light: colours(plain, "light"),
  dark: colours(plain, "dark"),
  contrast: { ...colours(plain, "light"), ...colours(media, "light") },
  contrastDark: { ...colours(plain, "dark"), ...colours(media, "dark") },
};

test("high contrast is the same whether the system or the person asks for it", () => {
  assert.deepEqual(declarations(chosen), declarations(media));
  assert.ok(declarations(chosen).length > TEXTS.length);
});

for (const [name, theme] of Object.entries<Record<string, string>>(THEMES)) {
  const of = (role: string) => theme[role] ?? assert.fail(`${name} has no ${role}`);
  test(`${name}: every role of text on every ground`, () => {
    for (const text of TEXTS) {
      for (const ground of GROUNDS) {
        const found = ratio(of(text), of(ground));
        assert.ok(found >= (name.startsWith("contrast") ? 7 : 4.5), `${text} on ${ground}: ${found.toFixed(2)}`);
      }
    }
    assert.ok(ratio(of("on-accent"), of("accent")) >= 4.5, "on-accent");
  });
  test(`${name}: borders that carry a state`, () => {
    for (const ground of GROUNDS) assert.ok(ratio(of("line-strong"), of(ground)) >= 3, ground);
  });
}
