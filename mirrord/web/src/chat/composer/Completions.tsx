import { useLayoutEffect, useRef } from "preact/hooks";

import type { SlashCommand } from "../contract.ts";

interface CompletionsProps {
  readonly id: string;
  readonly found: readonly SlashCommand[];
  readonly active: number;
  readonly point: (place: number) => void;
  readonly complete: (command: SlashCommand) => void;
}

const SOURCES: ReadonlyMap<string, string> = new Map([
  ["built-in", "Pi"],
  ["extension", "Extension"],
  ["prompt", "Prompt"],
  ["skill", "Skill"],
]);

/** The slash commands that fit what is typed. The focus stays in the text. */
export function Completions({ id, found, active, point, complete }: CompletionsProps) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => list.current?.children[active]?.scrollIntoView({ block: "nearest" }), [active, found]);
  return (
    <ul ref={list} id={id} class="completions" role="listbox" aria-label="Commands">
      {found.map((command, place) => (
        <li
          key={command.name}
          id={`${id}-${place}`}
          class={place === active ? "completion completion-active" : "completion"}
          role="option"
          aria-selected={place === active}
          onPointerDown={(event) => event.preventDefault()}
          onPointerMove={() => place !== active && point(place)}
          onClick={() => complete(command)}
        >
          <span class="completion-name mono">
            /<bdi class="foreign">{command.name}</bdi>
          </span>
          {command.description !== undefined && <bdi class="foreign completion-what">{command.description}</bdi>}
          <span class="completion-source">{SOURCES.get(command.source ?? "")}</span>
        </li>
      ))}
    </ul>
  );
}
