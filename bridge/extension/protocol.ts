// The messages of docs/bridge.md: their types, how one becomes a line, and how a line of the daemon becomes one.

import { FRAME_BYTES } from "./limits.ts";

export const PROTOCOL_MIN = 1;
export const PROTOCOL_MAX = 1;

export type Method = "select" | "confirm" | "input";
export type StartReason = "startup" | "reload" | "new" | "resume" | "fork" | "daemon";
export type EndReason = "quit" | "reload" | "new" | "resume" | "fork";
export type NotifyType = "info" | "warning" | "error";
export type RejectReason = "settled" | "unknown" | "invalid";
export type ActivityCause = "agent_start" | "agent_end" | "agent_settled" | "turn_start" | "turn_end" | "resync";

export interface Truncation {
  field: string;
  shown: number;
  total: number;
}

/** An open dialog, its texts as the author wrote them, cut to the bounds. Times in ms since the epoch, `timeout` in ms. */
export interface Prompt {
  id: string;
  method: Method;
  title: string;
  openedAt: number;
  message?: string;
  options?: string[];
  optionCount?: number;
  placeholder?: string;
  timeout?: number;
  timeoutAt?: number;
  truncated?: Truncation[];
}

export type Answer = { index?: number; label: string } | { confirmed: boolean; certain: boolean };

/** How a prompt ended; there is exactly one for each prompt. */
export interface Settled {
  type: "prompt_settled";
  id: string;
  outcome: "answered" | "cancelled" | "timed_out" | "withdrawn";
  winner: "terminal" | "remote" | "none";
  at: number;
  responseId?: string;
  answer?: Answer;
  reason?: EndReason | "signal" | "error";
}

export interface Rejected {
  type: "response_rejected";
  responseId: string;
  id: string;
  reason: RejectReason;
}

export interface Conversation {
  id: string;
  cwd: string;
  name?: string;
  file?: string;
}

export interface Hello {
  type: "hello";
  protocol: { min: number; max: number };
  bridge: { version: string; path: string; generation: number };
  terminal: { id: string; pid: number; startTime: string | null; mode: string; piVersion: string | null; node: string };
  conversation: Conversation;
  reason: StartReason;
  capabilities: string[];
}

export interface Activity {
  type: "activity";
  working: boolean;
  cause: ActivityCause;
  at: number;
  turnIndex?: number;
}

export interface Notice {
  type: "notice";
  code: "dropped" | "too_large" | "second_copy" | "hook_missing";
  detail?: string;
  count?: number;
}

export interface Bye {
  type: "bye";
  reason: EndReason | "off";
}

/** What the extension says, before it has its `seq`. */
export type Outgoing =
  | Hello
  | { type: "resync_begin" }
  | { type: "resync_end" }
  | { type: "prompt_opened"; prompt: Prompt }
  | Settled
  | Rejected
  | { type: "notification"; message: string; notifyType?: NotifyType }
  | { type: "status"; key: string; text: string | null }
  | { type: "title"; title: string | null }
  | Activity
  | { type: "conversation"; conversation: Conversation }
  | Notice
  | Bye
  | { type: "ping"; n: number }
  | { type: "pong"; n: number };

export interface Welcome {
  type: "welcome";
  protocol: number;
  daemon: { version: string; instance: string; pid: number };
  now: number;
}

export interface Refused {
  type: "refused";
  code: string;
  message: string;
}

/** An answer from afar. Which of the last four are there, and whether they suit the prompt, is judged where it is used. */
export interface Response {
  type: "response";
  responseId: string;
  id: string;
  by: { name: string; kind: string };
  index?: number;
  confirmed?: boolean;
  text?: string;
  cancelled?: boolean;
}

export type Incoming =
  | Welcome
  | Refused
  | { type: "ack"; upTo: number }
  | { type: "resync" }
  | Response
  | { type: "ping"; n: number }
  | { type: "pong"; n: number };

/** A line that breaks the protocol: the link is closed. */
export class ProtocolError extends Error {}

/** A decoded line: its number, and the message unless its type is unknown here. */
export interface Decoded {
  readonly seq: number;
  readonly message: Incoming | undefined;
}

/** `message` as a line with its LF, or undefined when it has more than FRAME_BYTES. */
export function encode(seq: number, message: Outgoing): string | undefined {
  const { type, ...fields } = message;
  const line = `${JSON.stringify({ type, seq, ...fields })}\n`;
  return Buffer.byteLength(line, "utf8") > FRAME_BYTES ? undefined : line;
}

/** Throws ProtocolError for a line that is no message, or is a known one with a field of the wrong type. */
export function decode(line: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ProtocolError("not JSON");
  }
  const fields = object(value, "message");
  const type = text(fields, "type");
  return { seq: integer(fields, "seq"), message: known(type, fields) };
}

type Fields = Readonly<Record<string, unknown>>;

const REFUSALS = ["protocol_too_old", "protocol_too_new", "peer", "busy"];

function known(type: string, fields: Fields): Incoming | undefined {
  switch (type) {
    case "welcome": {
      const daemon = object(fields["daemon"], "daemon");
      return {
        type,
        protocol: integer(fields, "protocol"),
        daemon: { version: text(daemon, "version"), instance: text(daemon, "instance"), pid: integer(daemon, "pid") },
        now: integer(fields, "now"),
      };
    }
    case "refused": {
      const code = text(fields, "code");
      if (!REFUSALS.includes(code)) throw new ProtocolError("code");
      return { type, code, message: text(fields, "message") };
    }
    case "ack":
      return { type, upTo: integer(fields, "upTo") };
    case "resync":
      return { type };
    case "response":
      return response(fields);
    case "ping":
    case "pong":
      return { type, n: integer(fields, "n") };
    default:
      return undefined;
  }
}

function response(fields: Fields): Response {
  const by = object(fields["by"], "by");
  return {
    type: "response",
    responseId: text(fields, "responseId"),
    id: text(fields, "id"),
    by: { name: text(by, "name"), kind: text(by, "kind") },
    ...(given(fields, "index") && { index: integer(fields, "index") }),
    ...(given(fields, "confirmed") && { confirmed: flag(fields, "confirmed") }),
    ...(given(fields, "text") && { text: text(fields, "text") }),
    ...(given(fields, "cancelled") && { cancelled: flag(fields, "cancelled") }),
  };
}

function given(fields: Fields, name: string): boolean {
  return fields[name] !== undefined && fields[name] !== null;
}

function object(value: unknown, name: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ProtocolError(name);
  return value as Fields;
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw new ProtocolError(name);
  return value;
}

function integer(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new ProtocolError(name);
  return value;
}

function flag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== "boolean") throw new ProtocolError(name);
  return value;
}
