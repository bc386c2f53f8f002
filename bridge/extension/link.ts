// One connection to a daemon, without the socket: greeting, numbering, resync, liveness. docs/bridge.md, "Life of a link".

import type { ChatIncoming } from "./chat_protocol.ts";
import { Assembly } from "./content.ts";
import { decode, ProtocolError } from "./decode.ts";
import { Lines } from "./framing.ts";
import { DEAD_SECONDS, HELLO_SECONDS, KEPT_SETTLEMENTS, PING_SECONDS, ROOM_BYTES, WAITING } from "./limits.ts";
import { Outbox, type Maker } from "./outbox.ts";
import {
  encode,
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  type Bye,
  type Hello,
  type Incoming,
  type Outgoing,
  type PairMessage,
  type Refused,
  type Response,
  type ScreenView,
  type Stop,
  type Welcome,
} from "./protocol.ts";

/** The connection as the link sees it. */
export interface Wire {
  write(line: string): void;
  /** Bytes that were written and are not yet with the system. */
  waiting(): number;
  welcomed(welcome: Welcome): void;
  refused(refused: Refused): void;
  /** Ends the connection; `why` is for a person. */
  close(why: string): void;
}

export type Say = (key: string, make: Maker) => void;

/** Whom the link speaks for. */
export interface Party {
  hello(): Hello;
  /** The link stands: says everything that is true now, in order. */
  tell(say: Say): void;
  /** Says what is told once and waits. Called after `tell`, outside the resync. */
  tellOnce(say: Say): void;
  respond(response: Response): void;
  /** Is followed by a `stop_result`. */
  stop(stop: Stop): void;
  /** What became of a request for a code. */
  paired(message: PairMessage): void;
  /** How it stands with this terminal's screen. */
  viewed(view: ScreenView): void;
  /** Something about the conversation. */
  chatted(message: ChatIncoming): void;
  /** The daemon has taken over the settlements of these prompts. */
  acknowledged(ids: readonly string[]): void;
}

export class Link {
  private state: "greeting" | "ready" | "closed" = "greeting";
  private readonly wire: Wire;
  private readonly party: Party;
  private readonly lines = new Lines();
  private readonly outbox = new Outbox();
  private readonly assembly = new Assembly();
  private readonly unacknowledged = new Map<number, string>();
  private sent = 0;
  private received = 0;
  private readonly openedAt: number;
  private heardAt: number;
  private pinged = false;

  /** `now` is in seconds of a clock that never goes back, here and below. */
  constructor(wire: Wire, party: Party, now: number) {
    this.wire = wire;
    this.party = party;
    this.openedAt = now;
    this.heardAt = now;
  }

  get ready(): boolean {
    return this.state === "ready";
  }

  greet(): void {
    this.write(this.party.hello());
  }

  receive(chunk: Buffer, now: number): void {
    this.heardAt = now;
    this.pinged = false;
    try {
      for (const line of this.lines.push(chunk)) {
        if (this.state === "closed") return;
        const { seq, message } = decode(line);
        if (seq !== this.received + 1) throw new ProtocolError(`number ${seq} after ${this.received}`);
        this.received = seq;
        if (message !== undefined) this.handle(message);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.close(`the daemon broke the protocol (${error.message})`);
    }
    this.flush();
  }

  /** Says something when there is room, if the link stands; else the next resync will say it. */
  put(key: string, make: Maker): void {
    if (this.state !== "ready") return;
    this.outbox.put(key, make);
    this.flush();
    if (this.outbox.size > WAITING) this.close("the daemon does not read");
  }

  drop(key: string): void {
    this.outbox.drop(key);
  }

  /** Writes what waits as long as there is room. */
  flush(): void {
    while (this.state === "ready" && this.wire.waiting() < ROOM_BYTES) {
      const message = this.outbox.next();
      if (message === undefined) return;
      this.write(message);
    }
  }

  tick(now: number): void {
    const silence = now - this.heardAt;
    if (this.state === "greeting" && now - this.openedAt >= HELLO_SECONDS) this.close("the daemon did not answer");
    else if (silence >= DEAD_SECONDS) this.close("the daemon fell silent");
    else if (this.state === "ready" && silence >= PING_SECONDS && !this.pinged) {
      this.pinged = true;
      this.put("ping", () => ({ type: "ping", n: this.sent + 1 }));
    }
  }

  /** The last words, if the link stands and there is room for them. */
  finish(bye: Bye): void {
    this.put("bye", () => bye);
    this.state = "closed";
  }

  /** The connection is gone. */
  lost(): void {
    this.state = "closed";
  }

  private handle(message: Incoming): void {
    if (message.type === "welcome" || message.type === "refused") return this.answered(message);
    if (this.state !== "ready") throw new ProtocolError(`${message.type} before welcome`);
    switch (message.type) {
      case "ack":
        return this.acknowledge(message.upTo);
      case "resync":
        return this.resync();
      case "response_part":
        return this.assembly.add(message);
      case "response":
        return this.party.respond(this.whole(message));
      case "stop":
        return this.party.stop(message);
      case "pair_code":
      case "pair_code_refused":
      case "pair_code_ended":
        return this.party.paired(message);
      case "screen_view":
        return this.party.viewed(message);
      case "chat_history":
      case "chat_resync":
      case "turn_part":
      case "turn":
      case "action":
        return this.party.chatted(message);
      case "ping":
        return this.put("pong", () => ({ type: "pong", n: message.n }));
      case "pong":
        return;
    }
  }

  /** The response with the text that came in pieces; as it is when they have not all come, which no prompt takes. */
  private whole(response: Response): Response {
    const { parts, ...rest } = response;
    const text = parts === undefined || rest.text !== undefined ? undefined : this.assembly.take(response.responseId, parts);
    return text === undefined ? response : { ...rest, text };
  }

  private answered(message: Welcome | Refused): void {
    if (this.state !== "greeting") throw new ProtocolError(`a second ${message.type}`);
    if (message.type === "refused") {
      this.wire.refused(message);
      return this.close("refused");
    }
    if (message.protocol < PROTOCOL_MIN || message.protocol > PROTOCOL_MAX) {
      throw new ProtocolError(`protocol ${message.protocol}`);
    }
    this.state = "ready";
    this.wire.welcomed(message);
    this.resync();
  }

  private resync(): void {
    const say: Say = (key, make) => this.outbox.put(key, make);
    this.outbox.clear();
    say("resync_begin", () => ({ type: "resync_begin" }));
    this.party.tell(say);
    say("resync_end", () => ({ type: "resync_end" }));
    this.party.tellOnce(say);
  }

  private acknowledge(upTo: number): void {
    const ids: string[] = [];
    for (const [seq, id] of this.unacknowledged) {
      if (seq > upTo) break;
      this.unacknowledged.delete(seq);
      ids.push(id);
    }
    this.party.acknowledged(ids);
  }

  private write(message: Outgoing): void {
    const seq = this.sent + 1;
    const line = encode(seq, message) ?? encode(seq, { type: "notice", code: "too_large", detail: message.type });
    if (line === undefined) return;
    this.sent = seq;
    if (message.type === "prompt_settled") this.owe(seq, message.id);
    this.wire.write(line);
  }

  private owe(seq: number, id: string): void {
    this.unacknowledged.set(seq, id);
    for (const oldest of this.unacknowledged.keys()) {
      if (this.unacknowledged.size <= KEPT_SETTLEMENTS) return;
      this.unacknowledged.delete(oldest);
    }
  }

  private close(why: string): void {
    this.state = "closed";
    this.wire.close(why);
  }
}
