/**
 * The edge around the pure parts: timers, sockets and WebCrypto carry out what `core/connection` and `core/pending` say, and
 * `core/state` keeps what the daemon tells. Screens read the signals and call the methods.
 */

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";

import type { Answer } from "../cards/contract.ts";
import * as connection from "../core/connection.ts";
import { outgoing } from "../core/content.ts";
import { entries } from "../core/listing.ts";
import * as pending from "../core/pending.ts";
import * as core from "../core/state.ts";
import { stoodStill, type Moment } from "../core/wake.ts";
import { authenticate, Unreachable, type Identity } from "../pairing/conversation.ts";
import * as wire from "../protocol.ts";
import { socketUrl, talk } from "./channel.ts";
import { Requests } from "./requests.ts";

/** How often it is looked whether the page stood still. */
const LOOK_MS = 5_000;
/** More is not followed at once; the rest is still listed. The daemon's own bound is higher. */
const FOLLOWED = 64;
/** The longest a token lasts, whatever the clocks of both sides say. */
const TOKEN_MS = 15 * 60_000;
/** A piece of a prefill more than its own count says is no prefill: 1 MiB is at most this many. */
const PREFILL_PARTS = 64;

const LOST = "mirrord cannot be reached now. Try again when the connection is back.";

/** The connection as a person needs to know it. */
export type Link =
  | { readonly kind: "live" }
  | { readonly kind: "connecting"; readonly why: connection.LostReason; readonly since: number; readonly tries: number }
  | { readonly kind: "stopped"; readonly reason: connection.StopReason; readonly detail?: string };

export class Client {
  readonly #identity: Identity;
  readonly #state = signal(core.EMPTY);
  readonly #connection = signal(connection.NEW);
  #pending = pending.NONE_PENDING;
  #socket: WebSocket | undefined;
  #proof: AbortController | undefined;
  #followed = new Set<string>();
  readonly #requests = new Requests();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looked: Moment = moment();
  readonly #ending = new AbortController();

  /** Told of every message that was understood, after it was taken in. */
  onMessage: (message: wire.ServerMessage) => void = () => {};
  /** Told when an answer of this browser counted. */
  onAccepted: (promptId: string) => void = () => {};

  readonly state: ReadonlySignal<core.State> = this.#state;
  readonly link: ReadonlySignal<Link> = computed(() => linkOf(this.#connection.value));

  constructor(identity: Identity) {
    this.#identity = identity;
    this.#requests.onSilence = () => this.#tell({ type: "suspect" });
  }

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
    this.#tell({ type: "start" });
  }

  /** Nothing more is heard or said. */
  stop(): void {
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#abandon();
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
    let text = "";
    for (let part = 0, parts = 1; part < parts; part += 1) {
      const piece = wire.readPrefillPart(await this.#request("prefill", { id: prompt.id, part }));
      if (piece === undefined || piece.part !== part || piece.parts > PREFILL_PARTS) {
        throw new Error("mirrord sent a text that this page cannot read.");
      }
      text += piece.text;
      parts = piece.parts;
    }
    return text;
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
        void this.#prove(command.attempt);
        break;
      case "open":
        this.#open(command.attempt, command.token);
        break;
      case "probe":
        // Any reply will do, a refusal as well.
        this.#request("ping").catch(() => {});
        break;
      case "abandon":
        this.#abandon();
        break;
    }
  }

  #carry(sent: pending.Sent): void {
    this.#pending = sent.pending;
    for (const out of sent.unsure) this.#mark(out, "unsure");
    for (const out of sent.send) for (const frame of out.frames) this.#send(frame);
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
    this.#carry(pending.lost(this.#pending));
  }

  // ---- the daemon -------------------------------------------------------------------------------------------------------

  async #prove(attempt: number): Promise<void> {
    const proof = new AbortController();
    this.#proof = proof;
    let end: Awaited<ReturnType<typeof authenticate>>;
    try {
      end = await talk((channel) => authenticate(channel, location.host, this.#identity), proof.signal);
    } catch (error) {
      this.#tell({ type: "not_proved", attempt, reason: error instanceof Unreachable ? "unreachable" : "no_crypto" });
      return;
    }
    switch (end.kind) {
      case "token": {
        const lasts = Math.min(end.expiresAt - this.now(), TOKEN_MS);
        this.#tell({ type: "proved", attempt, token: { token: end.token, endsAt: steady() + lasts } });
        break;
      }
      case "not_genuine":
        this.#tell({ type: "not_proved", attempt, reason: "not_genuine" });
        break;
      case "refused": {
        const gone = end.code === "unknown_device" || end.code === "bad_signature";
        this.#tell({ type: "not_proved", attempt, reason: gone ? "revoked" : "unreachable" });
      }
    }
  }

  #open(attempt: number, token: string): void {
    const socket = new WebSocket(socketUrl(wire.ENDPOINT), [wire.SUBPROTOCOL, `bearer.${token}`]);
    this.#socket = socket;
    socket.onopen = () => {
      const resume = core.cursors(this.#state.peek());
      this.#send({
        type: "hello",
        client: { name: this.#identity.name, kind: "web" },
        protocol: wire.PROTOCOL,
        capabilities: wire.CAPABILITIES,
        ...(Object.keys(resume).length === 0 ? {} : { resume }),
      });
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = wire.decode(data);
      batch(() => {
        this.#tell({ type: "heard", attempt });
        if (message !== undefined) this.#take(message, attempt);
      });
    };
    socket.onclose = ({ code, reason }) => this.#tell({ type: "closed", attempt, code, reason });
  }

  #abandon(): void {
    this.#proof?.abort();
    this.#proof = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #send(message: wire.ClientMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

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
    }
    this.#state.value = core.take(this.#state.peek(), message, Date.now());
    if (message.type === "session") {
      if (message.change === "removed") this.#followed.delete(message.session.sessionId);
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
    this.#followed = new Set(message.sessions.map(({ sessionId }) => sessionId).filter((id) => id in resumed));
    this.#tell({ type: "welcomed", attempt });
    this.#follow();
    this.#carry(pending.back(this.#pending, steady()));
    this.onMessage(message);
  }

  /** Subscribe to what is listed and not followed yet. */
  #follow(): void {
    for (const { view, group } of entries(this.#state.peek())) {
      const { sessionId } = view.session;
      if (this.#followed.size >= FOLLOWED) return;
      if (group === "ended" || view.missingSince !== undefined || this.#followed.has(sessionId)) continue;
      this.#followed.add(sessionId);
      this.#send({ type: "subscribe", sessionId, ...(view.cursor === undefined ? {} : { since: view.cursor }) });
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

  #request(name: string, args?: wire.Command["args"]): Promise<unknown> {
    if (this.#socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Error(LOST));
    return this.#requests.make(name, args, (command) => this.#send(command));
  }
}

/** One object, so that nothing is drawn anew when nothing changed. */
const LIVE: Link = { kind: "live" };

function linkOf({ phase, lost, lostAt, failures }: connection.Connection): Link {
  switch (phase.kind) {
    case "live":
      return LIVE;
    case "stopped":
      return { kind: "stopped", reason: phase.reason, ...(phase.detail === undefined ? {} : { detail: phase.detail }) };
    default:
      return { kind: "connecting", why: lost, since: Date.now() - (steady() - lostAt), tries: failures };
  }
}

function steady(): number {
  return performance.now();
}

function moment(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}
