// Which extension calls: read from the call stack.
import { realpathSync } from "node:fs";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Between an extension and us stand a few calls of Pi and of its own helpers. */
const FRAMES = 30;

/** Pi's packages, without the examples in them, and what is inside a single executable. */
const PI = /\/@(?:earendil-works|mariozechner)\/pi-[^/]+\/(?:dist|node_modules)\/|^\/\$bunfs\//;
const DIST = "/dist/";
const MODULES = "/node_modules/";
const EXTENSIONS = "/extensions/";
const SUFFIX = /\.[cm]?[jt]sx?$/;
/** Folders and files whose names say nothing about whose they are. */
const PLAIN = /^(?:src|dist|lib|build|out|source|index|main|extension|extensions|mod)$/;

const OURS = dirname(fileURLToPath(import.meta.url)) + sep;

/** The package, folder or file that the calling extension is named after; undefined when no extension is on the stack. */
export function caller(): string | undefined {
  return sourceOf(filesOnTheStack(), OURS, host());
}

/** Whether the call stack can be read here. */
export function canTell(): boolean {
  return filesOnTheStack().some((file) => typeof file === "string");
}

/** The first of `files` (paths or file URLs, innermost first) that is neither below `ours` nor Pi's, as a name. */
export function sourceOf(files: readonly unknown[], ours: string, pi: string | undefined): string | undefined {
  for (const file of files) {
    if (typeof file !== "string") continue;
    const path = file.startsWith("file:") ? fileURLToPath(file) : file;
    if (!path.startsWith("/") || path.startsWith(ours) || PI.test(path) || (pi !== undefined && path.startsWith(pi))) continue;
    return nameOf(path);
  }
  return undefined;
}

/** As V8 has them. A stack as text would be looked up in source maps, which takes milliseconds. */
function filesOnTheStack(): readonly unknown[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  try {
    Error.stackTraceLimit = FRAMES;
    Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName());
    const stack: unknown = new Error().stack;
    return Array.isArray(stack) ? stack : [];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    if (prepareStackTrace === undefined) Reflect.deleteProperty(Error, "prepareStackTrace");
    else Error.prepareStackTrace = prepareStackTrace;
  }
}

/** What a person would call the extension in the file `path`. */
export function nameOf(path: string): string {
  const modules = path.lastIndexOf(MODULES);
  if (modules >= 0 && !path.slice(modules).includes(EXTENSIONS)) {
    const [scope = "", name = ""] = path.slice(modules + MODULES.length).split("/");
    return scope.startsWith("@") ? `${scope}/${name}` : scope;
  }
  const extensions = path.lastIndexOf(EXTENSIONS);
  const [first = ""] = extensions < 0 ? [] : path.slice(extensions + EXTENSIONS.length).split("/");
  const names = path.split("/").map((part) => part.replace(SUFFIX, ""));
  if (first !== "" && !PLAIN.test(first.replace(SUFFIX, ""))) return first.replace(SUFFIX, "");
  return names.findLast((name) => name !== "" && !PLAIN.test(name)) ?? path;
}

let folder: string | undefined;
let isKnown = false;

/** The folder of the built program that runs; undefined when it is not built. */
function host(): string | undefined {
  if (isKnown || process.argv[1] === undefined) return folder;
  isKnown = true;
  const program = realpathSync(process.argv[1]);
  const end = program.lastIndexOf(DIST);
  if (end >= 0) folder = program.slice(0, end + DIST.length);
  return folder;
}
