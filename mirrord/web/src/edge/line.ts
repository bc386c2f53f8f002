/** The sockets of one client: one proves who this browser is, the other is the connection. What becomes of them is told as events. */

import { batch } from "@preact/signals";

import type * as connection from "../core/connection.ts";
import { authenticate, Unreachable, type Identity } from "../pairing/conversation.ts";
import * as wire from "../protocol.ts";
import { socketUrl, talk } from "./channel.ts";

/** The longest a token lasts, whatever the clocks of both sides say. */
const TOKEN_MS = 15 * 60_000;

/** Whom a line serves. */
export interface Caller {
  tell(event: connection.Event): void;
  /** A message that was understood, over the connection of that try. */
  take(message: wire.ServerMessage, attempt: number): void;
  /** The events to go on after, by session. */
  cursors(): Readonly<Record<string, string>>;
  /** The daemon's clock. */
  now(): number;
}

export class Line {
  readonly #identity: Identity;
  readonly #caller: Caller;
  #socket: WebSocket | undefined;
  #proof: AbortController | undefined;

  constructor(identity: Identity, caller: Caller) {
    this.#identity = identity;
    this.#caller = caller;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** What is said while nothing is open is not said. */
  send(message: wire.ClientMessage): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message));
  }

  async prove(attempt: number): Promise<void> {
    const proof = new AbortController();
    this.#proof = proof;
    let end: Awaited<ReturnType<typeof authenticate>>;
    try {
      end = await talk((channel) => authenticate(channel, location.host, this.#identity), proof.signal);
    } catch (error) {
      this.#caller.tell({ type: "not_proved", attempt, reason: error instanceof Unreachable ? "unreachable" : "no_crypto" });
      return;
    }
    switch (end.kind) {
      case "token": {
        const lasts = Math.min(end.expiresAt - this.#caller.now(), TOKEN_MS);
        this.#caller.tell({ type: "proved", attempt, token: { token: end.token, endsAt: performance.now() + lasts } });
        break;
      }
      case "not_genuine":
        this.#caller.tell({ type: "not_proved", attempt, reason: "not_genuine" });
        break;
      case "refused": {
        const gone = end.code === "unknown_device" || end.code === "bad_signature";
        this.#caller.tell({ type: "not_proved", attempt, reason: gone ? "revoked" : "unreachable" });
      }
    }
  }

  open(attempt: number, token: string): void {
    const socket = new WebSocket(socketUrl(wire.ENDPOINT), [wire.SUBPROTOCOL, `bearer.${token}`]);
    this.#socket = socket;
    socket.onopen = () => {
      const resume = this.#caller.cursors();
      this.send({
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
        this.#caller.tell({ type: "heard", attempt });
        if (message !== undefined) this.#caller.take(message, attempt);
      });
    };
    socket.onclose = ({ code, reason }) => this.#caller.tell({ type: "closed", attempt, code, reason });
  }

  /** Nothing of them is heard any more. */
  abandon(): void {
    this.#proof?.abort();
    this.#proof = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
