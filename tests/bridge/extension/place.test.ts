// Promise: the extension speaks only to a socket of its own user in a folder that no other user can enter.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import type { Paths } from "../../../bridge/extension/paths.ts";
import { examine } from "../../../bridge/extension/place.ts";

const UID = process.getuid?.() ?? -1;

let root: string;
let paths: Paths;
let server: Server | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mirrord-place-"));
  paths = at(join(root, "run"));
});

afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(root, { recursive: true, force: true });
});

function at(runtimeDir: string): Paths {
  return { runtimeDir, bridgeSocket: join(runtimeDir, "bridge.sock"), configFile: "" };
}

function problem(uid = UID): Promise<string | undefined> {
  return new Promise((resolve) => examine(paths, uid, resolve));
}

async function listening(): Promise<void> {
  mkdirSync(paths.runtimeDir, { mode: 0o700, recursive: true });
  server = createServer();
  await new Promise<void>((resolve) => server?.listen(paths.bridgeSocket, resolve));
  chmodSync(paths.bridgeSocket, 0o600);
}

test("a private socket in a private folder", async () => {
  await listening();
  assert.equal(await problem(), undefined);
});

test("no folder, and no socket in it: no daemon listens", async () => {
  assert.match((await problem()) ?? "", /no daemon listens at .*run; start one with: mirrord serve/);
  mkdirSync(paths.runtimeDir, { mode: 0o700 });
  assert.match((await problem()) ?? "", /no daemon listens at .*bridge\.sock/);
});

test("a folder that others may read, write or enter", async () => {
  await listening();
  for (const mode of [0o701, 0o702, 0o704, 0o710, 0o720, 0o740, 0o777]) {
    chmodSync(paths.runtimeDir, mode);
    assert.match((await problem()) ?? "", /run is open to other users; run: chmod 700/, mode.toString(8));
  }
});

test("a folder and a socket of somebody else", async () => {
  await listening();
  assert.match((await problem(UID + 1)) ?? "", /run belongs to user \d+, not to you/);
});

test("a link in place of the folder", async () => {
  await listening();
  symlinkSync(paths.runtimeDir, join(root, "link"));
  paths = at(join(root, "link"));
  assert.match((await problem()) ?? "", /link is not a directory/);
});

test("a file or a link in place of the socket", async () => {
  mkdirSync(paths.runtimeDir, { mode: 0o700 });
  writeFileSync(paths.bridgeSocket, "");
  assert.match((await problem()) ?? "", /is not a socket/);
  rmSync(paths.bridgeSocket);
  symlinkSync("/dev/null", paths.bridgeSocket);
  assert.match((await problem()) ?? "", /is not a socket/);
});

test("a socket that others may use", async () => {
  await listening();
  for (const mode of [0o602, 0o620, 0o666]) {
    chmodSync(paths.bridgeSocket, mode);
    assert.match((await problem()) ?? "", /bridge\.sock is open to other users/, mode.toString(8));
  }
});

test("a folder in one that others may write to needs a parent of ours too", async () => {
  chmodSync(root, 0o777);
  paths = at(join(root, "mirrord", "0123"));
  await listening();
  chmodSync(join(root, "mirrord"), 0o755);
  assert.match((await problem()) ?? "", /mirrord is open to other users/);
  chmodSync(join(root, "mirrord"), 0o700);
  assert.equal(await problem(), undefined);
});
