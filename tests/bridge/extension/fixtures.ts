// The fixtures that the Python tests read too.
import { readFileSync } from "node:fs";

const ROOT = new URL("../../../", import.meta.url);

export function fixture(path: string): string {
  return readFileSync(new URL(`fixtures/${path}`, ROOT), "utf8");
}

export function source(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

export const EXTENSION = new URL("bridge/extension/", ROOT);

export function rows<T>(path: string): T[] {
  return fixture(path)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

export interface Message {
  readonly type: string;
  readonly seq: number;
  readonly [field: string]: unknown;
}
