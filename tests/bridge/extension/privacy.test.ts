// Promise: a session is private when the person said so, and when what the person said cannot be understood.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { CONFIG_BYTES } from "../../../bridge/extension/limits.ts";
import { parseConfig, preferences, privateReason } from "../../../bridge/extension/privacy.ts";
import { TomlError } from "../../../bridge/extension/toml.ts";
import { fixture } from "./fixtures.ts";

type Expected = Record<string, { mirror: boolean; exclude: string[] } | null>;

for (const [name, expected] of Object.entries(JSON.parse(fixture("config/expected.json")) as Expected)) {
  test(`fixtures/config/${name}.toml ${expected === null ? "cannot be used" : "is read as Python reads it"}`, () => {
    const document = fixture(`config/${name}.toml`);
    if (expected === null) assert.throws(() => parseConfig(document), TomlError);
    else assert.deepEqual(parseConfig(document), expected);
  });
}

const HOME = realpathSync(mkdtempSync(join(tmpdir(), "mirrord-privacy-")));
const CONFIG = join(HOME, "config.toml");
const FOLDER = join(HOME, "work", "secret");
mkdirSync(FOLDER, { recursive: true });

function reason(word: string | undefined, document?: string, folder = FOLDER): string | undefined {
  if (document !== undefined) writeFileSync(CONFIG, document);
  const configFile = document === undefined ? join(HOME, "none.toml") : CONFIG;
  return privateReason({ switch: word, configFile, folder, home: HOME })?.why;
}

test("MIRRORD=0 makes private, whatever the configuration says", () => {
  for (const word of ["0", "false", "off", "No", " 0 "]) assert.equal(reason(word, "mirror = true"), `MIRRORD=${word.trim()}`);
});

test("other values of MIRRORD change nothing", () => {
  for (const word of [undefined, "", "1", "yes"]) assert.equal(reason(word), undefined);
});

test("no configuration mirrors", () => {
  assert.equal(reason(undefined), undefined);
});

test("mirror = false holds in every folder, exclude in its own", () => {
  writeFileSync(CONFIG, "mirror = false");
  const asked = { switch: undefined, configFile: CONFIG, folder: FOLDER, home: HOME };
  assert.equal(privateReason(asked)?.everywhere, true);
  writeFileSync(CONFIG, 'exclude = ["~/work"]');
  assert.equal(privateReason(asked)?.everywhere, false);
  assert.equal(privateReason({ ...asked, folder: HOME }), undefined);
});

test("a folder is excluded also through a symbolic link, in the pattern and in the path", () => {
  symlinkSync(join(HOME, "work"), join(HOME, "link"));
  assert.match(reason(undefined, 'exclude = ["~/link/secret"]') ?? "", /excluded by "~\/link\/secret"/);
  assert.match(reason(undefined, 'exclude = ["~/work/*"]', join(HOME, "link", "secret")) ?? "", /excluded/);
});

test("a configuration that cannot be read makes private and says why", () => {
  assert.match(reason(undefined, "mirror = ") ?? "", /config\.toml cannot be used \(line 1: expected a value\)/);
  writeFileSync(CONFIG, Buffer.from([0x23, 0xff]));
  assert.match(privateReason({ switch: undefined, configFile: CONFIG, folder: FOLDER, home: HOME })?.why ?? "", /cannot be used/);
});

test("a configuration of CONFIG_BYTES is read, a larger one is not", () => {
  assert.equal(reason(undefined, `#${"x".repeat(CONFIG_BYTES - 1)}`), undefined);
  assert.match(reason(undefined, `#${"x".repeat(CONFIG_BYTES)}`) ?? "", /too large/);
});

test("what is no file is not waited for", () => {
  const pipe = join(HOME, "pipe");
  execFileSync("mkfifo", [pipe]);
  assert.match(privateReason({ switch: undefined, configFile: pipe, folder: FOLDER, home: HOME })?.why ?? "", /not a file/);
  assert.match(privateReason({ switch: undefined, configFile: HOME, folder: FOLDER, home: HOME })?.why ?? "", /not a file/);
});

test("a folder that may not be entered makes private", { skip: process.getuid?.() === 0 && "root may enter every folder" }, () => {
  const closed = join(HOME, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0);
  assert.match(privateReason({ switch: undefined, configFile: join(closed, "c.toml"), folder: FOLDER, home: HOME })?.why ?? "", /cannot be used/);
});

test("a variable counts before the file, and one that is neither yes nor no does not", () => {
  writeFileSync(CONFIG, "ask = false\nask_tool = false\nterminal_notice = false");
  const words = { MIRRORD_ASK: "yes", MIRRORD_ASK_TOOL: " 1 ", MIRRORD_TERMINAL_NOTICE: "perhaps" };
  const found = preferences(CONFIG, (name) => new Map(Object.entries(words)).get(name));
  assert.deepEqual([found.ask, found.askTool, found.terminalNotice], [true, true, false]);
  assert.equal(preferences(join(HOME, "none.toml"), (name) => (name === "MIRRORD_ASK" ? "off" : undefined)).ask, false);
});
