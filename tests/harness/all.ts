// A test extension that opens one dialog of each method at once, the custom one last, and then does something to the session.
//
//   /t-all {id, then?, kept?}   titles are "ID METHOD", results are named after the method. `then` is done when the file GO appears, so that no
//                           key is needed: "reload", "new", "resume" (`file`), "fork" (from the last message of the person). `kept`:
//                           with a signal, where a method takes one, which outlives what is loaded; the doorbell's "abort" aborts it
//   all_at_once {id, methods?}   the same from a tool, with the tool's signal where a method takes one; or these methods alone
//   /t-fork                 a fork from where the conversation was when a tool had last said something
//   /t-file                 the file of this conversation, as the value of its result
//
// GO is the exerciser's log with ".go" behind its name; it is removed. Its text "abort" aborts the agent, whatever is open.
import { readFileSync, rmSync } from "node:fs";

import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import { Type } from "typebox";

import { dialogs, kept, logged, type Arguments } from "./exerciser.ts";

const LOOK_EVERY_MS = 20;

type Method = keyof typeof dialogs;
type UI = ExtensionCommandContext["ui"];

interface All {
  id: string;
  then?: "reload" | "new" | "resume" | "fork";
  file?: string;
  kept?: boolean;
}

const go = `${process.env.EXERCISER_LOG}.go`;

function rung(): string | undefined {
  try {
    const text = readFileSync(go, "utf8");
    rmSync(go);
    return text;
  } catch {
    return undefined;
  }
}

const until = (isTime: () => boolean) =>
  new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (!isTime()) return;
      clearInterval(timer);
      resolve();
    }, LOOK_EVERY_MS);
  });

const METHODS = Object.keys(dialogs) as Method[];

function openAll(ui: UI, id: string, methods = METHODS, signal?: AbortSignal): Promise<void>[] {
  return methods.map((method) => {
    const title = `${id} ${method}`;
    const a: Arguments = { id, title, signal };
    if (method === "ask") a.questions = [{ id: "q", question: title, options: [{ value: "a", label: "apple" }, { value: "b", label: "banana" }] }];
    return logged(method, id, () => dialogs[method](ui, a));
  });
}

async function act(ctx: ExtensionCommandContext, { then, file }: All): Promise<void> {
  if (then === "reload") await ctx.reload();
  if (then === "new") await ctx.newSession();
  if (then === "resume" && file !== undefined) await ctx.switchSession(file);
  if (then === "fork") {
    const said = ctx.sessionManager.getEntries().filter((entry) => entry.type === "message" && entry.message.role === "user");
    await ctx.fork(said.at(-1)?.id ?? "");
  }
}

export default function all(pi: ExtensionAPI): void {
  pi.registerCommand("t-all", {
    description: "test all dialogs at once",
    handler: async (text, ctx) => {
      const wanted = JSON.parse(text) as All;
      const opened = openAll(ctx.ui, wanted.id, METHODS, wanted.kept ? kept().signal : undefined);
      if (wanted.then === undefined) return void (await Promise.all(opened));
      await until(() => rung() !== undefined);
      await act(ctx, wanted);
    },
  });
  let leaf: string | undefined;
  pi.on("tool_result", (_event, ctx) => {
    leaf = ctx.sessionManager.getLeafEntry()?.id;
  });
  pi.registerCommand("t-fork", {
    description: "test a fork",
    handler: (_text, ctx) => logged("t-fork", undefined, () => ctx.fork(leaf ?? "")),
  });
  pi.registerCommand("t-file", {
    description: "test where the conversation is",
    handler: (_text, ctx) => logged("t-file", undefined, () => ctx.sessionManager.getSessionFile()),
  });
  pi.registerTool({
    name: "all_at_once",
    label: "All at once",
    description: "Open all dialogs",
    parameters: Type.Object({ id: Type.String(), methods: Type.Optional(Type.Array(Type.String())) }),
    async execute(_id, { id, methods }, signal, _update, ctx) {
      const opened = openAll(ctx.ui, id, methods as Method[] | undefined, signal);
      let isOver = false;
      void Promise.all(opened).then(() => (isOver = true));
      await until(() => {
        if (rung() === "abort") ctx.abort();
        return isOver;
      });
      return { content: [{ type: "text", text: "all are over" }], details: {} };
    },
  });
}
