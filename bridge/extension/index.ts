// The extension that Pi loads. Pi calls the function below for each of its sessions, also for sub-agents in the same process.
import { fileURLToPath } from "node:url";

import { guard, listen, type Emitter } from "./guard.ts";
import { hookFields } from "./fields.ts";
import { hookInteractive, hookRunner } from "./hooks.ts";
import { identify } from "./identity.ts";
import { Instance } from "./instance.ts";
import { kitOf } from "./kit.ts";
import { call, field, isObject, keeping, textOr } from "./pi.ts";
import type { ActivityCause } from "./protocol.ts";
import { active, registry, type Registry } from "./registry.ts";
import { VERSION } from "./version.ts";
import { world } from "./world.ts";

const SCOPES = ["@mariozechner", "@earendil-works"];
const ACTIVITY = ["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end"] as const satisfies ActivityCause[];

export default async function mirrord(pi: unknown): Promise<void> {
  const loaded = guard("factory", () => load(pi as Emitter), undefined);
  // Where nothing may be mirrored, nothing of Pi is touched.
  if (loaded === undefined || loaded.isPrivate) return;
  const host: unknown = await hostModule("pi-coding-agent");
  const tui: unknown = await hostModule("pi-tui");
  guard("factory.hooks", () => hook(loaded.shared, loaded.instance, host, tui), undefined);
}

function load(pi: Emitter): { shared: Registry; instance: Instance; isPrivate: boolean } | undefined {
  const shared = registry(() => identify(process.pid));
  // Another version with another idea of the shared record is here: it mirrors, and we stay out of its way.
  if (shared === undefined) return undefined;
  const instance = new Instance(shared, world(), pi, { path: fileURLToPath(import.meta.url), version: VERSION });
  const isPrivate = instance.decidePrivacy(process.cwd())?.everywhere === true;
  const before = active(shared);
  // Of two copies the first is the candidate. One of the same path is a later load, and the earlier one may have come to nothing.
  if (before === undefined || (shared.owner === undefined && before.path === instance.path)) shared.candidate = instance;
  subscribe(pi, instance);
  // Two commands of one name would both be renamed by Pi.
  if (before === undefined || before.path === instance.path) register(pi, shared, instance);
  return { shared, instance, isPrivate };
}

function subscribe(pi: Emitter, instance: Instance): void {
  listen(pi, "session_start", "event.session_start", (event: unknown, ctx: unknown) => instance.started(event, ctx));
  listen(pi, "session_shutdown", "event.session_shutdown", (event: unknown) => instance.ended(event));
  listen(pi, "session_info_changed", "event.session_info_changed", () => instance.renamed());
  listen(pi, "user_bash", "event.user_bash", (event: unknown) => instance.ranBash(event));
  listen(pi, "session_tree", "event.session_tree", () => instance.movedInTree());
  listen(pi, "model_select", "chat.event", () => instance.choseModel());
  for (const name of ACTIVITY) listen(pi, name, `event.${name}`, () => instance.happened(name));
}

function register(pi: Emitter, shared: Registry, instance: Instance): void {
  const handler = (words: unknown, ctx: unknown): void => {
    guard("command", () => show(shared, ctx, (shared.owner ?? instance).command(String(words ?? ""), field(ctx, "ui"))), undefined);
  };
  call(pi, "registerCommand", "mirrord", { description: "mirrord: status, pair a device, off or on for this session", handler });
}

function show(shared: Registry, ctx: unknown, text: string): void {
  if (text === "") return;
  shared.quiet = true;
  try {
    call(field(ctx, "ui"), "notify", text, "info");
  } finally {
    shared.quiet = false;
  }
}

function hook(shared: Registry, instance: Instance, host: unknown, tui: unknown): void {
  const prototype = field(field(host, "InteractiveMode"), "prototype");
  const interactive = isObject(prototype) ? prototype : undefined;
  const runner = field(field(host, "ExtensionRunner"), "prototype");
  if (isObject(runner)) hookRunner(shared, runner);
  hookFields(shared, tui);
  const missing = interactive === undefined ? ["InteractiveMode"] : hookInteractive(shared, interactive);
  const kept = keeping(interactive);
  const capabilities = kept === undefined ? [] : [`dialogs:${kept}`];
  const tellsNo = shared.hooks.has("showExtensionSelector") && typeof field(interactive, "showExtensionConfirm") === "function";
  if (tellsNo) capabilities.push("confirm:no-or-escape");
  instance.hosted({ version: textOr(field(host, "VERSION"), null), interactive, capabilities, missing, kit: kitOf(tui, host) });
}

/** A module that Pi shares with extensions, which is there under one name or two. */
async function hostModule(name: string): Promise<unknown> {
  for (const scope of SCOPES) {
    try {
      return await import(`${scope}/${name}`);
    } catch {
      // The other name, then.
    }
  }
  return undefined;
}
