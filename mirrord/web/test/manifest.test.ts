/** Promise: what a browser asks of a page that can be installed is there: its files, their true sizes, an icon for each shape. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Picture {
  readonly src: string;
  readonly sizes: string;
  readonly type: string;
  readonly purpose?: string;
}
interface Manifest {
  readonly id: string;
  readonly scope: string;
  readonly start_url: string;
  readonly display: string;
  readonly icons: readonly Picture[];
  readonly shortcuts: readonly { readonly name: string; readonly url: string; readonly icons: readonly Picture[] }[];
}

const PUBLIC = new URL("../public/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.webmanifest", PUBLIC), "utf8")) as Manifest;
const page = readFileSync(new URL("../index.html", import.meta.url), "utf8");

/** Width and height of a PNG, from its first chunk. */
function sizeOf(file: Buffer): string {
  assert.equal(file.toString("latin1", 1, 4), "PNG");
  return `${file.readUInt32BE(16)}x${file.readUInt32BE(20)}`;
}

test("each picture is there and as large as it is said to be", () => {
  for (const { src, sizes, type } of [...manifest.icons, ...manifest.shortcuts.flatMap(({ icons }) => icons)]) {
    const file = readFileSync(new URL(src.slice(1), PUBLIC));
    if (type === "image/png") assert.equal(sizeOf(file), sizes, src);
    else assert.ok(file.toString("utf8").startsWith("<svg"), src);
  }
});

test("there is an icon that may be cut, one that may not, and one without colours", () => {
  const purposes = manifest.icons.map(({ purpose, sizes }) => `${purpose ?? "any"} ${sizes}`);
  for (const wanted of ["any 192x192", "any 512x512", "maskable 512x512", "monochrome 96x96"]) assert.ok(purposes.includes(wanted), wanted);
});

test("it opens in a window of its own, at this origin and nowhere else", () => {
  assert.deepEqual([manifest.id, manifest.scope, manifest.start_url, manifest.display], ["/", "/", "/", "standalone"]);
  for (const { url } of manifest.shortcuts) assert.match(url, /^\/(?:#|$)/);
});

test("every file that the head of the page names is there", () => {
  for (const [, href = ""] of page.matchAll(/<link [^>]*href="\/([^"]+)"/g)) readFileSync(new URL(href, PUBLIC));
});
