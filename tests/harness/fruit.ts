// An extension of somebody's own: /fruit asks for one, and the footer says which it was and how many there have been.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function fruit(pi: ExtensionAPI): void {
	let count = 0;
	pi.registerCommand("fruit", {
		description: "choose a fruit",
		handler: async (_args, ctx) => {
			const chosen = await ctx.ui.select("Which fruit would you like?", ["apple", "banana", "cherry"]);
			count += 1;
			ctx.ui.setStatus("fruit", `fruit ${count}: ${chosen ?? "none"}`);
		},
	});
}
