// The process around the extension, read once for each load.
import { homedir, userInfo } from "node:os";

import { locate, type Environment, type Paths } from "./paths.ts";
import type { Registry } from "./registry.ts";

const OWN = /^MIRRORD(?:_|$)/;

export interface World {
  readonly paths: Paths;
  readonly home: string;
  readonly uid: number;
  /** Whether a person sits at this process. */
  readonly isTerminal: () => boolean;
}

export function world(env: Environment = process.env): World {
  const uid = process.getuid?.() ?? -1;
  const home = env["HOME"]?.startsWith("/") === true ? env["HOME"] : (homedir() || userInfo().homedir);
  return {
    paths: locate(env, process.platform, uid, home),
    home,
    uid,
    isTerminal: () => process.stdin.isTTY === true && process.stdout.isTTY === true,
  };
}

/** A variable of ours, also when it was taken out of the environment before. */
export function variable(shared: Registry, name: string, env: Environment = process.env): string | undefined {
  return env[name] ?? shared.environment.get(name);
}

/** Takes our variables out of the environment, so that what Pi starts does not inherit them. */
export function takeVariables(shared: Registry, env: Record<string, string | undefined> = process.env): void {
  for (const [name, value] of Object.entries(env)) {
    if (!OWN.test(name) || value === undefined) continue;
    shared.environment.set(name, value);
    delete env[name];
  }
}
