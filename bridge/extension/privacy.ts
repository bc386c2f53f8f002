// Whether a session stays private: not mirrored, not recorded, no socket. What cannot be read or understood counts as private.
import { readFileSync, realpathSync, statSync } from "node:fs";

import { covers, resolved } from "./glob.ts";
import { CONFIG_BYTES } from "./limits.ts";
import { rootKeys, TomlError, type Value } from "./toml.ts";

const OFF = /^(?:0|false|off|no)$/i;

/** The keys of config.toml that concern the extension. */
export interface Config {
  readonly mirror: boolean;
  readonly exclude: readonly string[];
}

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
    const document = readConfig(configFile);
    config = document === undefined ? { mirror: true, exclude: [] } : parseConfig(document);
  } catch (error) {
    const what = error instanceof Error ? error.message : "unknown error";
    return { why: `${configFile} cannot be used (${what})`, everywhere: true };
  }
  if (!config.mirror) return { why: `mirror = false in ${configFile}`, everywhere: true };
  const pattern = config.exclude.find((entry) => excludes(entry, folder, home));
  if (pattern === undefined) return undefined;
  return { why: `the folder is excluded by "${pattern}" in ${configFile}`, everywhere: false };
}

/** Throws TomlError when a key has a value that is not of its kind. */
export function parseConfig(document: string): Config {
  const keys = rootKeys(document);
  const mirror = keys.get("mirror") ?? true;
  const exclude: Value = keys.get("exclude") ?? [];
  if (typeof mirror !== "boolean") throw new TomlError("mirror is neither true nor false");
  const texts = Array.isArray(exclude) ? exclude.filter(isText) : [];
  if (!Array.isArray(exclude) || texts.length < exclude.length) throw new TomlError("exclude is not a list of texts");
  return { mirror, exclude: texts };
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

function readConfig(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  // A pipe or a device could keep Pi waiting.
  if (!found.isFile()) throw new Error("it is not a file");
  if (found.size > CONFIG_BYTES) throw new Error("it is too large");
  return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
}
