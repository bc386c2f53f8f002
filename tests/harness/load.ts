// A test extension that keeps Pi busy, and measures what that costs. To be loaded before the extension that is looked at.
//
//   /load      from now on a notification 20 times a second, statuses 10 times, a title 5 times
//   /unload    no longer; the last values are set, and the result "unload" has a Cost as its value
import { Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";

import { logged } from "./exerciser.ts";

interface Cost {
  /** The longest time between two turns of the loop that were to be 10 ms apart. */
  delayMs: number;
  /** The most bytes that waited in all sockets to a path at once: written, and not yet with the system. */
  waiting: number;
  /** How often something was said. */
  rounds: number;
}

type UI = ExtensionContext["ui"];

const EVERY_MS = 50;
// 300 KB a second: in 10 s far more than the system and the extension may hold together.
const BULK = "x".repeat(30_000);
const ROUNDS_A_BULK = 2;
// The daemon remembers the last 256 events for who comes back, and each title is one.
const ROUNDS_A_TITLE = 4;

const connected = new Set<Socket>();

/** Remembers the sockets that connect to a path; an unreferenced one is in no list of Node's. */
function watchSockets(): void {
  const original = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  const watching = function (this: Socket, ...args: unknown[]): Socket {
    if (/"path":"\//.test(JSON.stringify(args))) {
      connected.add(this);
      this.once("close", () => connected.delete(this));
    }
    return Reflect.apply(original, this, args);
  };
  Socket.prototype.connect = watching as typeof Socket.prototype.connect;
}

function waiting(): number {
  let sum = 0;
  for (const socket of connected) sum += socket.writableLength;
  return sum;
}

function say(ui: UI, round: number): void {
  ui.notify(`load ${round}`);
  if (round % ROUNDS_A_TITLE === 0) ui.setTitle(`load ${round}`);
  if (round % ROUNDS_A_BULK !== 0) return ui.setStatus("load", String(round));
  // Gone before Pi draws it: an earlier Pi takes longer to measure such a line than all else together.
  ui.setStatus("bulk", BULK);
  ui.setStatus("bulk", undefined);
}

/** Begins; what it returns ends it. */
function begin(ui: UI): () => Cost {
  const cost: Cost = { delayMs: 0, waiting: 0, rounds: 0 };
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const timer = setInterval(() => {
    say(ui, (cost.rounds += 1));
    cost.waiting = Math.max(cost.waiting, waiting());
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    delay.disable();
    const last = `last of ${cost.rounds}`;
    ui.setStatus("load", last);
    ui.setTitle(last);
    ui.notify(last);
    return { ...cost, delayMs: delay.max / 1e6 };
  };
}

export default function load(pi: ExtensionAPI): void {
  let end: (() => Cost) | undefined;
  watchSockets();
  pi.registerCommand("load", {
    description: "test under load",
    handler: async (_text, { ui }) => {
      end = begin(ui);
    },
  });
  pi.registerCommand("unload", {
    description: "end the load",
    handler: (_text) => logged("unload", undefined, () => end?.()),
  });
  pi.on("session_shutdown", () => void end?.());
}
