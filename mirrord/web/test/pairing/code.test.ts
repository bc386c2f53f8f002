/** Promise: a code is understood however it is typed, and nothing else is taken for one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { browserName } from "../../src/pairing/browser_name.ts";
import { codeInFragment, readCode, showCode } from "../../src/pairing/code.ts";

test("case, dashes and spaces do not matter, and letters that look like digits are digits", () => {
  for (const typed of ["K7QF2M9XTB", "k7qf2-m9xtb", " k7qf2 m9xtb ", "K7QF2–M9XTB"]) assert.equal(readCode(typed), "K7QF2M9XTB");
  assert.equal(readCode("oOiIlL0011"), "0011110011");
  assert.equal(showCode("K7QF2M9XTB"), "K7QF2-M9XTB");
});

test("anything else is no code", () => {
  for (const typed of ["", "K7QF2M9XT", "K7QF2M9XTBB", "K7QF2M9XTU", "K7QF2M9XT!", "🙂".repeat(10), "x".repeat(1_000_000)]) {
    assert.equal(readCode(typed), undefined);
  }
});

test("only a pairing link's fragment has a code", () => {
  assert.equal(codeInFragment("pair=K7QF2M9XTB"), "K7QF2M9XTB");
  assert.equal(codeInFragment("session=pair=K7"), undefined);
});

test("browsers are called what people call them", () => {
  const named = (userAgent: string, maxTouchPoints = 0) => browserName({ userAgent, maxTouchPoints });
  const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";
  assert.equal(named(mac), "Safari on Mac");
  assert.equal(named(mac, 5), "Safari on iPad");
  assert.equal(
    named("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36"),
    "Chrome on Android",
  );
  assert.equal(
    named(
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0 Mobile/15E148 Safari/604.1",
    ),
    "Chrome on iPhone",
  );
  assert.equal(
    named("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0"),
    "Edge on Windows",
  );
  assert.equal(named("Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"), "Firefox on Linux");
  assert.equal(named(""), "Browser");
});
