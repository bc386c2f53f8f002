/** Commands that wait for their results, over one connection. */

import { readTextPart, type Command, type CommandResult } from "../protocol.ts";

/** A command's reply takes no longer than this on a connection that lives. */
const REPLY_MS = 10_000;

/** More pieces than this are no text of ours: 1 MiB is at most so many. */
const TEXT_PARTS = 64;

interface Waiting {
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class Requests {
  readonly #waiting = new Map<string, Waiting>();
  /** Told when no reply came in time: the connection may be dead. */
  onSilence: () => void = () => {};

  /** The data of the command's result. Rejects with an Error whose message is one sentence for a person. */
  make(name: string, args: Command["args"], send: (command: Command) => void): Promise<unknown> {
    const requestId = crypto.randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(requestId);
        reject(new Error("mirrord did not answer in time. Try again."));
        this.onSilence();
      }, REPLY_MS);
      this.#waiting.set(requestId, { resolve, reject, timer });
      send({ type: "command", requestId, name, ...(args === undefined ? {} : { args }) });
    });
  }

  /** A result came; one that nobody waits for is nobody's. */
  replied({ requestId, ok, data, error }: CommandResult): void {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return;
    this.#waiting.delete(requestId);
    clearTimeout(waiting.timer);
    if (ok) waiting.resolve(data);
    else waiting.reject(new Error(error?.message ?? "mirrord refused without a reason."));
  }

  /** The connection ended: no result will come. */
  fail(sentence: string): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(sentence));
    }
    this.#waiting.clear();
  }
}

/** A long text, however many pieces it comes in. Rejects with an Error whose message is one sentence for a person. */
export async function wholeText(ask: (part: number) => Promise<unknown>): Promise<string> {
  let text = "";
  for (let part = 0, parts = 1; part < parts; part += 1) {
    const piece = readTextPart(await ask(part));
    if (piece === undefined || piece.part !== part || piece.parts > TEXT_PARTS) {
      throw new Error("mirrord sent a text that this page cannot read.");
    }
    text += piece.text;
    parts = piece.parts;
  }
  return text;
}
