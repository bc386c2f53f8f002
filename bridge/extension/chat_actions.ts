// What a remote may have Pi do besides sending: each is tried for in this Pi, and each refusal is a sentence.

import { after, follow, isPromise } from "./guard.ts";
import { commandsOf } from "./chat_commands.ts";
import type { ChatCommand } from "./chat_protocol.ts";
import { CHAT_BEGUN_MS } from "./limits.ts";
import { available, isIdle } from "./chat_state.ts";
import { words } from "./chat_turns.ts";
import { call, field, isObject } from "./pi.ts";

type Args = Readonly<Record<string, unknown>>;

/** What Pi does for a while. */
interface Underway {
  readonly until: Promise<unknown>;
  /** Why what it came to is none; undefined when it is done. */
  readonly problem?: (value: unknown) => string | undefined;
  /** It counts as done when it has begun and was not refused at once. */
  readonly mayLast?: boolean;
}

/** What was asked for. */
interface Told {
  readonly commands: readonly ChatCommand[];
}

type Outcome = Underway | Told | string | undefined;

/** Does it; what it returns is a promise, what was asked for, why not as a sentence, or nothing. What it may throw is Pi's own words. */
type Deed = (reach: Reach, args: Args) => Outcome;

/** Called once: why not, as a sentence, or undefined when it is done; and what was asked for. */
export type Answer = (problem: string | undefined, told?: Told) => void;

/** Pi as actions reach it, read anew each time; `pi` is what Pi gives to each extension. */
export interface Reach {
  readonly pi: unknown;
  readonly session: unknown;
  readonly interactive: unknown;
}

interface Known {
  /** The methods of Pi's session that it needs. */
  readonly needs: readonly string[];
  readonly what: string;
  readonly act: Deed;
}

const MODES: readonly unknown[] = ["all", "one-at-a-time"];

const KNOWN: Readonly<Record<string, Known>> = {
  abort_retry: { needs: ["abortRetry"], what: "stop a retry", act: ({ session }) => void call(session, "abortRetry") },
  abort_bash: {
    needs: ["abortBash"],
    what: "stop a shell command",
    act: ({ session }) => (field(session, "isBashRunning") === true ? void call(session, "abortBash") : "No shell command is running."),
  },
  compact: { needs: ["compact"], what: "compact the conversation", act: compact },
  set_model: { needs: ["setModel"], what: "choose the model", act: setModel },
  set_thinking_level: { needs: ["setThinkingLevel"], what: "choose the thinking level", act: setThinkingLevel },
  set_session_name: { needs: ["setSessionName"], what: "name the session", act: setSessionName },
  set_steering_mode: { needs: ["setSteeringMode"], what: "choose how it is steered", act: setMode("setSteeringMode") },
  set_follow_up_mode: { needs: ["setFollowUpMode"], what: "choose how follow-ups are taken", act: setMode("setFollowUpMode") },
  set_auto_compaction: { needs: ["setAutoCompactionEnabled"], what: "compact by itself", act: setFlag("setAutoCompactionEnabled") },
  set_auto_retry: { needs: ["setAutoRetryEnabled"], what: "retry by itself", act: setFlag("setAutoRetryEnabled") },
  reload: { needs: ["extensionRunner"], what: "reload", act: reload },
  chat_commands: { needs: [], what: "tell its slash commands", act: tellCommands },
  navigate_tree: { needs: ["extensionRunner", "navigateTree"], what: "go to another place of the tree", act: navigate },
};

/** Action → why it cannot be done from afar with this Pi. */
export function refusals({ session }: Pick<Reach, "session">): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, known] of Object.entries(KNOWN)) {
    if (known.needs.some((need) => field(session, need) === undefined)) found[name] = refusal(known);
  }
  return found;
}

/** What of the conversation this Pi lets us tell and do. */
export function chatCapabilities(interactive: unknown): string[] {
  const session = field(interactive, "session");
  const has = (owner: unknown, name: string): boolean => typeof field(owner, name) === "function";
  if (!has(session, "subscribe") || !has(field(session, "sessionManager"), "getEntry")) return [];
  const runner = field(session, "extensionRunner");
  return [
    "chat",
    ...(has(session, "prompt") ? ["chat:send"] : []),
    ...(has(session, "prompt") && has(runner, "getCommand") ? ["chat:commands"] : []),
    ...(has(interactive, "handleBashCommand") ? ["chat:bash"] : []),
    ...(has(session, "navigateTree") && has(runner, "createCommandContext") ? ["chat:tree"] : []),
  ];
}

/** Does the action. Never throws. */
export function act(reach: Reach, name: string, args: Args, answer: Answer): void {
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (known === undefined) return answer("The terminal's extension does not know this action.");
  let outcome: Outcome;
  try {
    outcome = known.needs.some((need) => field(reach.session, need) === undefined) ? refusal(known) : known.act(reach, args);
  } catch (error) {
    outcome = words(error);
  }
  if (outcome === undefined || typeof outcome === "string") answer(outcome);
  else if ("commands" in outcome) answer(undefined, outcome);
  else wait(outcome, answer);
}

function wait({ until, problem, mayLast }: Underway, answer: Answer): void {
  let isAnswered = false;
  const once: Answer = (sentence) => {
    if (!isAnswered) answer(sentence);
    isAnswered = true;
  };
  follow(until, "chat.action", (outcome) => once("error" in outcome ? words(outcome.error) : problem?.(outcome.value)));
  if (mayLast === true) after(CHAT_BEGUN_MS, "chat.timer", () => once(undefined));
}

function refusal({ what }: Known): string {
  return `This Pi cannot be told from afar to ${what}.`;
}

/** Pi stops what runs first. How it ends, an event says. */
function compact({ session }: Reach, { instructions }: Args): Underway | string {
  if (field(session, "isCompacting") === true) return "Pi compacts already.";
  const messages = field(session, "messages");
  // The older generation would make a summary of nothing.
  if (Array.isArray(messages) && messages.length < 2) return "Nothing to compact (no messages yet)";
  const until = promised(call(session, "compact", typeof instructions === "string" ? instructions : undefined));
  return { until, mayLast: true };
}

function setModel({ session, interactive }: Reach, { provider, id }: Args): Underway | string {
  const model = available(session).find((one) => field(one, "provider") === provider && field(one, "id") === id);
  if (model === undefined) return "Pi has no such model, or no key for it.";
  return { until: promised(call(session, "setModel", model, { persist: false })), problem: () => void repaint(interactive) };
}

function setThinkingLevel({ session, interactive }: Reach, { level }: Args): string | undefined {
  const levels = call(session, "getAvailableThinkingLevels");
  if (typeof level !== "string" || (Array.isArray(levels) && !levels.includes(level))) return "The model has no such thinking level.";
  call(session, "setThinkingLevel", level);
  repaint(interactive);
  return undefined;
}

function setSessionName({ session }: Reach, { name }: Args): string | undefined {
  if (typeof name !== "string" || name.trim() === "") return "A session's name has at least one character.";
  call(session, "setSessionName", name.trim());
  return undefined;
}

function setMode(method: string): Deed {
  return ({ session }, { mode }) => (MODES.includes(mode) ? void call(session, method, mode) : "Pi has no such mode.");
}

function setFlag(method: string): Deed {
  return ({ session }, { enabled }) => (typeof enabled === "boolean" ? void call(session, method, enabled) : "It is on or off.");
}

/** It is answered before: the link ends with this load of the extension. */
function reload({ session }: Reach): string | undefined {
  const commands = call(field(session, "extensionRunner"), "createCommandContext");
  if (typeof field(commands, "reload") !== "function") return "This Pi cannot be told from afar to reload.";
  // While it compacts, the newer generation is not idle either.
  if (field(session, "isCompacting") === true) return "Wait for compaction to finish before reloading.";
  if (!isIdle(session)) return "Wait for the current response to finish before reloading.";
  after(0, "chat.action", () => follow(promised(call(commands, "reload")), "chat.action", () => {}));
  return undefined;
}

/** Through the context of Pi's terminal, which draws the other branch, and takes a message that is gone back to into an empty editor. */
function navigate({ session, interactive }: Reach, { entryId, summarize }: Args): Underway | string {
  const commands = call(field(session, "extensionRunner"), "createCommandContext");
  if (typeof field(commands, "navigateTree") !== "function") return "This Pi cannot be told from afar to go to another place of the tree.";
  if (field(session, "isCompacting") === true) return "Wait for the current compaction to finish before navigating the session tree.";
  if (!isIdle(session)) return "Wait for the current response to finish before navigating the session tree.";
  const entry = typeof entryId === "string" ? call(field(session, "sessionManager"), "getEntry", entryId) : undefined;
  if (!isObject(entry)) return "The session has no such entry.";
  const editor = field(interactive, "editor");
  const before = call(editor, "getText");
  const until = promised(call(commands, "navigateTree", entryId, { summarize: summarize === true }));
  const problem = (result: unknown): string | undefined => {
    if (field(result, "cancelled") === true) return "It was cancelled.";
    // The person at the terminal wrote nothing.
    if (isBlank(before) && isOf(entry, call(editor, "getText"))) call(editor, "setText", before);
    return undefined;
  };
  return { until, problem };
}

function isBlank(text: unknown): boolean {
  return typeof text === "string" && text.trim() === "";
}

/** Whether it is what the entry says, as Pi's editor has it: tabs and ends of lines are its own. */
function isOf(entry: object, text: unknown): boolean {
  const content = field(field(entry, "message") ?? entry, "content");
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const said = blocks.flatMap((block) => (field(block, "type") === "text" ? [String(field(block, "text") ?? "")] : [])).join("");
  return typeof text === "string" && said !== "" && said.replace(/\r\n?/gu, "\n").replaceAll("\t", "    ") === text;
}

function tellCommands({ pi, session }: Reach): Told | string {
  const commands = commandsOf(pi, refusals({ session }));
  return commands === undefined ? "This Pi does not tell its slash commands." : { commands };
}

/** What Pi's own command draws anew afterwards. */
function repaint(interactive: unknown): void {
  call(field(interactive, "footer"), "invalidate");
  call(interactive, "updateEditorBorderColor");
  call(field(interactive, "ui"), "requestRender");
}

function promised(value: unknown): Promise<unknown> {
  return isPromise(value) ? value : Promise.resolve(value);
}
