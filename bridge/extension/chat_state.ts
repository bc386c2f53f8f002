// What Pi is set to and does, and what waits in its queue: read from Pi when it is told, never kept.

import { follow, isPromise } from "./guard.ts";
import { CHAT_ASK_MS, CHAT_MODELS, CHAT_QUEUED, TEXT_BYTES } from "./limits.ts";
import type { ChatModel, ChatQueueItem, ChatState, DeliveryMode } from "./chat_protocol.ts";
import { whole } from "./chat_rows.ts";
import { call, field, isObject, textOr } from "./pi.ts";
import { cut } from "./text.ts";

/** How a session's last turn ended, and since when it does what it does: of the process, for a /reload ends no turn. */
export interface Standing {
  readonly sessionId: string;
  lastTurn: ChatState["lastTurn"];
  doing: string;
  since: number;
}

/** What Pi said of a model for which it has no key. */
interface Words {
  readonly model: string;
  text: string | undefined;
  askedAt: number;
}

export class States {
  /** What Pi's events said and Pi cannot be asked for. */
  retrying: ChatState["retrying"];
  standing = standingOf("");
  private readonly refuses: () => Record<string, string>;
  private context: ChatState["context"];
  private words: Words | undefined;
  private models: ChatModel[] = [];
  /** The model that the context is known of. */
  private refreshed: unknown;

  constructor(refuses: () => Record<string, string>) {
    this.refuses = refuses;
  }

  /** What costs as much as the session is long, or as there are models: asked after boundaries, turns and actions. */
  refresh(session: unknown, interactive: unknown): void {
    this.refreshed = field(session, "model");
    // The newer generation's footer has it from its last frame.
    const drawn = field(call(field(interactive, "footer"), "getSessionStats"), "contextUsage");
    const usage = drawn ?? call(session, "getContextUsage");
    const window = whole(field(usage, "contextWindow"));
    const percent = field(usage, "percent");
    const tokens = whole(field(usage, "tokens")) ?? null;
    this.context = window === undefined ? undefined : { tokens, window, percent: typeof percent === "number" ? percent : null };
    this.models = modelsOf(session);
  }

  /** What of that may change while Pi rests: no session grows longer then. */
  watch(session: unknown, interactive: unknown): void {
    if (field(session, "model") === this.refreshed) this.models = modelsOf(session);
    else this.refresh(session, interactive);
  }

  /** `heard` is called when Pi has said why it cannot work. */
  state(session: unknown, ctx: unknown, heard: () => void): ChatState {
    const { retrying, context, standing } = this;
    const idle = isIdle(session) && retrying === undefined;
    const compacting = field(session, "isCompacting") === true;
    const bash = field(session, "isBashRunning") === true;
    const doing = JSON.stringify([idle, compacting, bash, retrying]);
    if (doing !== standing.doing) standing.since = Date.now();
    standing.doing = doing;
    const { since, lastTurn } = standing;
    const [model] = modelOf(field(session, "model"));
    const level = textOr(field(session, "thinkingLevel"), undefined);
    const name = textOr(field(session, "sessionName"), undefined);
    const levels = call(session, "getAvailableThinkingLevels");
    const trusted = call(ctx, "isProjectTrusted");
    const cannotRun = this.cannotRun(session, heard);
    return {
      type: "chat_state",
      idle,
      since,
      ...(compacting && { compacting }),
      ...(bash && { bash }),
      ...(retrying !== undefined && { retrying }),
      ...(lastTurn !== undefined && { lastTurn }),
      ...(cannotRun !== undefined && { cannotRun }),
      ...(model !== undefined && { model }),
      ...(this.models.length > 0 && { models: this.models }),
      ...(level !== undefined && { thinkingLevel: short(level) }),
      ...(Array.isArray(levels) && { levels: levels.map(short) }),
      ...(name !== undefined && { sessionName: short(name) }),
      ...mode("steeringMode", field(session, "steeringMode")),
      ...mode("followUpMode", field(session, "followUpMode")),
      ...flag("autoCompaction", field(session, "autoCompactionEnabled")),
      ...flag("autoRetry", field(session, "autoRetryEnabled")),
      ...(context !== undefined && { context }),
      ...(typeof trusted === "boolean" && { trusted }),
      refuses: this.refuses(),
    };
  }

  /** Why Pi cannot work, in its own words; undefined when it can, and while it has not said so. */
  private cannotRun(session: unknown, heard: () => void): string | undefined {
    const model = field(session, "model");
    if (!isObject(model)) return "No model selected.";
    if (hasAuth(session, model) !== false) return void (this.words = undefined);
    const key = `${String(field(model, "provider"))}/${String(field(model, "id"))}`;
    if (this.words?.model !== key) this.words = { model: key, text: undefined, askedAt: -Infinity };
    const { words } = this;
    if (performance.now() - words.askedAt < CHAT_ASK_MS) return words.text;
    words.askedAt = performance.now();
    // Pi is asked for a key that it has not listed: it says why there is none, or finds one.
    const asked = call(session, "_getRequiredRequestAuth", model);
    if (!isPromise(asked)) return (words.text = `No API key found for ${String(field(model, "provider"))}.`);
    follow(asked, "chat.event", (outcome) => {
      words.text = "error" in outcome ? short(field(outcome.error, "message") ?? outcome.error) : undefined;
      heard();
    });
    return words.text;
  }
}

/** Nothing is known of this session yet. */
export function standingOf(sessionId: string): Standing {
  return { sessionId, lastTurn: undefined, doing: "", since: Date.now() };
}

/** What waits in Pi, in the order in which it is delivered; `turnOf` knows what a remote sent. */
export function queueOf(session: unknown, interactive: unknown, turnOf: (message: object) => string | undefined): ChatQueueItem[] {
  const items: ChatQueueItem[] = [
    ...waiting(session, "steer", turnOf),
    ...waiting(session, "follow_up", turnOf),
    ...list(field(interactive, "compactionQueuedMessages")).map(held),
  ];
  return items.slice(0, CHAT_QUEUED);
}

/** What was typed while Pi compacts. */
function held(message: unknown): ChatQueueItem {
  return { kind: "compaction", text: short(field(message, "text")) };
}

const QUEUES = {
  steer: { texts: "getSteeringMessages", messages: "steeringQueue" },
  follow_up: { texts: "getFollowUpMessages", messages: "followUpQueue" },
} as const;

/** What a person wrote and Pi's agent has not taken yet; undefined when this Pi does not show it. */
export function queued(session: unknown, kind: "steer" | "follow_up"): object[] | undefined {
  const messages = field(field(field(session, "agent"), QUEUES[kind].messages), "messages");
  return Array.isArray(messages) ? messages.filter((message) => isObject(message) && field(message, "role") === "user") : undefined;
}

function waiting(session: unknown, kind: "steer" | "follow_up", turnOf: (message: object) => string | undefined): ChatQueueItem[] {
  const texts = list(call(session, QUEUES[kind].texts));
  const messages = queued(session, kind) ?? [];
  // Pi takes a message out of its agent's queue first, and what the terminal shows a moment later: both end alike.
  const lead = texts.length - messages.length;
  return texts.map((text, index) => {
    const message = messages[index - lead];
    const clientTurnId = message === undefined ? undefined : turnOf(message);
    return { kind, text: short(text), ...(clientTurnId !== undefined && { clientTurnId }) };
  });
}

/** Whether Pi runs nothing. */
export function isIdle(session: unknown): boolean {
  return field(session, "isStreaming") !== true && field(session, "isIdle") !== false;
}

/** The models that Pi can use, as Pi has them. */
export function available(session: unknown): readonly unknown[] {
  const found = call(field(session, "modelRuntime"), "getAvailableSnapshot") ?? call(field(session, "modelRegistry"), "getAvailable");
  return list(found);
}

function modelsOf(session: unknown): ChatModel[] {
  return available(session).slice(0, CHAT_MODELS).flatMap(modelOf);
}

/** false: Pi has no key for the model; undefined: this Pi does not tell. */
function hasAuth(session: unknown, model: object): unknown {
  const runtime = field(session, "modelRuntime");
  if (runtime !== undefined) return call(runtime, "hasConfiguredAuth", field(model, "provider"));
  return call(field(session, "modelRegistry"), "hasConfiguredAuth", model);
}

function modelOf(model: unknown): ChatModel[] {
  const provider = field(model, "provider");
  const id = field(model, "id");
  if (typeof provider !== "string" || typeof id !== "string") return [];
  return [{ provider: short(provider), id: short(id), name: short(textOr(field(model, "name"), id)) }];
}

function mode<K extends "steeringMode" | "followUpMode">(key: K, value: unknown): Partial<Record<K, DeliveryMode>> {
  return value === "all" || value === "one-at-a-time" ? ({ [key]: value } as Record<K, DeliveryMode>) : {};
}

function flag<K extends "autoCompaction" | "autoRetry">(key: K, value: unknown): Partial<Record<K, boolean>> {
  return typeof value === "boolean" ? ({ [key]: value } as Record<K, boolean>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function short(value: unknown): string {
  return cut(String(value ?? ""), TEXT_BYTES).text;
}
