/** Commands to the daemon from any screen. */

import { standing } from "./app.ts";

/** The data of the command's result. Rejects with an Error whose message is one sentence for a person. */
export async function ask(name: string, args?: Readonly<Record<string, unknown>>): Promise<unknown> {
  const here = standing.peek();
  if (here.kind !== "paired") throw new Error("This browser is not paired.");
  return here.client.command(name, args);
}

/** The sentence of a rejection. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : "That did not work. Try again.";
}
