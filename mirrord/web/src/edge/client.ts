/**
 * The edge around the pure parts: timers and a line to the daemon carry out what `core/connection` and `core/pending` say, and
 * `core/state` keeps what the daemon tells. Screens read the signals and call the methods.
 */

import { computed, signal, type ReadonlySignal } from "@preact/signals";

import type { Answer } from "../cards/contract.ts";
import * as connection from "../core/connection.ts";
import { outgoing } from "../core/content.ts";
import { entries } from "../core/listing.ts";
import * as pending from "../core/pending.ts";
import type { Shelf } from "../core/shelf.ts";
import * as core from "../core/state.ts";
import { stoodStill, type Moment } from "../core/wake.ts";
import type { Identity } from "../pairing/conversation.ts";
import * as wire from "../protocol.ts";
import { Line } from "./line.ts";
import { linkOf, type Link } from "./link.ts";
import { Requests, wholeText } from "./requests.ts";
import { Talks } from "./talks.ts";

/** How often it is looked whether the page stood still. */
const LOOK_MS = 5_000;
/** More is not followed at once; the rest is still listed. The daemon's own bound is higher. */
const FOLLOWED = 64;

const LOST = "mirrord cannot be reached now. Try again when the connection is back.";

export class Client {
  readonly #line: Line;
  readonly #state = signal(core.EMPTY);
  readonly #connection = signal(connection.NEW);
  #pending = pending.NONE_PENDING;
  #followed = new Set<string>();
  readonly #requests = new Requests();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looked: Moment = moment();
  readonly #ending = new AbortController();
  #looking: wire.Looking = { type: "looking", sessionId: null };

  /** Told of every message that was understood, after it was taken in. */
  onMessage: (message: wire.ServerMessage) => void = () => {};
  /** Told when an answer of this browser counted. */
  onAccepted: (promptId: string) => void = () => {};

  /** The conversations. */
  readonly talks: Talks;
  readonly state: ReadonlySignal<core.State> = this.#state;
  readonly link: ReadonlySignal<Link> = computed(() => linkOf(this.#connection.value, steady(), Date.now()));

  /** `shelf` keeps what was sent and is not over. */
  constructor(identity: Identity, shelf: Shelf | undefined) {
    this.#line = new Line(identity, {
      tell: (event) => this.#tell(event),
      take: (message, attempt) => this.#take(message, attempt),
      cursors: () => core.cursors(this.#state.peek()),
      now: this.now,
    });
    const daemon = {
      locks: navigator.locks,
      send: (message: wire.ClientMessage) => this.#line.send(message),
      now: () => this.now(),
      request: (name: string, args: wire.Command["args"]) => this.#request(name, args),
    };
    this.talks = new Talks(daemon, shelf);
    this.#requests.onSilence = () => this.#tell({ type: "suspect" });
  }

  /** Told of what calls the person elsewhere. */
  onAttention: (message: wire.Attention) => void = () => {};

  /** The daemon's time, as well as this browser knows it. */
  readonly now = (): number => Date.now() + this.#state.peek().clockOffset;

  start(): void {
    const { signal } = this.#ending;
    const woke = () => this.#tell({ type: "woke" });
    addEventListener("online", woke, { signal });
    addEventListener("offline", () => this.#tell({ type: "offline" }), { signal });
    addEventListener("pageshow", woke, { signal });
    document.addEventListener("resume", woke, { signal });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && woke(), { signal });
    const look = setInterval(() => this.#look(), LOOK_MS);
    signal.addEventListener("abort", () => clearInterval(look));
    this.talks.start(signal);
    this.#tell({ type: "start" });
  }

  /** Nothing more is heard or said. */
  stop(): void {
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#line.abandon();
  }

  /** The person wants it now. */
  retry(): void {
    this.#tell({ type: "woke" });
  }

  /** Answer a prompt. While an answer to it has no verdict nothing else is sent. */
  answer(prompt: wire.ExtensionUIRequest, answer: Answer): void {
    const before = this.#state.peek().answers.get(prompt.id)?.state;
    if (before === "sending" || before === "unsure" || before === "accepted") return;
    const out = outgoing(prompt.id, crypto.randomUUID(), answer);
    const live = this.#pending.connected;
    this.#mark(out, live ? "sending" : "unsure");
    this.#carry(pending.give(this.#pending, out, steady()));
  }

  /** This page shows that session to somebody now, or none, and whether it can be seen. Said at once, and on each connection. */
  look(sessionId: string | null, isSeen: boolean): void {
    const { sessionId: before, present: wasSeen = false } = this.#looking;
    if (sessionId === before && isSeen === wasSeen) return;
    this.#looking = { type: "looking", sessionId, ...(isSeen ? { present: true } : {}) };
    if (this.#connection.peek().phase.kind === "live") this.#line.send(this.#looking);
  }

  /** The data of a command's result. Rejects with a sentence for a person. */
  command(name: string, args?: wire.Command["args"]): Promise<unknown> {
    return this.#request(name, args);
  }

  /** Milliseconds since the daemon was heard last; undefined while there is no connection. */
  silence(): number | undefined {
    const { phase } = this.#connection.peek();
    return phase.kind === "live" ? steady() - phase.heardAt : undefined;
  }

  dismiss(prompt: wire.ExtensionUIRequest): void {
    this.#state.value = core.dismissed(this.#state.peek(), prompt.sessionId, prompt.id);
  }

  /** Options of a select from `offset` on. Rejects with a sentence for a person. */
  async options(promptId: string, offset: number): Promise<wire.OptionsPage> {
    const page = wire.readOptionsPage(await this.#request("options", { id: promptId, offset }));
    if (page === undefined) throw new Error("mirrord sent options that this page cannot read.");
    return page;
  }

  /** The whole prefill of an editor. Rejects with a sentence for a person. */
  async prefill(prompt: wire.ExtensionUIRequest): Promise<string> {
    if (prompt.prefillParts === undefined) return prompt.prefill ?? "";
    return wholeText((part) => this.#request("prefill", { id: prompt.id, part }));
  }

  /** How a prompt ended that this page was not told of. Rejects where the daemon does not remember it. */
  async verdict(promptId: string): Promise<wire.Verdict | undefined> {
    return wire.readVerdict(await this.#request("verdict", { id: promptId }));
  }

  /** A text that was handed over was taken or given up. */
  taken(sessionId: string, handoffId: string): void {
    this.#state.value = core.handedOver(this.#state.peek(), sessionId, handoffId);
  }

  // ---- what the pure parts say ------------------------------------------------------------------------------------------

  #tell(event: connection.Event): void {
    if (this.#ending.signal.aborted) return;
    const before = this.#connection.peek();
    const step = connection.handle(before, event, steady(), Math.random());
    this.#connection.value = step.connection;
    const wasLive = before.phase.kind === "live";
    if (wasLive && step.connection.phase.kind !== "live") this.#lost();
    for (const command of step.commands) this.#do(command);
    this.#schedule();
  }

  #do(command: connection.Command): void {
    switch (command.type) {
      case "prove":
        void this.#line.prove(command.attempt);
        break;
      case "open":
        this.#line.open(command.attempt, command.token);
        break;
      case "probe":
        // Any reply will do, a refusal as well.
        this.#request("ping").catch(() => {});
        break;
      case "abandon":
        this.#line.abandon();
        break;
    }
  }

  #carry(sent: pending.Sent): void {
    this.#pending = sent.pending;
    for (const out of sent.unsure) this.#mark(out, "unsure");
    for (const out of sent.send) for (const frame of out.frames) this.#line.send(frame);
    if (sent.unsure.length > 0) this.#tell({ type: "suspect" });
    this.#schedule();
  }

  #mark({ promptId, responseId }: pending.Outgoing, state: core.AnswerState["state"], detail?: string): void {
    this.#state.value = core.answered(this.#state.peek(), promptId, { responseId, state, ...(detail === undefined ? {} : { detail }) });
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#ending.signal.aborted) return;
    const due = [connection.nextAt(this.#connection.peek()), pending.nextAt(this.#pending)].filter((at) => at !== undefined);
    if (due.length === 0) return;
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, Math.min(...due) - steady()));
  }

  #tick(): void {
    this.#tell({ type: "tick" });
    this.#carry(pending.tick(this.#pending, steady()));
  }

  #look(): void {
    const now = moment();
    if (stoodStill(this.#looked, now, LOOK_MS)) this.#tell({ type: "woke" });
    this.#looked = now;
    const state = this.#state.peek();
    if (this.#connection.peek().phase.kind === "live") this.#state.value = core.pass(state, Date.now());
  }

  #lost(): void {
    this.#followed.clear();
    this.#requests.fail(LOST);
    this.talks.lost();
    this.#carry(pending.lost(this.#pending));
  }

  // ---- the daemon -------------------------------------------------------------------------------------------------------

  #take(message: wire.ServerMessage, attempt: number): void {
    switch (message.type) {
      case "welcome":
        return this.#welcomed(message, attempt);
      case "error":
        if (message.code === "protocol") this.#tell({ type: "protocol", attempt, detail: message.message });
        return;
      case "command_result":
        return this.#requests.replied(message);
      case "response_result":
        return this.#ruled(message);
      case "attention":
        return this.onAttention(message);
      case "chat_event":
      case "chat_frame":
      case "receipt":
        return this.talks.take(message);
    }
    this.#state.value = core.take(this.#state.peek(), message, Date.now());
    if (message.type === "extension_ui_notification" && message.handoffId !== undefined && message.textParts !== undefined) {
      void this.#fetch(message.sessionId, message.handoffId);
    } else if (message.type === "session") {
      const { sessionId, status } = message.session;
      const isGone = message.change === "removed";
      // One that has ended takes the place of none that lives.
      if (isGone || status.state === "ended") this.#followed.delete(sessionId);
      if (isGone) this.talks.gone(sessionId);
      else this.talks.met(sessionId);
      this.#follow();
    }
    this.onMessage(message);
  }

  #welcomed(message: wire.Welcome, attempt: number): void {
    if (message.protocol < wire.PROTOCOL.min || message.protocol > wire.PROTOCOL.max) {
      this.#tell({ type: "protocol", attempt, detail: `The daemon chose protocol ${message.protocol}.` });
      return;
    }
    const resumed = core.cursors(this.#state.peek());
    this.#state.value = core.take(this.#state.peek(), message, Date.now());
    const here = message.sessions.filter(({ sessionId, status }) => sessionId in resumed && status.state !== "ended");
    this.#followed = new Set(here.map(({ sessionId }) => sessionId));
    this.#tell({ type: "welcomed", attempt });
    this.#line.send(this.#looking);
    this.#follow();
    this.talks.welcomed(message);
    this.#carry(pending.back(this.#pending, steady()));
    for (const { sessionId, id } of core.unfetched(this.#state.peek())) void this.#fetch(sessionId, id);
    this.onMessage(message);
  }

  /** Subscribe to what is listed and not followed yet. */
  #follow(): void {
    for (const { view, group } of entries(this.#state.peek())) {
      const { sessionId } = view.session;
      if (this.#followed.size >= FOLLOWED) return;
      if (group === "ended" || view.missingSince !== undefined || this.#followed.has(sessionId)) continue;
      this.#followed.add(sessionId);
      this.#line.send({ type: "subscribe", sessionId, ...(view.cursor === undefined ? {} : { since: view.cursor }) });
    }
  }

  #ruled(result: wire.ResponseResult): void {
    const { pending: next, judgement, certain } = pending.judge(this.#pending, result, steady());
    this.#pending = next;
    if (judgement !== "ignored") {
      this.#state.value = core.take(this.#state.peek(), result, Date.now());
      if (!certain) {
        this.#state.value = core.answered(this.#state.peek(), result.id, { responseId: result.responseId, state: "lost_track" });
      }
      if (result.accepted) this.onAccepted(result.id);
      this.onMessage(result);
    }
    this.#schedule();
  }

  /** The daemon keeps few long hand-offs, and not for long: one is fetched when it is told. */
  async #fetch(sessionId: string, id: string): Promise<void> {
    const outcome = await wholeText((part) => this.#request("handoff", { sessionId, id, part })).then(
      (text) => ({ text }),
      (error: unknown) => ({ failure: error instanceof Error ? error.message : "The text could not be fetched." }),
    );
    // Without a connection it is still on its way: it is asked for again over the next one.
    if ("failure" in outcome && this.#connection.peek().phase.kind !== "live") return;
    this.#state.value = core.fetched(this.#state.peek(), sessionId, id, outcome);
  }

  #request(name: string, args?: wire.Command["args"]): Promise<unknown> {
    if (!this.#line.isOpen) return Promise.reject(new Error(LOST));
    return this.#requests.make(name, args, (command) => this.#line.send(command));
  }
}

function steady(): number {
  return performance.now();
}

function moment(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}
