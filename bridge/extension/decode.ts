// The lines of the daemon as the messages of protocol.ts.

import type { ChatIncoming, TurnKind } from "./chat_protocol.ts";
import type { Answers, By, Incoming, PairMessage, Response } from "./protocol.ts";

/** A line that breaks the protocol: the link is closed. */
export class ProtocolError extends Error {}

/** A decoded line: its number, and the message unless its type is unknown here. */
export interface Decoded {
  readonly seq: number;
  readonly message: Incoming | undefined;
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

const TURN_KINDS = ["prompt", "steer", "follow_up", "command", "bash"] as const satisfies TurnKind[];

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
    case "response_part":
      return { type, responseId: text(fields, "responseId"), ...piece(fields) };
    case "response":
      return response(fields);
    case "stop":
      return { type, requestId: text(fields, "requestId"), by: by(fields) };
    case "pair_code":
    case "pair_code_refused":
    case "pair_code_ended":
      return pairing(type, fields);
    case "screen_view":
      return { type, followed: flag(fields, "followed"), shared: flag(fields, "shared"), watchers: integer(fields, "watchers") };
    case "chat_history":
    case "chat_resync":
    case "turn_part":
    case "turn":
    case "action":
      return chat(type, fields);
    case "ping":
    case "pong":
      return { type, n: integer(fields, "n") };
    default:
      return undefined;
  }
}

function response(fields: Fields): Response {
  return {
    type: "response",
    responseId: text(fields, "responseId"),
    id: text(fields, "id"),
    by: by(fields),
    ...(given(fields, "index") && { index: integer(fields, "index") }),
    ...(given(fields, "confirmed") && { confirmed: flag(fields, "confirmed") }),
    ...(given(fields, "text") && { text: text(fields, "text") }),
    ...(given(fields, "parts") && { parts: integer(fields, "parts") }),
    ...(given(fields, "unchanged") && { unchanged: flag(fields, "unchanged") }),
    ...(given(fields, "answers") && { answers: answers(object(fields["answers"], "answers")) }),
    ...(given(fields, "cancelled") && { cancelled: flag(fields, "cancelled") }),
  };
}

function pairing(type: PairMessage["type"], fields: Fields): PairMessage {
  const requestId = text(fields, "requestId");
  switch (type) {
    case "pair_code":
      return {
        type,
        requestId,
        code: text(fields, "code"),
        url: text(fields, "url"),
        page: text(fields, "page"),
        role: text(fields, "role"),
        expiresAt: integer(fields, "expiresAt"),
        qr: texts(fields, "qr"),
      };
    case "pair_code_refused":
      return { type, requestId, message: text(fields, "message") };
    case "pair_code_ended":
      return { type, requestId, outcome: text(fields, "outcome"), ...(given(fields, "device") && { device: text(fields, "device") }) };
  }
}

function chat(type: ChatIncoming["type"], fields: Fields): ChatIncoming {
  switch (type) {
    case "chat_history":
      return { type, requestId: text(fields, "requestId"), before: text(fields, "before"), limit: integer(fields, "limit") };
    case "chat_resync":
      return { type };
    case "turn_part":
      return { type, clientTurnId: text(fields, "clientTurnId"), ...piece(fields) };
    case "turn":
      return {
        type,
        clientTurnId: text(fields, "clientTurnId"),
        kind: turnKind(fields),
        by: by(fields),
        ...(given(fields, "text") && { text: text(fields, "text") }),
        ...(given(fields, "parts") && { parts: integer(fields, "parts") }),
        ...(given(fields, "literal") && { literal: flag(fields, "literal") }),
        ...(given(fields, "excluded") && { excluded: flag(fields, "excluded") }),
      };
    case "action":
      return {
        type,
        requestId: text(fields, "requestId"),
        name: text(fields, "name"),
        by: by(fields),
        args: given(fields, "args") ? object(fields["args"], "args") : {},
      };
  }
}

function turnKind(fields: Fields): TurnKind {
  const kind = TURN_KINDS.find((one) => one === fields["kind"]);
  if (kind === undefined) throw new ProtocolError("kind");
  return kind;
}

function by(fields: Fields): By {
  const who = object(fields["by"], "by");
  return { name: text(who, "name"), kind: text(who, "kind") };
}

function piece(fields: Fields): { part: number; parts: number; text: string } {
  return { part: integer(fields, "part"), parts: integer(fields, "parts"), text: text(fields, "text") };
}

function answers(given: Fields): Answers {
  const isAnswer = (value: unknown): value is string | string[] =>
    typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
  // Without a prototype: any text may be a question's id.
  const read: Record<string, string | string[]> = Object.create(null);
  for (const [id, value] of Object.entries(given)) {
    if (!isAnswer(value)) throw new ProtocolError("answers");
    read[id] = value;
  }
  return read;
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

function texts(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) throw new ProtocolError(name);
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
