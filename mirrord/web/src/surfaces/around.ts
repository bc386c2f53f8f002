import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { NEW_MEMORY, recall, type Memory } from "../core/memory.ts";

/** What surfaces need of the page around them. */
export interface Around {
  /** What was opened, folded and chosen on the surfaces of this session. */
  readonly memory: Memory;
  /** Remembers a choice; undefined forgets it. */
  readonly keep: (name: string, value: string | undefined) => void;
  /** The address of a session of Pi's, as this page would show it. */
  readonly sessionHref: (id: string) => string;
  /** Shows that session; false when it is not known. */
  readonly openSession: (id: string) => boolean;
}

export const Surroundings = createContext<Around>({
  memory: NEW_MEMORY,
  keep: () => undefined,
  sessionHref: () => "#",
  openSession: () => false,
});

/** What was chosen under that name, and how to choose otherwise. */
export function useKept(name: string): readonly [string | undefined, (value: string | undefined) => void] {
  const { memory, keep } = useContext(Surroundings);
  return [recall(memory, name), (value) => keep(name, value)];
}
