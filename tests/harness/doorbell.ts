// A test extension that does something when a file appears, so that a test needs no free editor to start it.
//
// The file is the one that DOORBELL names; its text is {do: "select" | "agent" | "abort", ...} with the exerciser's arguments. It
// is removed, and the result goes to the exerciser's log under the name "bell".
import { readFileSync, rmSync } from "node:fs";

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";

import { kept, logged, select, subAgent, type Arguments } from "./exerciser.ts";

const LISTEN_EVERY_MS = 20;

type Ring = Arguments & { do: "select" | "agent" | "abort" };

function rung(file: string): Ring | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  rmSync(file);
  return JSON.parse(text) as Ring;
}

function act(ctx: ExtensionContext, ring: Ring): unknown {
  if (ring.do === "abort") return kept().abort();
  return ring.do === "agent" ? subAgent(ring) : select(ctx.ui, ring);
}

export default function doorbell(pi: ExtensionAPI): void {
  const file = process.env.DOORBELL;
  let timer: NodeJS.Timeout | undefined;
  const listen = (ctx: ExtensionContext): void => {
    const ring = file === undefined ? undefined : rung(file);
    if (ring !== undefined) void logged("bell", ring.id, () => act(ctx, ring));
  };
  pi.on("session_start", (_event, ctx) => {
    timer = setInterval(() => listen(ctx), LISTEN_EVERY_MS).unref();
  });
  pi.on("session_shutdown", () => clearInterval(timer));
}
