// Promise: the extension looks for the daemon and the configuration where Python puts them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { locate } from "../../../bridge/extension/paths.ts";
import { fixture } from "./fixtures.ts";

interface Case {
  readonly name: string;
  readonly env: Record<string, string>;
  readonly platform: string;
  readonly uid: number;
  readonly home: string;
  readonly expect: { readonly runtimeDir: string; readonly bridgeSocket: string; readonly configFile: string };
}

for (const { name, env, platform, uid, home, expect } of JSON.parse(fixture("paths.json")) as Case[]) {
  test(name, () => {
    const { runtimeDir, bridgeSocket, configFile } = expect;
    assert.deepEqual(locate(env, platform, uid, home), { runtimeDir, bridgeSocket, configFile });
  });
}
