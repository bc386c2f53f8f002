/** A WebSocket to `/v1/pair` as a conversation: messages in order, an end when it takes too long. */

import { record } from "../core/reading.ts";
import { PAIR_ENDPOINT, PAIR_SUBPROTOCOL, Unreachable, type Channel } from "../pairing/conversation.ts";

/** The daemon ends such a connection after as long. */
const TALK_MS = 10_000;

export function socketUrl(path: string): string {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}${path}`;
}

/** Hold one conversation; the connection ends with it. Rejects with `Unreachable`. */
export async function talk<T>(conversation: (channel: Channel) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const socket = new WebSocket(socketUrl(PAIR_ENDPOINT), PAIR_SUBPROTOCOL);
  const inbox: unknown[] = [];
  let wake = () => {};
  let ended = false;
  const end = () => {
    ended = true;
    wake();
  };
  const opened = new Promise<void>((resolve) => {
    socket.onopen = () => resolve();
    socket.onclose = () => {
      end();
      resolve();
    };
  });
  socket.onmessage = ({ data }: MessageEvent<unknown>) => {
    inbox.push(parse(data));
    wake();
  };
  const timer = setTimeout(end, TALK_MS);
  signal?.addEventListener("abort", end);
  const channel: Channel = {
    send: (message) => {
      if (ended) throw new Unreachable();
      socket.send(JSON.stringify(message));
    },
    receive: async () => {
      while (inbox.length === 0) {
        if (ended) throw new Unreachable();
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return inbox.shift();
    },
  };
  try {
    await Promise.race([opened, new Promise<void>((resolve) => (wake = resolve))]);
    if (ended) throw new Unreachable();
    return await conversation(channel);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    socket.onclose = socket.onmessage = null;
    socket.close();
  }
}

function parse(data: unknown): unknown {
  try {
    return typeof data === "string" ? record(JSON.parse(data)) : undefined;
  } catch {
    return undefined;
  }
}
