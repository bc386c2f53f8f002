/** Promise: every text on every ground has a contrast of 4.5 to 1, borders that carry a state 3 to 1, in every theme. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CSS = readFileSync(new URL("../../src/design/tokens.css", import.meta.url), "utf8");
const TEXTS = ["text", "text-2", "text-3", "accent", "success", "warning", "danger", "code"];
const GROUNDS = ["bg", "surface", "raised"];

const light = colours(CSS.slice(0, CSS.indexOf("@media")));
const dark = { ...light, ...colours(block("@media (prefers-color-scheme: dark)")) };
const contrast = { ...light, ...colours(block("@media (prefers-contrast: more) {")) };
const contrastDark = { ...contrast, ...colours(block("@media (prefers-contrast: more) and (prefers-color-scheme: dark)")) };

function block(head: string): string {
  const start = CSS.indexOf(head);
  assert.ok(start >= 0, head);
  return CSS.slice(start, CSS.indexOf("\n}\n", start));
}

function colours(css: string): Record<string, string> {
  return Object.fromEntries([...css.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
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

for (const [name, theme] of Object.entries({ light, dark, contrast, contrastDark })) {
  const of = (role: string) => theme[role] ?? assert.fail(`${name} has no ${role}`);
  test(`${name}: every role of text on every ground`, () => {
    for (const text of TEXTS) {
      for (const ground of GROUNDS) {
        const found = ratio(of(text), of(ground));
        assert.ok(found >= (name.startsWith("contrast") ? 7 : 4.5), `${text} on ${ground}: ${found.toFixed(2)}`);
      }
    }
    for (const ground of ["accent", "danger"]) assert.ok(ratio(of(`on-${ground}`), of(ground)) >= 4.5, `on-${ground}`);
  });
  test(`${name}: borders that carry a state`, () => {
    for (const ground of GROUNDS) assert.ok(ratio(of("line-strong"), of(ground)) >= 3, ground);
  });
}
