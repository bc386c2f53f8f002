// The socket: connects when the place is safe, again after a pause when it is lost, and never keeps Pi alive or waiting.
import { createConnection, type Socket } from "node:net";

import { after, every, guard, listen, type Timer } from "./guard.ts";
import { BACKOFF_FIRST_MS, BACKOFF_MOST_MS, HELLO_SECONDS, LINGER_MS, REFUSED_MS, TICK_MS } from "./limits.ts";
import { Link, type Party } from "./link.ts";
import type { Maker } from "./outbox.ts";
import type { Paths } from "./paths.ts";
import { examine, noDaemon } from "./place.ts";
import type { Bye, Refused, Welcome } from "./protocol.ts";

type State = "stopped" | "waiting" | "trying" | "linked";

/** Whom the client speaks for. */
export interface Speaker extends Party {
  /** No daemon hears us at this time: what is told only once need not wait any longer. */
  unheard(): void;
}

export class Client {
  private readonly paths: Paths;
  private readonly uid: number;
  private readonly speaker: Speaker;
  private state: State = "stopped";
  private socket: Socket | undefined;
  private link: Link | undefined;
  private pause: Timer | undefined;
  private ticker: Timer | undefined;
  private turn = 0;
  private triedAt = 0;
  private linkedAt = 0;
  private backoff = BACKOFF_FIRST_MS;
  private refusal: Refused | undefined;
  private problem: string | undefined;
  private daemon: Welcome["daemon"] | undefined;

  constructor(paths: Paths, uid: number, speaker: Speaker) {
    this.paths = paths;
    this.uid = uid;
    this.speaker = speaker;
  }

  /** Whether something that is told only once may still reach a daemon. */
  get hopeful(): boolean {
    return this.state === "trying" || this.state === "linked";
  }

  /** Whether a daemon is told things now. */
  get linked(): boolean {
    return this.link?.ready === true;
  }

  /** The daemon on the other end, or what stands between. The words of a daemon are in it as they came. */
  get standing(): { daemon: Welcome["daemon"] } | { problem: string } {
    if (this.state === "linked" && this.daemon !== undefined) return { daemon: this.daemon };
    return { problem: this.refusal?.message ?? this.problem ?? "not connected yet" };
  }

  start(): void {
    if (this.state !== "stopped") return;
    this.backoff = BACKOFF_FIRST_MS;
    this.ticker = every(TICK_MS, "link.tick", () => this.tick());
    this.attempt();
  }

  /** Says `bye` if it can be said at once, and lets go of the socket. */
  stop(bye: Bye): void {
    this.state = "stopped";
    this.turn += 1;
    this.ticker?.cancel();
    this.pause?.cancel();
    const { link, socket } = this;
    this.link = undefined;
    this.socket = undefined;
    if (link?.ready !== true) return void socket?.destroy();
    link.finish(bye);
    if (socket === undefined) return;
    after(LINGER_MS, "link.linger", () => socket.destroy());
    socket.destroySoon();
  }

  put(key: string, make: Maker): void {
    guard("link.put", () => this.link?.put(key, make), undefined);
  }

  drop(key: string): void {
    this.link?.drop(key);
  }

  private attempt(): void {
    this.state = "trying";
    this.triedAt = seconds();
    this.refusal = undefined;
    const turn = (this.turn += 1);
    examine(this.paths, this.uid, (problem) => {
      if (turn !== this.turn) return;
      if (problem === undefined) this.connect();
      else this.retry(problem);
    });
  }

  private connect(): void {
    const socket = createConnection(this.paths.bridgeSocket);
    socket.unref();
    const mine = (run: () => void) => (): void => {
      if (socket === this.socket) run();
    };
    this.socket = socket;
    listen(socket, "error", "link.failed", (error: NodeJS.ErrnoException) => mine(() => this.failed(error))());
    listen(socket, "close", "link.closed", mine(() => this.retry("the daemon closed the link")));
    listen(socket, "connect", "link.connected", mine(() => this.connected(socket)));
    listen(socket, "data", "link.data", (chunk: Buffer) => mine(() => this.link?.receive(chunk, seconds()))());
    listen(socket, "drain", "link.drained", mine(() => this.link?.flush()));
  }

  private connected(socket: Socket): void {
    const wire = {
      write: (line: string): void => void socket.write(line),
      waiting: (): number => socket.writableLength,
      welcomed: (welcome: Welcome): void => this.welcomed(welcome),
      refused: (refused: Refused): void => void (this.refusal = refused),
      close: (why: string): void => this.retry(why),
    };
    this.link = new Link(wire, this.speaker, seconds());
    this.link.greet();
  }

  private welcomed(welcome: Welcome): void {
    this.state = "linked";
    this.linkedAt = seconds();
    this.daemon = welcome.daemon;
    this.problem = undefined;
  }

  private failed(error: NodeJS.ErrnoException): void {
    const absent = error.code === "ECONNREFUSED" || error.code === "ENOENT";
    this.retry(absent ? noDaemon(this.paths.bridgeSocket) : `the link failed (${error.code ?? "unknown"})`);
  }

  private tick(): void {
    const now = seconds();
    this.link?.tick(now);
    // The last resort, should a callback have failed: an attempt always ends.
    if (this.state === "trying" && now - this.triedAt > 2 * HELLO_SECONDS) this.retry("the daemon did not answer");
  }

  /** Ends this attempt or link and plans the next one. */
  private retry(why: string): void {
    if (this.state !== "trying" && this.state !== "linked") return;
    // A link that fell at once keeps the pauses long: whatever was wrong with it still is.
    if (this.state === "linked" && (seconds() - this.linkedAt) * 1000 >= BACKOFF_MOST_MS) this.backoff = BACKOFF_FIRST_MS;
    this.state = "waiting";
    this.problem = why;
    this.turn += 1;
    const { socket, link } = this;
    this.socket = undefined;
    this.link = undefined;
    link?.lost();
    socket?.destroy();
    this.speaker.unheard();
    this.pause = after(this.nextPause(), "link.attempt", () => this.attempt());
  }

  private nextPause(): number {
    if (this.refusal !== undefined) return REFUSED_MS;
    const pause = this.backoff * (0.5 + Math.random() / 2);
    this.backoff = Math.min(2 * this.backoff, BACKOFF_MOST_MS);
    return pause;
  }
}

function seconds(): number {
  return performance.now() / 1000;
}
