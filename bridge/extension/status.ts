// What `/mirrord status` says.

import type { Client } from "./client.ts";
import { failures } from "./guard.ts";
import type { Registry } from "./registry.ts";
import { quoted } from "./text.ts";

export interface Facts {
  readonly shared: Registry;
  readonly version: string;
  readonly privacy: string | undefined;
  readonly isOwner: boolean;
  readonly standing: Client["standing"];
  readonly missing: readonly string[];
  /** Dialogs that a remote could answer now. */
  readonly open: number;
  /** What there is to say of the screen. */
  readonly screen: string | undefined;
}

/** Lines for the terminal; what came from elsewhere is printable in them. */
export function statusText(facts: Facts): string {
  const lines = [`mirrord ${facts.version}: ${situation(facts)}`];
  if (facts.screen !== undefined && facts.isOwner && !facts.shared.off) lines.push(facts.screen);
  for (const copy of facts.shared.copies) lines.push(`Another copy is loaded and stays passive: ${quoted(copy.path)} (${quoted(copy.version)})`);
  for (const name of facts.missing) lines.push(`This Pi has no ${name}: some dialogs are not mirrored.`);
  for (const [site, count] of failures) lines.push(`Failed and went on: ${site}, ${count} times. Please report it.`);
  return lines.join("\n");
}

function situation({ shared, privacy, isOwner, standing, open }: Facts): string {
  if (privacy !== undefined) return `private, because ${quoted(privacy)}`;
  if (shared.off) return "off; /mirrord on brings it back";
  if (!isOwner) return "not mirrored, because Pi has not shown this session in a terminal yet";
  if ("problem" in standing) return `not connected: ${quoted(standing.problem)}`;
  const prompts = open === 1 ? "1 open prompt" : `${open} open prompts`;
  const { version, pid } = standing.daemon;
  return `mirrored as session ${shared.terminalId} by the daemon ${quoted(version)} (pid ${pid}), ${prompts}`;
}
