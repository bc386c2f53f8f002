import { defineConfig } from "vite";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // The oldest engines that have what is used: dvh units, color-mix, :has, structuredClone, ECDSA keys in IndexedDB.
    target: ["chrome111", "firefox121", "safari16.4"],
    // Everything is a file of its own: data: addresses and inline scripts are what the policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
