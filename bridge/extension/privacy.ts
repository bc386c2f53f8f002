// Whether a session stays private: not mirrored, not recorded, no socket. What cannot be read or understood counts as private.
import { readFileSync, realpathSync, statSync } from "node:fs";

import { covers, resolved } from "./glob.ts";
import { CONFIG_BYTES } from "./limits.ts";
import { rootKeys, TomlError, type Value } from "./toml.ts";

const OFF = /^(?:0|false|off|no)$/i;
const ON = /^(?:1|true|on|yes)$/i;

/** The keys of config.toml that concern the extension. */
export interface Config {
  readonly mirror: boolean;
  readonly exclude: readonly string[];
  /** Whether `ctx.ui.ask` is added where Pi has none. */
  readonly ask: boolean;
  /** Whether the model gets a tool that asks. */
  readonly askTool: boolean;
  /** Whether the terminal shows a line when a remote has answered. */
  readonly terminalNotice: boolean;
}

const DEFAULTS: Config = { mirror: true, exclude: [], ask: true, askTool: false, terminalNotice: true };

export interface Surroundings {
  /** The value of `MIRRORD`. */
  readonly switch: string | undefined;
  readonly configFile: string;
  readonly folder: string;
  readonly home: string;
}

/** Why a session is private, in a few words. */
export interface Reason {
  readonly why: string;
  /** Whether that holds in every folder. */
  readonly everywhere: boolean;
}

/** undefined when the session may be mirrored. */
export function privateReason({ switch: word, configFile, folder, home }: Surroundings): Reason | undefined {
  if (word !== undefined && OFF.test(word.trim())) return { why: `MIRRORD=${word.trim()}`, everywhere: true };
  let config: Config;
  try {
    config = readConfig(configFile);
  } catch (error) {
    const what = error instanceof Error ? error.message : "unknown error";
    return { why: `${configFile} cannot be used (${what})`, everywhere: true };
  }
  if (!config.mirror) return { why: `mirror = false in ${configFile}`, everywhere: true };
  const pattern = config.exclude.find((entry) => excludes(entry, folder, home));
  if (pattern === undefined) return undefined;
  return { why: `the folder is excluded by "${pattern}" in ${configFile}`, everywhere: false };
}

/**
 * What the person configured, by a variable or else in the file; what is always so where that cannot be used, for then nothing is
 * mirrored. `variable` tells the value of one of ours.
 */
export function preferences(configFile: string, variable: (name: string) => string | undefined): Config {
  let config: Config;
  try {
    config = readConfig(configFile);
  } catch {
    config = DEFAULTS;
  }
  return {
    ...config,
    ask: chosen(variable("MIRRORD_ASK"), config.ask),
    askTool: chosen(variable("MIRRORD_ASK_TOOL"), config.askTool),
    terminalNotice: chosen(variable("MIRRORD_TERMINAL_NOTICE"), config.terminalNotice),
  };
}

/** A word that is neither yes nor no does not count. */
function chosen(word: string | undefined, otherwise: boolean): boolean {
  const trimmed = word?.trim() ?? "";
  if (ON.test(trimmed)) return true;
  return OFF.test(trimmed) ? false : otherwise;
}

/** Throws TomlError when a key has a value that is not of its kind. */
export function parseConfig(document: string): Config {
  const keys = rootKeys(document);
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = keys.get(name) ?? otherwise;
    if (typeof value !== "boolean") throw new TomlError(`${name} is neither true nor false`);
    return value;
  };
  const exclude: Value = keys.get("exclude") ?? [];
  const texts = Array.isArray(exclude) ? exclude.filter(isText) : [];
  if (!Array.isArray(exclude) || texts.length < exclude.length) throw new TomlError("exclude is not a list of texts");
  return {
    mirror: flag("mirror", DEFAULTS.mirror),
    exclude: texts,
    ask: flag("ask", DEFAULTS.ask),
    askTool: flag("ask_tool", DEFAULTS.askTool),
    terminalNotice: flag("terminal_notice", DEFAULTS.terminalNotice),
  };
}

function isText(value: Value): value is string {
  return typeof value === "string";
}

function excludes(pattern: string, folder: string, home: string): boolean {
  // The pattern, or the folder as Pi knows it, may go through a symbolic link.
  const patterns = [pattern, resolved(pattern, home, real)];
  return [folder, real(folder)].some((one) => patterns.some((entry) => covers(entry, one, home)));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readConfig(path: string): Config {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return DEFAULTS;
  // A pipe or a device could keep Pi waiting.
  if (!found.isFile()) throw new Error("it is not a file");
  if (found.size > CONFIG_BYTES) throw new Error("it is too large");
  return parseConfig(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
}
