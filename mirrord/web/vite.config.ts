import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { defineConfig, type Plugin } from "vite";

const ROOT = new URL(".", import.meta.url);
/** What the page is made of besides our own code; each one's license goes with it. */
const INGREDIENTS = ["preact", "@preact/signals", "@preact/signals-core", "lucide"];
const WORKER = "sw.js";

/** Writes the names of this build's files into the service worker. */
function buildIntoWorker(): Plugin {
  return {
    name: "mirrord-worker",
    apply: "build",
    generateBundle(_, bundle) {
      const assets = Object.keys(bundle)
        .filter((name) => name.startsWith("assets/"))
        .sort();
      const index = bundle["index.html"];
      const others = readdirSync(new URL("public/", ROOT)).sort();
      const digest = createHash("sha256");
      for (const name of assets) digest.update(name);
      for (const name of others) digest.update(readFileSync(new URL(`public/${name}`, ROOT)));
      if (index?.type === "asset") digest.update(index.source);
      const build = { id: digest.digest("hex").slice(0, 16), assets: paths(assets), others: paths(others) };
      const worker = bundle[WORKER];
      if (worker?.type !== "chunk" || worker.imports.length > 0) throw new Error(`${WORKER} has to be one file`);
      worker.code = `const BUILD=${JSON.stringify(build)};${worker.code}`;
    },
  };
}

function paths(names: readonly string[]): string[] {
  return names.map((name) => `/${name}`);
}

/** Puts the licenses of what is built in beside the page. */
function licenses(): Plugin {
  return {
    name: "mirrord-licenses",
    apply: "build",
    generateBundle() {
      const source = INGREDIENTS.map((name) => {
        const home = new URL(`node_modules/${name}/`, ROOT);
        const { version } = JSON.parse(readFileSync(new URL("package.json", home), "utf8")) as { version: string };
        return `${name} ${version}\n\n${readFileSync(new URL("LICENSE", home), "utf8").trim()}\n`;
      }).join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName: "licenses.txt", source });
    },
  };
}

/** Prints what a first visit transfers, as the daemon sends it. */
function size(): Plugin {
  return {
    name: "mirrord-size",
    apply: "build",
    writeBundle(_, bundle) {
      const bytes = Object.values(bundle)
        .filter(({ fileName }) => /\.(?:html|css|js)$/.test(fileName))
        .map((file) => gzipSync(file.type === "chunk" ? file.code : file.source).length)
        .reduce((sum, one) => sum + one, 0);
      console.log(`web client: ${(bytes / 1024).toFixed(1)} KiB of HTML, CSS and JavaScript, gzipped`);
    },
  };
}

export default defineConfig({
  root: ROOT.pathname,
  plugins: [buildIntoWorker(), licenses(), size()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // The oldest engines that have what is used: dvh, color-mix, :has, signing keys in IndexedDB.
    target: ["chrome111", "firefox121", "safari16.4"],
    // Everything is a file of its own: data: addresses and inline scripts are what the policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: "index.html", sw: "src/worker.ts" },
      output: { entryFileNames: ({ name }) => (name === "sw" ? WORKER : "assets/[name]-[hash].js") },
    },
  },
});
