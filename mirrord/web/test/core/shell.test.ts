/** Promise: a command that is shown does what it says when it is typed, whatever others have put into it. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { shellArgument } from "../../src/core/shell.ts";

/** What a command is given where this is typed. */
function typed(text: string): readonly string[] {
  return execFileSync("/bin/sh", ["-c", `printf '%s\\n' ${text}`], { encoding: "utf8" }).split("\n").slice(0, -1);
}

test("a name of which a shell reads every character as itself is shown as it is", () => {
  for (const name of ["phone", "phone-2", "me@home", "v1.0_b"]) assert.equal(shellArgument(name), name);
});

test("any other name is quoted, and is one argument", () => {
  assert.equal(shellArgument("Chrome on Android"), "'Chrome on Android'");
  for (const name of ["Chrome on Android", "Ada's phone", "''", '$(id) `id` "$HOME"', "a; b & c | d", "~", "*", "#1", "\\", "téléphone", "電話\u00a02", ""]) {
    assert.deepEqual(typed(shellArgument(name)), [name]);
  }
});

test("a name that looks like an option is none", () => {
  assert.equal(shellArgument("-x"), "-- -x");
  assert.equal(shellArgument("--all of them"), "-- '--all of them'");
});
