// One load of the extension in one session of Pi: it claims the terminal when it has proof of one, mirrors it, and lets go of it.

import { registerAskTool } from "./tool.ts";
import { terminalAsk } from "./asking.ts";
import { Chat } from "./chat.ts";
import type { ChatIncoming } from "./chat_protocol.ts";
import { Client } from "./client.ts";
import { chatReason, conversationOf, endReason, startReason } from "./conversation.ts";
import { Dialogs } from "./dialogs.ts";
import { tellFields } from "./fields.ts";
import { guard } from "./guard.ts";
import { helloOf, UNKNOWN_HOST, type Host } from "./hello.ts";
import { awaitInteractive, patchContext } from "./hooks.ts";
import { TEXT_BYTES } from "./limits.ts";
import type { Say } from "./link.ts";
import { MEMBERS, unknownMembers, type Member } from "./members.ts";
import { Pairing } from "./pairing.ts";
import { call, field, sessionId, textOr } from "./pi.ts";
import { preferences, privateReason, type Config, type Reason } from "./privacy.ts";
import { isLeftBehind, proofOf } from "./proof.ts";
import type { ActivityCause, Conversation, DeviceRole, EndReason, Hello, Method, PairMessage, Response, ScreenView, StartReason, Stop } from "./protocol.ts";
import { active, removeWhere, type Active, type Callable, type Copy, type Registry } from "./registry.ts";
import { Sharing } from "./sharing.ts";
import { Showing } from "./showing.ts";
import { statusText } from "./status.ts";
import { Terminal } from "./terminal.ts";
import { cut } from "./text.ts";
import { Watch } from "./watch.ts";
import { Winner } from "./winner.ts";
import { Working } from "./working.ts";
import { takeVariables, variable, type World } from "./world.ts";

export class Instance implements Active {
  readonly path: string;
  readonly version: string;
  private readonly shared: Registry;
  private readonly world: World;
  private readonly pi: unknown;
  private host = UNKNOWN_HOST;
  private readonly config: Config;
  private readonly watch = new Watch();
  private readonly client: Client;
  private readonly showing: Showing;
  private readonly terminal: Terminal;
  private readonly dialogs: Dialogs;
  private readonly winner: Winner;
  private readonly working: Working;
  private readonly pairing: Pairing;
  private readonly sharing: Sharing;
  private readonly chat: Chat;
  private privacy: Reason | undefined;
  /** The context of our session, from its start to its end. */
  private ctx: unknown;
  private generation = 0;
  private passive = false;
  private known: Conversation = { id: "unknown", cwd: "/" };
  private reason: StartReason = "daemon";
  /** How often the agent began to work. */
  private runs = 0;

  /** `pi` is what Pi gives to each extension. */
  constructor(shared: Registry, world: World, pi: unknown, copy: Copy) {
    this.shared = shared;
    this.world = world;
    this.pi = pi;
    this.config = preferences(world.paths.configFile, (name) => variable(shared, name));
    this.path = copy.path;
    this.version = copy.version;
    this.client = new Client(world.paths, world.uid, this);
    this.terminal = new Terminal(shared, () => this.ctx);
    this.showing = new Showing({ sink: this.client, ui: () => field(this.ctx, "ui"), sees: () => tellFields(shared) });
    this.winner = new Winner((line) => this.terminal.show(line));
    this.dialogs = new Dialogs(shared, this.watch, {
      put: (key, make) => this.client.put(key, make),
      keyboard: this.terminal.keyboard,
      run: () => this.run,
      views: this.showing.surfaces.views,
      won: (name, ending) => (this.config.terminalNotice ? this.winner.won(name, ending) : undefined),
    });
    this.pairing = new Pairing(shared, {
      put: (key, make) => this.client.put(key, make),
      show: (line) => this.terminal.show(line),
    });
    this.sharing = new Sharing(shared, this.showing.board);
    this.chat = new Chat(
      shared,
      pi,
      () => this.ctx,
      (key, make) => this.client.put(key, make),
    );
    this.working = new Working(
      (working, cause) => this.showing.mirror.setActivity(working, cause),
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
    for (const name of host.missing) this.showing.mirror.notice(`hook:${name}`, { type: "notice", code: "hook_missing", detail: name });
  }

  // ---- what Pi tells -------------------------------------------------------------------------------------------------

  started(event: unknown, ctx: unknown): void {
    if (this.shared.owner === this) return this.entered(ctx);
    if (isLeftBehind(this.shared, this.world, this.path, ctx)) this.shared.owner?.retire();
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

  happened(cause: Exclude<ActivityCause, "resync">): void {
    if (this.shared.owner !== this) return;
    if (cause === "agent_start") this.runs += 1;
    this.working.event(cause);
    this.renamed();
  }

  /** The conversation may have another name or file. */
  renamed(): void {
    if (this.shared.owner === this) this.showing.mirror.setConversation(this.conversation());
  }

  /** A person runs a shell command at the terminal, or a remote has it run. */
  ranBash(event: unknown): void {
    if (this.shared.owner === this) this.chat.bashBegins(event);
  }

  /** Another model was chosen. */
  choseModel(): void {
    if (this.shared.owner === this) this.chat.modelChanged();
  }

  /** The terminal shows another branch of the session's tree. */
  movedInTree(): void {
    if (this.shared.owner === this) this.chat.treeChanged();
  }

  // ---- what the hooks ask ----------------------------------------------------------------------------------------------

  sessionId(): string | undefined {
    return guard("event.session_start", () => sessionId(this.ctx), undefined);
  }

  intercept(method: string, self: unknown, original: Callable, args: unknown[]): unknown {
    const treatment = Object.hasOwn(MEMBERS, method) ? MEMBERS[method as Member] : undefined;
    if (treatment === undefined || this.silent()) return Reflect.apply(original, self, args);
    if (treatment === "dialog") return this.dialogs.race(method as Method, self, original, args);
    return this.showing.intercept(method as Member, { self, original, args });
  }

  field(): void {
    this.showing.surfaces.field();
  }

  ask(context: object): Callable | undefined {
    const { kit } = this.host;
    return this.config.ask && kit !== undefined ? terminalAsk(this.shared, kit, context) : undefined;
  }

  dialog(self: object, original: Callable, args: unknown[]): unknown {
    return this.watch.opened(self, original, args);
  }

  found(): void {
    if (this.shared.owner === this) this.chat.attach(chatReason(this.reason));
    if (this.ctx !== undefined && this.shared.owner === undefined) this.consider(this.ctx);
  }

  copyFound(copy: Copy): void {
    const { copies } = this.shared;
    if (!copies.some((known) => known.path === copy.path)) copies.push(copy);
    const detail = cut(`${copy.path} (${copy.version})`, TEXT_BYTES).text;
    this.showing.mirror.notice(`copy:${copy.path}`, { type: "notice", code: "second_copy", detail });
  }

  retire(): void {
    if (this.shared.owner === this) this.release("reload");
  }

  command(words: string, ui?: unknown): string {
    const word = words.trim().toLowerCase().replace(/\s+/gu, " ");
    switch (word) {
      case "":
      case "status":
        return this.status();
      case "pair":
        return this.pair(ui, "controller");
      case "pair observer":
        return this.pair(ui, "observer");
      case "screen on":
        return this.share(true);
      case "screen off":
        return this.share(false);
      case "off":
        return this.turnOff();
      case "on":
        return this.turnOn();
      default:
        return "Usage: /mirrord status, /mirrord pair, /mirrord pair observer, /mirrord screen on, /mirrord screen off, /mirrord off or /mirrord on";
    }
  }

  // ---- what the link asks ----------------------------------------------------------------------------------------------

  hello(): Hello {
    const { shared, host, path, version, generation, reason, ctx } = this;
    return helloOf({ shared, host, path, version, generation, reason, ctx, conversation: this.conversation() });
  }

  tell(say: Say): void {
    this.reason = "daemon";
    this.dialogs.tell(say);
    this.showing.tell(say, this.sharing.states());
    this.chat.tell(say);
  }

  tellOnce(say: Say): void {
    this.showing.tellOnce(say);
  }

  unheard(): void {
    this.showing.unheard();
    this.pairing.lost();
    this.sharing.lost();
    this.chat.unheard();
  }

  respond(response: Response): void {
    guard("dialog.answer", () => this.dialogs.respond(response), undefined);
  }

  stop({ requestId }: Stop): void {
    const problem = guard("turn.stop", () => this.terminal.stop(() => this.dialogs.cancelRun(this.run, requestId)), "The extension failed.");
    const ok = problem === undefined;
    this.client.put(`stop:${requestId}`, () => ({ type: "stop_result", requestId, ok, ...(!ok && { message: problem }) }));
  }

  paired(message: PairMessage): void {
    guard("pair.told", () => this.pairing.told(message), undefined);
  }

  viewed(view: ScreenView): void {
    this.sharing.told(view);
  }

  chatted(message: ChatIncoming): void {
    guard("chat.turn", () => this.chat.take(message), undefined);
  }

  acknowledged(ids: readonly string[]): void {
    this.dialogs.acknowledged(ids);
  }

  // ---- ownership -------------------------------------------------------------------------------------------------------

  private consider(ctx: unknown): void {
    const { shared, world } = this;
    const proof = proofOf(shared, world, ctx);
    if (proof === "none") return;
    this.ctx = ctx;
    patchContext(shared, field(ctx, "ui"));
    if (proof === "full") this.claim();
    else if (this.host.interactive !== undefined) awaitInteractive(shared, this.host.interactive);
  }

  private claim(): void {
    const { shared } = this;
    shared.owner = this;
    shared.candidate = this;
    this.generation = shared.generation += 1;
    takeVariables(shared);
    if (this.config.askTool) guard("ask.tool", () => registerAskTool(this.pi), undefined);
    this.entered(this.ctx);
    this.showing.surfaces.start();
    if (!shared.off) this.client.start();
  }

  private entered(ctx: unknown): void {
    this.ctx = ctx;
    patchContext(this.shared, field(ctx, "ui"));
    guard("chat.event", () => this.followChat(), undefined);
    for (const name of guard("ui.members", () => unknownMembers(field(ctx, "ui")), [])) this.showing.mirror.unknown(name);
    if (call(ctx, "isIdle") === false) this.showing.mirror.setActivity(true, "resync");
    this.renamed();
  }

  /** A /reload makes no new context: another method's `this` shows the terminal then. */
  private followChat(): void {
    const { shared, host } = this;
    if (shared.interactive === undefined && host.interactive !== undefined) awaitInteractive(shared, host.interactive);
    this.chat.attach(chatReason(this.reason));
  }

  private release(reason: EndReason): void {
    this.chat.detach(reason !== "reload");
    this.working.stop();
    this.winner.stop();
    this.pairing.close();
    this.dialogs.withdraw(reason);
    this.showing.stop();
    this.client.stop({ type: "bye", reason });
    this.shared.owner = undefined;
  }

  // ---- the rest ----------------------------------------------------------------------------------------------------------

  /** The number of the agent's run that goes on. */
  private get run(): number | undefined {
    return this.showing.mirror.working ? this.runs : undefined;
  }

  private silent(): boolean {
    return this.privacy !== undefined || this.shared.off || this.shared.quiet;
  }

  /** Opens the dialog with a code; says why not, where there can be none. */
  private pair(ui: unknown, role: DeviceRole): string {
    const { kit } = this.host;
    if (this.shared.owner !== this || this.silent() || "problem" in this.client.standing) return this.status();
    if (kit === undefined) return "This Pi has no dialogs for it: run `mirrord pair` in another terminal.";
    this.pairing.open(kit, ui, role);
    return "";
  }

  /** Sharing needs a daemon that hears of it; that nothing is shared is kept also for one that comes later. */
  private share(on: boolean): string {
    if (on && (this.shared.owner !== this || this.silent() || "problem" in this.client.standing)) return this.status();
    return this.sharing.choose(on);
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
    this.showing.forget();
    this.chat.unheard();
    this.shared.kept.length = 0;
  }

  private status(): string {
    const { shared, privacy, version } = this;
    const isOwner = shared.owner === this;
    const standing = this.client.standing;
    const { missing } = this.host;
    return statusText({ shared, version, privacy: privacy?.why, isOwner, standing, missing, open: this.dialogs.count, screen: this.sharing.line() });
  }

  /** What is known now, or was last: a context that Pi has taken away cannot be asked. */
  private conversation(): Conversation {
    this.known = guard("link.connected", () => conversationOf(this.ctx), this.known);
    return this.known;
  }
}
