/** One conversation at the edge: followed while somebody looks, drawn at most once a frame, and what a person may do in it. */

import { signal, type ReadonlySignal } from "@preact/signals";

import type { Conversation, ConversationActions, SlashCommand } from "../chat/contract.ts";
import * as core from "../core/chat/conversation.ts";
import { PAGE_ROWS, STREAM_ERRORS } from "../core/chat/limits.ts";
import type { ChatEvent, ChatFrame, Receipt } from "../core/chat/messages.ts";
import { readCommands, readReceipts } from "../core/chat/read.ts";
import type { Shelf } from "../core/shelf.ts";
import { Submissions, type Post } from "./submissions.ts";

/** Who looks away and back within so long finds everything as it was. */
const LINGER_MS = 20_000;
/** A page that is not seen gets no frames: what is drawn there is not needed sooner. */
const UNSEEN_MS = 250;
/** Before a stream that broke again is begun anew: longer than frames are on their way. Doubled each time. */
const AGAIN_MS = 500;
/** A stream that held so long after it broke has mended: what breaks later is counted anew. */
const MENDED_MS = 60_000;
/** Slash commands are asked for anew after so long: extensions add theirs when they please. */
const COMMANDS_MS = 60_000;

const UNSUPPORTED = "This mirrord is too old to show the conversation. Restart it: mirrord stop, then mirrord start.";
const BROKEN = "What mirrord tells of this conversation cannot be read. Reload the page.";

export interface Daemon extends Post {
  /** The data of the command's result. Rejects with an Error whose message is one sentence for a person. */
  request(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
}

export class Talk {
  readonly #sessionId: string;
  readonly #daemon: Daemon;
  readonly #submissions: Submissions;
  readonly #shown = signal<Conversation>(core.EMPTY_CONVERSATION, {
    watched: () => {
      this.#isWatched = true;
      // Not while a screen is being drawn: it changes the signal.
      queueMicrotask(() => this.#look());
    },
    unwatched: () => {
      this.#isWatched = false;
      clearTimeout(this.#leaving);
      this.#leaving = setTimeout(() => this.#unfollow(), LINGER_MS);
    },
  });
  #talk = core.NEW_TALK;
  /** The session is known over the connection that stands. */
  #isMet = false;
  #isSupported = true;
  #isWatched = false;
  #isFollowed = false;
  #errors = 0;
  #mending: ReturnType<typeof setTimeout> | undefined;
  #holding: ReturnType<typeof setTimeout> | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;
  #frame: { readonly request: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  #commands: { readonly until: number; readonly of: string; readonly list: Promise<readonly SlashCommand[]> } | undefined;

  readonly shown: ReadonlySignal<Conversation> = this.#shown;
  readonly actions: ConversationActions;

  constructor(sessionId: string, daemon: Daemon, shelf: Shelf | undefined) {
    this.#sessionId = sessionId;
    this.#daemon = daemon;
    this.#submissions = new Submissions(sessionId, daemon, shelf);
    this.#submissions.onChange = () => this.#publish();
    this.actions = this.#actions();
    this.#publish();
  }

  /** Nobody looks, or has just looked away, and nothing that was sent waits for its end. */
  get isIdle(): boolean {
    return !this.#isWatched && !this.#isFollowed && this.#submissions.isEmpty;
  }

  /** The session is known over the connection that stands. */
  met(isSupported: boolean): void {
    if (this.#isMet) return;
    this.#isMet = true;
    this.#isSupported = isSupported;
    if (isSupported) {
      if (this.#isFollowed) this.#subscribe();
      this.#submissions.back();
      this.#ask();
    }
    this.#publish();
  }

  /** The connection ended, or the daemon lists the session no more. */
  lost(): void {
    if (!this.#isMet) return;
    this.#isMet = false;
    this.#errors = 0;
    this.#unmend();
    this.#talk = core.lost(this.#talk);
    this.#submissions.lost();
    this.#publish();
  }

  take(message: ChatEvent | ChatFrame | Receipt): void {
    if (message.type === "receipt") return this.#submissions.receive(message);
    if (!this.#isFollowed || !this.#isMet) return;
    const known = this.#talk;
    this.#talk = core.take(known, message);
    if (this.#talk.view.error !== undefined) this.#again();
    else if (this.#talk.view.complete) this.#hold();
    // What is not known yet is not waited for: the first messages are shown as they come.
    if (known.isKnown) this.#soon();
    else this.#publish();
  }

  /** Another tab changed what is kept of this session's turns. */
  reload(): void {
    this.#submissions.reload();
  }

  /** Nothing of it is shown, or sent, any more. */
  stop(): void {
    clearTimeout(this.#leaving);
    this.#unmend();
    this.#cancel();
    this.#submissions.stop();
  }

  // ---- following ---------------------------------------------------------------------------------------------------------

  #look(): void {
    if (!this.#isWatched) return;
    clearTimeout(this.#leaving);
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    if (this.#isMet && this.#isSupported) this.#subscribe();
  }

  /** Nobody looks: what was shown is forgotten, so that a page does not grow with the sessions it has shown. */
  #unfollow(): void {
    if (this.#isWatched || !this.#isFollowed) return;
    this.#isFollowed = false;
    this.#unmend();
    if (this.#isMet && this.#isSupported) this.#daemon.send({ type: "chat_unsubscribe", sessionId: this.#sessionId });
    this.#talk = core.NEW_TALK;
    this.#publish();
  }

  #subscribe(): void {
    const { talk, send } = core.subscribed(this.#talk, this.#sessionId);
    this.#talk = talk;
    this.#daemon.send(send);
  }

  /** The stream broke: it is begun anew, as long as there is hope. */
  #again(): void {
    if (this.#mending !== undefined) return;
    this.#unhold();
    this.#errors += 1;
    if (this.#errors === 1) this.#subscribe();
    else if (this.#errors <= STREAM_ERRORS) this.#mend(AGAIN_MS * 2 ** (this.#errors - 2));
    else if (this.#errors === STREAM_ERRORS + 1) this.#talk = core.withNotice(this.#talk, "error", BROKEN);
  }

  /** What was on its way when it was begun anew fits nothing that follows: it passes first. */
  #mend(wait: number): void {
    this.#mending = setTimeout(() => {
      this.#mending = undefined;
      this.#subscribe();
    }, wait);
  }

  #unmend(): void {
    clearTimeout(this.#mending);
    this.#mending = undefined;
    this.#unhold();
  }

  /** All messages came, and can be read. */
  #hold(): void {
    if (this.#errors === 0 || this.#holding !== undefined) return;
    this.#holding = setTimeout(() => {
      this.#holding = undefined;
      this.#errors = 0;
    }, MENDED_MS);
  }

  #unhold(): void {
    clearTimeout(this.#holding);
    this.#holding = undefined;
  }

  // ---- drawing -----------------------------------------------------------------------------------------------------------

  #soon(): void {
    if (this.#frame !== undefined) return;
    const draw = () => this.#publish();
    this.#frame = { request: requestAnimationFrame(draw), timer: setTimeout(draw, UNSEEN_MS) };
  }

  #publish(): void {
    this.#cancel();
    this.#shown.value = core.show(this.#talk, {
      isLive: this.#isMet,
      turns: this.#submissions.shown,
      ...(this.#isSupported ? {} : { refusal: UNSUPPORTED }),
    });
  }

  #cancel(): void {
    if (this.#frame === undefined) return;
    cancelAnimationFrame(this.#frame.request);
    clearTimeout(this.#frame.timer);
    this.#frame = undefined;
  }

  #change(talk: core.Talk): void {
    this.#talk = talk;
    this.#publish();
  }

  // ---- what a person may do ----------------------------------------------------------------------------------------------

  #actions(): ConversationActions {
    const command = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
      this.#daemon.request(name, { ...args, sessionId: this.#sessionId });
    return {
      loadOlder: () => this.#loadOlder(),
      readsEnd: (isAtEnd) => void (this.#talk = { ...this.#talk, isAtEnd }),
      submit: (kind, text, options) => {
        const id = this.#submissions.submit(kind, text, options);
        return this.#submissions.shown.every((turn) => turn.id !== id || turn.stage !== "rejected");
      },
      retry: (turnId) => this.#submissions.retry(turnId),
      discard: (turnId) => this.#submissions.discard(turnId),
      dismissNotice: (id) => this.#change(core.dismissNotice(this.#talk, id)),
      stop: () => command("stop_turn").then(nothing),
      command,
      setModel: ({ provider, id }) => command("set_model", { provider, id }).then(nothing),
      setThinkingLevel: (level) => command("set_thinking_level", { level }).then(nothing),
      slashCommands: () => this.#slashCommands(),
    };
  }

  #loadOlder(): void {
    const wanted = this.#isMet ? core.askOlder(this.#talk) : undefined;
    if (wanted === undefined) return;
    this.#change(wanted.talk);
    const { asked } = wanted;
    const args = { sessionId: this.#sessionId, before: asked.before, limit: PAGE_ROWS };
    this.#daemon.request("chat_history", args).then(
      (data) => this.#change(core.paged(this.#talk, asked, data)),
      (error: unknown) => this.#change(core.notPaged(this.#talk, asked, wordsOf(error))),
    );
  }

  /** What became of turns that may have acted: nobody tells that over a new connection. */
  #ask(): void {
    const clientTurnIds = this.#submissions.unknown;
    if (clientTurnIds.length === 0) return;
    this.#daemon.request("chat_receipts", { sessionId: this.#sessionId, clientTurnIds }).then(
      (data) => {
        const receipts = readReceipts(data)?.receipts ?? [];
        for (const one of receipts) this.#submissions.receive({ ...one, type: "receipt", sessionId: this.#sessionId });
      },
      // Then it stays unknown, which the person can end.
      () => {},
    );
  }

  #slashCommands(): Promise<readonly SlashCommand[]> {
    const { conversationId, boundary } = this.#shown.peek();
    // A reload, or another conversation, has other commands.
    const of = `${conversationId ?? ""} ${boundary.count}`;
    const known = this.#commands;
    if (known !== undefined && known.of === of && performance.now() < known.until) return known.list;
    const list = this.#daemon.request("chat_commands", { sessionId: this.#sessionId }).then(
      (data) => readCommands(data)?.commands ?? [],
      () => {
        this.#commands = undefined;
        return [];
      },
    );
    this.#commands = { until: performance.now() + COMMANDS_MS, of, list };
    return list;
  }
}

function nothing(): void {}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : "Older messages could not be fetched.";
}
