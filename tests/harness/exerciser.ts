// A test extension: one slash command for each thing an extension can ask of ctx.ui, its arguments as JSON. In them {times, text} stands
// for that text so many times, and {times, item} for an array of so many of it: nobody types a megabyte.
//
// Every event, result and error becomes one JSON line in the file that EXERCISER_LOG names. `undefined` has no JSON
// form, so a result line has an `outcome`: "value" (and `value`), "undefined", or "error" (and `error`).
//
//   /t-select  {id?, title?, options?, timeout?, abortAfter?, aborted?}     timeout, abortAfter in ms
//   /t-confirm {id?, title?, message?, timeout?, abortAfter?, aborted?}
//   /t-input   {id?, title?, placeholder?, timeout?, abortAfter?, aborted?}
//   /t-editor  {id?, title?, prefill?}      "prefill" may be {size, of} for a long one: `of` again and again
//   /t-ask     {id?, questions?, allowCustom?, timeout?, abortAfter?, aborted?}
//   /t-custom  {id?, title?, value?, overlay?, throws?}   Enter gives `value`, Esc gives nothing; or it fails
//   /t-many    {count}        a select of so many options
//   /t-nested  {id?, timeout?}   a select, with the timeout, and while it is open a confirm; results are named outer and inner
//   /t-later   {after, ...}   a select from a timer, after the command has returned
//   /t-notify  {message, type?}   /t-status {key, text?}   /t-title {title}
//   /t-widget  {key?, placement?, lines?, drawn?, ...drawing}   lines as they are, or `drawn` by a component; without lines it is cleared
//   /t-header  /t-footer {lines?, ...drawing}   a component, or without arguments Pi's own
//   /t-view    {id?, overlay?, lines?, later?, closeAfter?, ...drawing}   a custom dialog of a component: Enter gives "done", Esc nothing.
//                              `later`: ms until its factory has made it; `closeAfter`: ms until it closes by itself
//              drawing: see `Drawing`; `lines` may be {count, of, times?} for many
//   /t-working {message?, visible?, frames?, intervalMs?}   what is named is set, `null` restores it
//   /t-label   {text?}   /t-tools {expanded}   /t-theme {name}   /t-text {text, paste?}
//   /t-flood   {notify?, status?, widget?, ms, title?}   so many of each a second, for so long; gives how many there were. With a title
//                              a select in the middle of it, whose result is named "middle"
//   /t-members                gives the names of everything that ctx.ui has
//   /t-agent   {prompt?}      an in-process sub-agent made with createAgentSession
//   /t-reload  /t-new         reload extensions; start a new conversation. With {title, ...} t-reload asks once they start
//   /t-switch  {text}         to the conversation in the file of that name
//   ctrl+alt+k                a select from a shortcut
//   ask_user   {question, options?}   a tool that asks
//   EXERCISER_START={...}     a select from the first session_start, with these arguments
import { appendFileSync } from "node:fs";

import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Type } from "typebox";

import { component, linesOf, type Drawing } from "./drawing.ts";

type UI = ExtensionContext["ui"];

export interface Arguments extends Drawing {
  id?: string;
  title?: string;
  options?: string[];
  message?: string | null;
  placeholder?: string;
  timeout?: number;
  abortAfter?: number;
  aborted?: boolean;
  after?: number;
  type?: "info" | "warning" | "error";
  key?: string;
  text?: string;
  prompt?: string;
  prefill?: string | { size: number; of: string };
  questions?: unknown[];
  allowCustom?: boolean;
  value?: unknown;
  overlay?: boolean;
  throws?: boolean;
  count?: number;
  signal?: AbortSignal;
  placement?: "aboveEditor" | "belowEditor";
  drawn?: boolean;
  later?: number;
  closeAfter?: number;
  visible?: boolean;
  frames?: string[] | null;
  intervalMs?: number;
  expanded?: boolean;
  name?: string;
  paste?: boolean;
  notify?: number;
  status?: number;
  widget?: number;
  ms?: number;
}

const FRUIT = ["apple", "banana", "cherry"];

function log(record: Record<string, unknown>): void {
  const file = process.env.EXERCISER_LOG;
  if (file) appendFileSync(file, `${JSON.stringify({ at: Date.now(), pid: process.pid, ...record })}\n`);
}

export async function logged(name: string, id: string | undefined, run: () => unknown): Promise<void> {
  log({ event: "begin", name, id });
  try {
    const value = await run();
    log({ event: "result", name, id, ...(value === undefined ? { outcome: "undefined" } : { outcome: "value", value }) });
  } catch (error) {
    log({ event: "result", name, id, outcome: "error", error: String(error) });
  }
}

const KEPT = Symbol.for("mirrord.tests.kept");

/** One for the whole process, however often extensions are loaded. */
export function kept(): AbortController {
  const found = Reflect.get(globalThis, KEPT) as AbortController | undefined;
  const one = found ?? new AbortController();
  Reflect.set(globalThis, KEPT, one);
  return one;
}

function dialogOptions(a: Arguments): { timeout?: number; signal?: AbortSignal } {
  const options: { timeout?: number; signal?: AbortSignal } = {};
  if (a.timeout !== undefined) options.timeout = a.timeout;
  if (a.aborted) options.signal = AbortSignal.abort();
  else if (a.signal !== undefined) options.signal = a.signal;
  else if (a.abortAfter !== undefined) {
    const controller = new AbortController();
    options.signal = controller.signal;
    setTimeout(() => controller.abort(), a.abortAfter);
  }
  return options;
}

export const select = (ui: UI, a: Arguments) => ui.select(a.title ?? "Pick a fruit", a.options ?? FRUIT, dialogOptions(a));
const confirm = (ui: UI, a: Arguments) =>
  ui.confirm(a.title ?? "Delete file?", a.message ?? "This removes notes.txt permanently.", dialogOptions(a));
const input = (ui: UI, a: Arguments) => ui.input(a.title ?? "Your name", a.placeholder ?? "type a name", dialogOptions(a));

const PLAN = "line one\nline two";
const editor = (ui: UI, a: Arguments) => {
  const { prefill = PLAN } = a;
  const text = typeof prefill === "string" ? prefill : prefill.of.repeat(Math.ceil(prefill.size / prefill.of.length)).slice(0, prefill.size);
  return ui.editor(a.title ?? "Edit the plan", text);
};

const QUESTIONS = [
  {
    id: "database",
    question: "Which database?",
    options: [
      { value: "pg", label: "PostgreSQL", description: "Runs as a server of its own" },
      { value: "lite", label: "SQLite", description: "One file" },
    ],
  },
  {
    id: "parts",
    question: "Which parts first?",
    multiSelect: true,
    options: [
      { value: "api", label: "The API" },
      { value: "ui", label: "The user interface" },
      { value: "docs", label: "The documentation" },
    ],
  },
];

/** What `ctx.ui.ask` is where somebody has added it. */
type Ask = (questions: unknown[], allowCustom?: boolean, options?: object) => Promise<unknown>;

const ask = (ui: UI, a: Arguments) => {
  const { ask: method } = ui as UI & { ask?: Ask };
  if (method === undefined) throw new Error("there is no ctx.ui.ask");
  return method(a.questions ?? QUESTIONS, a.allowCustom, dialogOptions(a));
};

const custom = (ui: UI, a: Arguments) =>
  ui.custom<unknown>(
    (_tui, _theme, _keys, done) => {
      if (a.throws) throw new Error("no dialog today");
      return {
        render: () => [a.title ?? "A dialog of the exerciser"],
        invalidate: () => {},
        handleInput: (data: string) => done(data === "\r" ? (a.value ?? "done") : undefined),
      };
    },
    // Later Pis take a text that says what the dialog waits for.
    { overlay: a.overlay ?? false, ...(a.title !== undefined && { blocked: { kind: "question", message: a.title } }) },
  );


const widget = (ui: UI, a: Arguments) => {
  const { key = "notes", placement } = a;
  const options = placement && { placement };
  if (a.drawn) ui.setWidget(key, (tui, theme) => component(tui, theme, a), options);
  else ui.setWidget(key, a.lines && linesOf(a), options);
};

const region = (set: UI["setHeader"], a: Arguments) => set(a.lines !== undefined ? (tui, theme) => component(tui, theme, a) : undefined);

const view = (ui: UI, a: Arguments) =>
  ui.custom<unknown>(
    async (tui, theme, _keys, done) => {
      if (a.later !== undefined) await new Promise((resolve) => setTimeout(resolve, a.later));
      if (a.closeAfter !== undefined) setTimeout(() => done("closed"), a.closeAfter);
      return component(tui, theme, a, done);
    },
    { overlay: a.overlay ?? false },
  );

const working = (ui: UI, a: Arguments) => {
  if (a.message !== undefined) ui.setWorkingMessage(a.message ?? undefined);
  if (a.visible !== undefined) ui.setWorkingVisible(a.visible);
  if (a.frames === null) ui.setWorkingIndicator();
  else if (a.frames !== undefined) ui.setWorkingIndicator({ frames: a.frames, intervalMs: a.intervalMs });
};

/** So many of each a second, in steps of as many as fall into STEP_MS. */
const STEP_MS = 10;
const flood = async (ui: UI, { id, title, notify = 0, status = 0, widget: widgets = 0, ms = 1_000 }: Arguments) => {
  const start = Date.now();
  const made = { notify: 0, status: 0, widget: 0 };
  let asked = false;
  const due = (rate: number) => Math.floor((Math.min(Date.now() - start, ms) * rate) / 1_000);
  for (let past = false; !past; ) {
    past = Date.now() - start >= ms;
    if (title !== undefined && !asked && Date.now() - start >= ms / 2) {
      asked = true;
      void logged("middle", id, () => select(ui, { title }));
    }
    for (; made.notify < due(notify); made.notify += 1) ui.notify(`note ${made.notify}`);
    for (; made.status < due(status); made.status += 1) ui.setStatus("flood", `status ${made.status}`);
    for (; made.widget < due(widgets); made.widget += 1) ui.setWidget("flood", [`widget ${made.widget}`]);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return { ...made, ms: Date.now() - start };
};

/** Own members and those of its classes. */
function membersOf(ui: object): string[] {
  const names = new Set<string>();
  for (let at: object | null = ui; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") names.add(name);
  }
  return [...names].sort();
}

/** The arguments of a command. */
function read(text: string): Arguments {
  return JSON.parse(text.trim() || "{}", (_name, value: unknown) => {
    if (typeof value !== "object" || value === null || !("times" in value) || typeof value.times !== "number") return value;
    if ("text" in value) return String(value.text).repeat(value.times);
    return "item" in value ? Array<unknown>(value.times).fill(value.item) : value;
  }) as Arguments;
}

/** Every method that opens a dialog, by its name. */
export const dialogs = { select, confirm, input, editor, ask, custom };

export async function subAgent(a: Arguments): Promise<unknown> {
  const { createAgentSession } = await import("@mariozechner/pi-coding-agent");
  const { session } = await createAgentSession();
  try {
    await session.bindExtensions({});
    await session.prompt(a.prompt ?? "hello from the sub-agent");
    return session.getLastAssistantText();
  } finally {
    // As Pi does for its own sessions: extensions of the sub-agent are told that it ends.
    await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
    session.dispose();
  }
}

const commands: Record<string, (ctx: ExtensionCommandContext, a: Arguments) => unknown> = {
  "t-select": (ctx, a) => select(ctx.ui, a),
  "t-confirm": (ctx, a) => confirm(ctx.ui, a),
  "t-input": (ctx, a) => input(ctx.ui, a),
  "t-editor": (ctx, a) => editor(ctx.ui, a),
  "t-ask": (ctx, a) => ask(ctx.ui, a),
  "t-custom": (ctx, a) => custom(ctx.ui, a),
  "t-many": (ctx, a) => select(ctx.ui, { ...a, options: Array.from({ length: a.count ?? 0 }, (_, at) => `option ${at}`) }),
  "t-nested": async ({ ui }, { id, timeout }) => {
    const outer = logged("outer", id, () => select(ui, { title: "Outer", timeout }));
    await Promise.all([outer, logged("inner", id, () => confirm(ui, { title: "Inner?" }))]);
  },
  "t-later": ({ ui }, a) => {
    setTimeout(() => void logged("t-later", a.id, () => select(ui, a)), a.after ?? 500);
  },
  "t-notify": ({ ui }, a) => ui.notify(a.message ?? "noted", a.type),
  "t-status": ({ ui }, a) => ui.setStatus(a.key ?? "job", a.text),
  "t-title": ({ ui }, a) => ui.setTitle(a.title ?? "a title"),
  "t-widget": ({ ui }, a) => widget(ui, a),
  "t-header": ({ ui }, a) => region(ui.setHeader, a),
  "t-footer": ({ ui }, a) => region(ui.setFooter, a),
  "t-view": ({ ui }, a) => view(ui, a),
  "t-working": ({ ui }, a) => working(ui, a),
  "t-label": ({ ui }, a) => ui.setHiddenThinkingLabel(a.text),
  "t-tools": ({ ui }, a) => ui.setToolsExpanded(a.expanded ?? true),
  "t-theme": ({ ui }, a) => ui.setTheme(a.name ?? "light"),
  "t-text": ({ ui }, a) => (a.paste ? ui.pasteToEditor(a.text ?? "") : ui.setEditorText(a.text ?? "")),
  "t-flood": ({ ui }, a) => flood(ui, a),
  "t-members": ({ ui }) => membersOf(ui),
  "t-agent": (_ctx, a) => subAgent(a),
  "t-reload": (ctx, a) => {
    if (a.title !== undefined) process.env.EXERCISER_START = JSON.stringify(a);
    return ctx.reload();
  },
  "t-new": async (ctx) => {
    await ctx.newSession();
  },
  "t-switch": async (ctx, a) => {
    await ctx.switchSession(a.text ?? "");
  },
};

export default function exerciser(pi: ExtensionAPI): void {
  log({ event: "factory" });
  pi.on("session_start", (event, ctx) => {
    log({ event: "session_start", reason: event.reason, hasUI: ctx.hasUI });
    const start = process.env.EXERCISER_START;
    if (start && ctx.hasUI) {
      delete process.env.EXERCISER_START;
      const a = JSON.parse(start) as Arguments;
      void logged("session_start", a.id, () => select(ctx.ui, a));
    }
  });
  pi.on("session_shutdown", (event) => log({ event: "session_shutdown", reason: event.reason }));
  for (const [name, run] of Object.entries(commands)) {
    pi.registerCommand(name, {
      description: `test ${name}`,
      handler: async (text, ctx) => {
        const a = read(text);
        await logged(name, a.id, () => run(ctx, a));
      },
    });
  }
  pi.registerShortcut("ctrl+alt+k", {
    description: "test a select from a shortcut",
    handler: (ctx) => logged("shortcut", undefined, () => select(ctx.ui, { title: "From a shortcut" })),
  });
  pi.registerTool({
    name: "ask_user",
    label: "Ask the user",
    description: "Ask the user to choose",
    parameters: Type.Object({ question: Type.String(), options: Type.Optional(Type.Array(Type.String())) }),
    async execute(_id, { question, options }, signal, _update, ctx) {
      let choice: string | undefined;
      await logged("ask_user", undefined, async () => {
        choice = await ctx.ui.select(question, options ?? ["red", "green"], { signal });
        return choice;
      });
      return { content: [{ type: "text", text: `the user chose ${choice ?? "nothing"}` }], details: { choice } };
    },
  });
}
