// A test extension: one slash command for each thing an extension can ask of ctx.ui, its arguments as JSON.
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
//   /t-agent   {prompt?}      an in-process sub-agent made with createAgentSession
//   /t-reload  /t-new         reload extensions; start a new conversation. With {title, ...} t-reload asks once they start
//   ctrl+alt+k                a select from a shortcut
//   ask_user   {question, options?}   a tool that asks
//   EXERCISER_START={...}     a select from the first session_start, with these arguments
import { appendFileSync } from "node:fs";

import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Type } from "typebox";

type UI = ExtensionContext["ui"];

export interface Arguments {
  id?: string;
  title?: string;
  options?: string[];
  message?: string;
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
  "t-agent": (_ctx, a) => subAgent(a),
  "t-reload": (ctx, a) => {
    if (a.title !== undefined) process.env.EXERCISER_START = JSON.stringify(a);
    return ctx.reload();
  },
  "t-new": async (ctx) => {
    await ctx.newSession();
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
        const a = JSON.parse(text.trim() || "{}") as Arguments;
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
