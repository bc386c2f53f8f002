// One load of the extension in one session of Pi: it claims the terminal when it has proof of one, mirrors it, and lets go of it.

import { Client } from "./client.ts";
import { Dialogs } from "./dialogs.ts";
import { guard } from "./guard.ts";
import { awaitInteractive, patchContext } from "./hooks.ts";
import { TEXT_BYTES } from "./limits.ts";
import type { Say } from "./link.ts";
import { Mirror } from "./mirror.ts";
import { call, field, sessionId, showsSession, textOr } from "./pi.ts";
import { privateReason, type Reason } from "./privacy.ts";
import {
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  type ActivityCause,
  type Conversation,
  type EndReason,
  type Hello,
  type Response,
  type StartReason,
} from "./protocol.ts";
import { active, removeWhere, type Active, type Callable, type Copy, type Registry } from "./registry.ts";
import { statusText } from "./status.ts";
import { cut } from "./text.ts";
import { Watch } from "./watch.ts";
import { Working } from "./working.ts";
import { takeVariables, variable, type World } from "./world.ts";

/** What is known of the Pi that loaded us. */
export interface Host {
  readonly version: string | null;
  /** The prototype of the class that draws the terminal. */
  readonly interactive: object | undefined;
  readonly capabilities: readonly string[];
  /** Hooks that this Pi has no place for. */
  readonly missing: readonly string[];
}

const BASIC = ["prompt:select", "prompt:confirm", "prompt:input", "notify", "status", "title", "activity"];

export class Instance implements Active {
  readonly path: string;
  readonly version: string;
  private readonly shared: Registry;
  private readonly world: World;
  private host: Host = { version: null, interactive: undefined, capabilities: [], missing: [] };
  private readonly watch = new Watch();
  private readonly client: Client;
  private readonly mirror: Mirror;
  private readonly dialogs: Dialogs;
  private readonly working: Working;
  private privacy: Reason | undefined;
  /** The context of our session, from its start to its end. */
  private ctx: unknown;
  private generation = 0;
  private passive = false;
  private reason: StartReason = "daemon";

  constructor(shared: Registry, world: World, copy: Copy) {
    this.shared = shared;
    this.world = world;
    this.path = copy.path;
    this.version = copy.version;
    this.client = new Client(world.paths, world.uid, this);
    this.mirror = new Mirror(this.client);
    this.dialogs = new Dialogs(shared, this.watch, (key, make) => this.client.put(key, make));
    this.working = new Working(
      (working, cause, turnIndex) => this.mirror.setActivity(working, cause, turnIndex),
      () => call(this.ctx, "isIdle"),
    );
  }

  /** Why nothing of a session in `folder` is mirrored, from now on. */
  decidePrivacy(folder: string): Reason | undefined {
    const { paths, home } = this.world;
    const word = variable(this.shared, "MIRRORD");
    this.privacy = privateReason({ switch: word, configFile: paths.configFile, folder, home });
    return this.privacy;
  }

  hosted(host: Host): void {
    this.host = host;
    for (const name of host.missing) this.mirror.notice(`hook:${name}`, { type: "notice", code: "hook_missing", detail: name });
  }

  // ---- what Pi tells -------------------------------------------------------------------------------------------------

  started(event: unknown, ctx: unknown): void {
    if (this.shared.owner === this) return this.entered(ctx);
    if (this.outlives(this.shared.owner, ctx)) this.shared.owner?.retire();
    const other = active(this.shared);
    if (other !== undefined && other !== this && other.path !== this.path && other.sessionId() === sessionId(ctx)) {
      this.passive = true;
      return other.copyFound({ path: this.path, version: this.version });
    }
    // An owner that is not of this session has another terminal's session, and we are a session inside its process.
    if (this.shared.owner !== undefined) return;
    if (this.decidePrivacy(textOr(field(ctx, "cwd"), process.cwd())) !== undefined) return this.forget();
    this.reason = startReason(field(event, "reason"));
    this.consider(ctx);
  }

  ended(event: unknown): void {
    const { shared } = this;
    if (shared.candidate === this) shared.candidate = undefined;
    if (shared.owner === this) this.release(endReason(field(event, "reason")));
    if (this.passive) removeWhere(shared.copies, (copy) => copy.path === this.path);
    this.passive = false;
    this.ctx = undefined;
  }

  happened(cause: Exclude<ActivityCause, "resync">, event: unknown): void {
    if (this.shared.owner !== this) return;
    this.working.event(cause, field(event, "turnIndex"));
    this.renamed();
  }

  /** The conversation may have another name or file. */
  renamed(): void {
    if (this.shared.owner === this) this.mirror.setConversation(this.conversation());
  }

  // ---- what the hooks ask ----------------------------------------------------------------------------------------------

  sessionId(): string | undefined {
    return guard("event.session_start", () => sessionId(this.ctx), undefined);
  }

  intercept(method: string, self: unknown, original: Callable, args: unknown[]): unknown {
    if (this.silent()) return Reflect.apply(original, self, args);
    switch (method) {
      case "select":
      case "confirm":
      case "input":
        return this.dialogs.race(method, self, original, args);
      case "notify":
      case "setStatus":
      case "setTitle": {
        const result = Reflect.apply(original, self, args);
        guard(`ui.${method}`, () => this.mirror.told(method, args), undefined);
        return result;
      }
      default:
        return Reflect.apply(original, self, args);
    }
  }

  dialog(self: object, original: Callable, args: unknown[]): unknown {
    return this.watch.opened(self, original, args);
  }

  found(): void {
    if (this.ctx !== undefined && this.shared.owner === undefined) this.consider(this.ctx);
  }

  copyFound(copy: Copy): void {
    const { copies } = this.shared;
    if (!copies.some((known) => known.path === copy.path)) copies.push(copy);
    const detail = cut(`${copy.path} (${copy.version})`, TEXT_BYTES).text;
    this.mirror.notice(`copy:${copy.path}`, { type: "notice", code: "second_copy", detail });
  }

  retire(): void {
    if (this.shared.owner === this) this.release("reload");
  }

  command(words: string): string {
    const word = words.trim().toLowerCase();
    if (word === "off") return this.turnOff();
    if (word === "on") return this.turnOn();
    if (word !== "" && word !== "status") return "Usage: /mirrord status, /mirrord off or /mirrord on";
    return this.status();
  }

  // ---- what the link asks ----------------------------------------------------------------------------------------------

  hello(): Hello {
    const { shared, host, path, version, generation, reason } = this;
    return {
      type: "hello",
      protocol: { min: PROTOCOL_MIN, max: PROTOCOL_MAX },
      bridge: { version, path, generation },
      terminal: {
        id: shared.terminalId,
        pid: process.pid,
        startTime: shared.startTime,
        mode: "tui",
        piVersion: host.version,
        node: process.version,
      },
      conversation: this.conversation(),
      reason,
      capabilities: [...BASIC, ...host.capabilities],
    };
  }

  tell(say: Say): void {
    this.reason = "daemon";
    this.dialogs.tell(say);
    this.mirror.tell(say);
  }

  tellOnce(say: Say): void {
    this.mirror.tellOnce(say);
  }

  unheard(): void {
    this.mirror.unheard();
  }

  respond(response: Response): void {
    guard("dialog.answer", () => this.dialogs.respond(response), undefined);
  }

  acknowledged(ids: readonly string[]): void {
    this.dialogs.acknowledged(ids);
  }

  // ---- ownership -------------------------------------------------------------------------------------------------------

  private consider(ctx: unknown): void {
    const proof = this.proof(ctx);
    if (proof === "none") return;
    this.ctx = ctx;
    patchContext(this.shared, field(ctx, "ui"));
    if (proof === "full") this.claim();
    else if (this.host.interactive !== undefined) awaitInteractive(this.shared, this.host.interactive);
  }

  /** Whether `ctx` is of the session that a person sees in this terminal. */
  private proof(ctx: unknown): "full" | "later" | "none" {
    if (!this.world.isTerminal() || field(ctx, "hasUI") !== true) return "none";
    const { interactive } = this.shared;
    const shown = interactive === undefined ? undefined : showsSession(interactive, ctx);
    if (shown !== undefined) return shown ? "full" : "none";
    const mode = field(ctx, "mode");
    if (mode === undefined) return "later";
    return mode === "tui" ? "full" : "none";
  }

  /** Whether `owner` was left behind: the terminal shows `ctx`, and that is another session than its own or loads us in its place. */
  private outlives(owner: Active | undefined, ctx: unknown): boolean {
    if (owner === undefined || this.proof(ctx) !== "full") return false;
    return owner.path === this.path || owner.sessionId() !== sessionId(ctx);
  }

  private claim(): void {
    const { shared } = this;
    shared.owner = this;
    shared.candidate = this;
    this.generation = shared.generation += 1;
    takeVariables(shared);
    this.entered(this.ctx);
    if (!shared.off) this.client.start();
  }

  private entered(ctx: unknown): void {
    this.ctx = ctx;
    patchContext(this.shared, field(ctx, "ui"));
    if (call(ctx, "isIdle") === false) this.mirror.setActivity(true, "resync");
    this.renamed();
  }

  private release(reason: EndReason): void {
    this.working.stop();
    this.dialogs.withdraw(reason);
    this.client.stop({ type: "bye", reason });
    this.shared.owner = undefined;
  }

  private silent(): boolean {
    return this.privacy !== undefined || this.shared.off || this.shared.quiet;
  }

  private turnOff(): string {
    if (!this.shared.off) {
      this.shared.off = true;
      this.client.stop({ type: "bye", reason: "off" });
      this.forget();
    }
    return "mirrord is off: nothing of this session is mirrored or kept. /mirrord on brings it back.";
  }

  private turnOn(): string {
    this.shared.off = false;
    if (this.shared.owner === this) this.client.start();
    return this.status();
  }

  private forget(): void {
    this.dialogs.forget();
    this.mirror.forget();
    this.shared.kept.length = 0;
  }

  private status(): string {
    const { shared, privacy, version } = this;
    const isOwner = shared.owner === this;
    const standing = this.client.standing;
    const { missing } = this.host;
    return statusText({ shared, version, privacy: privacy?.why, isOwner, standing, missing, open: this.dialogs.count });
  }

  private conversation(): Conversation {
    const manager = field(this.ctx, "sessionManager");
    const id = sessionId(this.ctx) ?? "unknown";
    const cwd = textOr(field(this.ctx, "cwd"), process.cwd());
    const name = textOr(call(manager, "getSessionName"), undefined);
    const file = textOr(call(manager, "getSessionFile"), undefined);
    return {
      id: cut(id, TEXT_BYTES).text,
      cwd: cut(cwd, TEXT_BYTES).text,
      ...(name !== undefined && { name: cut(name, TEXT_BYTES).text }),
      ...(file !== undefined && { file: cut(file, TEXT_BYTES).text }),
    };
  }
}

function startReason(value: unknown): StartReason {
  return value === "reload" || value === "new" || value === "resume" || value === "fork" ? value : "startup";
}

/** A word that we do not know announces another session rather than the end: the daemon watches the process anyway. */
function endReason(value: unknown): EndReason {
  return value === "quit" || value === "new" || value === "resume" || value === "fork" ? value : "reload";
}
