/** Promise: a sound is heard, and the device's sound rests again when it is over. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { ring } from "../../src/edge/attention.ts";

/** What was asked of the sound, in order. */
let asked: string[] = [];
let tones: EventTarget[] = [];

class FakeContext {
  readonly currentTime = 0;
  readonly destination = {};
  resume = async () => void asked.push("resume");
  suspend = async () => void asked.push("suspend");
}

class FakeTone extends EventTarget {
  start = () => void asked.push("tone");
  stop = () => {};
  connect = <T>(to: T): T => to;
  constructor() {
    super();
    tones.push(this);
  }
}

class FakeGain {
  readonly gain = { exponentialRampToValueAtTime: () => {} };
  connect = <T>(to: T): T => to;
}

beforeEach(() => {
  [asked, tones] = [[], []];
  Object.assign(globalThis, { AudioContext: FakeContext, OscillatorNode: FakeTone, GainNode: FakeGain });
});

afterEach(() => {
  for (const name of ["AudioContext", "OscillatorNode", "GainNode"]) Reflect.deleteProperty(globalThis, name);
});

function end(): void {
  for (const tone of tones.splice(0)) tone.dispatchEvent(new Event("ended"));
}

test("the sound rests when the last tone is over, also of two that ring at once", () => {
  ring();
  assert.deepEqual(asked, ["tone", "tone", "resume"]);
  tones.shift()?.dispatchEvent(new Event("ended"));
  assert.equal(asked.at(-1), "resume");
  ring();
  end();
  assert.deepEqual(asked.slice(3), ["tone", "tone", "resume", "suspend"]);
  ring();
  end();
  assert.deepEqual(asked.slice(7), ["tone", "tone", "resume", "suspend"]);
});
