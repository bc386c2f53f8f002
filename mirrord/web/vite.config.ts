import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { defineConfig, type Plugin } from "vite";

const ROOT = new URL(".", import.meta.url);
/** What the page is made of besides our own code; each one's license goes with it. */
const INGREDIENTS = ["preact", "@preact/signals", "@preact/signals-core", "@tanstack/virtual-core", "devlop", "highlight.js", "lowlight", "lucide", "marked"];
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
      if (worker?.type !== "chunk") throw new Error(`${WORKER} is not built`);
      const shared = worker.imports.flatMap((name) => (bundle[name]?.type === "chunk" ? Object.keys(bundle[name].modules) : [name]));
      if (shared.length > 0) throw new Error(`${WORKER} has to be one file: the page runs ${shared.join(", ")} too`);
      worker.code = `const BUILD=${JSON.stringify(build)};${worker.code}`;
    },
  };
}

/** Puts the script of the look into the head, where nothing is drawn before it has run: no module, so none of it may be shared. */
function lookFirst(): Plugin {
  return {
    name: "mirrord-look-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle }) {
        const script = Object.values(bundle ?? {}).find((file) => file.type === "chunk" && file.isEntry && file.name === "theme");
        if (script?.type !== "chunk" || script.imports.length > 0 || script.exports.length > 0) throw new Error("theme.ts has to be one file");
        return [{ tag: "script", attrs: { src: `/${script.fileName}` }, injectTo: "head-prepend" }];
      },
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
        const license = readdirSync(home).find((file) => file.toLowerCase() === "license");
        if (license === undefined) throw new Error(`${name} has no license`);
        return `${name} ${version}\n\n${readFileSync(new URL(license, home), "utf8").trim()}\n`;
      }).join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName: "licenses.txt", source });
    },
  };
}

/** Prints what a first visit transfers, as the daemon sends it, and what is asked for later where it is needed. */
function size(): Plugin {
  return {
    name: "mirrord-size",
    apply: "build",
    writeBundle(_, bundle) {
      const named = new Set<string>();
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || !file.isEntry) continue;
        for (const name of [file.fileName, ...(file.viteMetadata?.importedCss ?? [])]) named.add(name);
      }
      const sizes = { first: 0, later: 0 };
      for (const file of Object.values(bundle)) {
        if (!/\.(?:html|css|js)$/.test(file.fileName)) continue;
        const isFirst = file.fileName.endsWith(".html") || named.has(file.fileName);
        sizes[isFirst ? "first" : "later"] += gzipSync(file.type === "chunk" ? file.code : file.source).length;
      }
      const [first, later] = [sizes.first, sizes.later].map((bytes) => (bytes / 1024).toFixed(1));
      console.log(`web client: ${first} KiB of HTML, CSS and JavaScript, gzipped; ${later} KiB more where they are needed`);
    },
  };
}

export default defineConfig({
  root: ROOT.pathname,
  plugins: [lookFirst(), buildIntoWorker(), licenses(), size()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // The oldest engines that have what is used: dvh, color-mix, :has, signing keys in IndexedDB.
    target: ["chrome111", "firefox121", "safari16.4"],
    // Everything is a file of its own: data: addresses and inline scripts are what the policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: "index.html", sw: "src/worker.ts", theme: "src/theme.ts" },
      output: { entryFileNames: ({ name }) => (name === "sw" ? WORKER : "assets/[name]-[hash].js") },
    },
  },
});
