// What the demo's Pi asks: one slash command for each method, and a tool that the scripted model calls.
// Every answer is shown in the terminal with ctx.ui.notify, so that one can see what the extension received.
import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import { Type } from "typebox";

const FRUIT = ["apple", "banana", "cherry"];
const COLOURS = ["red", "green", "blue"];
/** Pi counts in whole seconds, so this is what the terminal's countdown shows too. */
const PATIENCE_MS = 2000;

const PLAN = "Dig.\nPlant roses.";
const QUESTIONS = [
	{ id: "branch", question: "Which branch?", options: [{ value: "main", label: "Main" }, { value: "next", label: "Next" }] },
	{
		id: "checks",
		question: "Which checks?",
		options: [{ value: "lint", label: "Lint" }, { value: "types", label: "Types" }, { value: "tests", label: "Tests" }],
		multiSelect: true,
	},
];

type Asked = (ctx: ExtensionCommandContext) => Promise<unknown>;

/** `ctx.ui.ask`, which Pi has from mirrord's extension. */
interface Asks {
	ask(questions: typeof QUESTIONS, allowCustom?: boolean): Promise<{ answers: Record<string, string | string[]>; allIgnored: boolean }>;
}

async function ask(ctx: ExtensionCommandContext): Promise<unknown> {
	const { answers, allIgnored } = await (ctx.ui as unknown as Asks).ask(QUESTIONS);
	return allIgnored ? undefined : answers;
}

const commands: Record<string, [description: string, ask: Asked]> = {
	"demo-select": ["choose a fruit", (ctx) => ctx.ui.select("Which fruit would you like?", FRUIT)],
	"demo-confirm": ["answer yes or no", (ctx) => ctx.ui.confirm("Delete notes.txt?", "It cannot be brought back.")],
	"demo-input": ["type a line", (ctx) => ctx.ui.input("What is your name?", "a name")],
	"demo-editor": ["edit a text", (ctx) => ctx.ui.editor("Edit the plan", PLAN)],
	"demo-ask": ["answer two questions", ask],
	"demo-timeout": ["choose within two seconds", (ctx) => ctx.ui.select("Quick, tea or coffee?", ["tea", "coffee"], { timeout: PATIENCE_MS })],
};

export default function demo(pi: ExtensionAPI): void {
	for (const [name, [description, ask]] of Object.entries(commands)) {
		pi.registerCommand(name, {
			description: `mirrord demo: ${description}`,
			handler: async (_args, ctx) => {
				const value = await ask(ctx);
				ctx.ui.notify(`${name} got ${value === undefined ? "nothing" : JSON.stringify(value)}`);
			},
		});
	}
	pi.registerTool({
		name: "ask_colour",
		label: "Ask for a colour",
		description: "Ask the person which colour to use",
		parameters: Type.Object({ question: Type.String() }),
		async execute(_id, { question }, signal, _onUpdate, ctx) {
			const colour = await ctx.ui.select(question, COLOURS, { signal });
			const text = colour === undefined ? "the person chose no colour" : `the person chose ${colour}`;
			return { content: [{ type: "text", text }], details: { colour } };
		},
	});
}
