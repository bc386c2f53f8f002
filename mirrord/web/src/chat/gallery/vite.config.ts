// The gallery of the conversation, for development and screenshots: `npx vite build --config src/chat/gallery/vite.config.ts`. Not shipped.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root: here,
  base: "./",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { outDir: fileURLToPath(new URL("../../../../../.cache/gallery-chat", import.meta.url)), emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
