/** All conversations over one client's connections: which of them are known there, and who is told what. */

import { load, sessionOf, sessions } from "../core/chat/journal.ts";
import type { ChatServerMessage } from "../core/chat/messages.ts";
import { CHAT_CAPABILITIES } from "../core/chat/messages.ts";
import { needsCare } from "../core/chat/turns.ts";
import type { Shelf } from "../core/shelf.ts";
import type { Welcome } from "../protocol.ts";
import { Talk, type Daemon } from "./talk.ts";

export class Talks {
  readonly #daemon: Daemon;
  readonly #shelf: Shelf | undefined;
  readonly #all = new Map<string, Talk>();
  /** Sessions that are known over the connection that stands. */
  readonly #met = new Set<string>();
  #isSupported = true;

  constructor(daemon: Daemon, shelf: Shelf | undefined) {
    this.#daemon = daemon;
    this.#shelf = shelf;
  }

  /** Take up what an earlier load of this page, or another tab, left. */
  start(signal: AbortSignal): void {
    const takeUp = (sessionId: string) => load(this.#shelf, sessionId).some(needsCare) && this.of(sessionId);
    for (const sessionId of sessions(this.#shelf, Date.now())) takeUp(sessionId);
    const changed = ({ key }: StorageEvent) => {
      // The whole storage was cleared.
      if (key === null) for (const talk of this.#all.values()) talk.reload();
      const sessionId = sessionOf(key);
      if (sessionId === undefined) return;
      const known = this.#all.get(sessionId);
      if (known === undefined) takeUp(sessionId);
      else known.reload();
    };
    addEventListener("storage", changed, { signal });
    signal.addEventListener("abort", () => this.#stop());
  }

  of(sessionId: string): Talk {
    let talk = this.#all.get(sessionId);
    if (talk === undefined) {
      talk = new Talk(sessionId, this.#daemon, this.#shelf);
      this.#all.set(sessionId, talk);
      if (this.#met.has(sessionId)) talk.met(this.#isSupported);
    }
    return talk;
  }

  welcomed({ capabilities = [], sessions: listed }: Welcome): void {
    this.#isSupported = CHAT_CAPABILITIES.every((name) => capabilities.includes(name));
    for (const { sessionId } of listed) this.met(sessionId);
  }

  /** The daemon of this connection knows the session. */
  met(sessionId: string): void {
    this.#met.add(sessionId);
    this.#all.get(sessionId)?.met(this.#isSupported);
  }

  /** It lists the session no more. */
  gone(sessionId: string): void {
    this.#met.delete(sessionId);
    const talk = this.#all.get(sessionId);
    talk?.lost();
    // Who looks at it, or has sent something, is told by this one what comes.
    if (talk?.isIdle === true) this.#all.delete(sessionId);
  }

  lost(): void {
    this.#met.clear();
    for (const talk of this.#all.values()) talk.lost();
  }

  take(message: ChatServerMessage): void {
    this.#all.get(message.sessionId)?.take(message);
  }

  #stop(): void {
    for (const talk of this.#all.values()) talk.stop();
  }
}
