/** What a person opened, folded and chose on the surfaces of a session, by names that outlive the surfaces. Pure. */

export type Memory = ReadonlyMap<string, string>;

export const NEW_MEMORY: Memory = new Map();
/** More than a person touches on one session; what was touched longest ago goes first. */
export const REMEMBERED = 512;

export function recall(memory: Memory, name: string): string | undefined {
  return memory.get(name);
}

/** With `value` under that name; without one it is forgotten. */
export function keep(memory: Memory, name: string, value: string | undefined): Memory {
  const next = new Map(memory);
  next.delete(name);
  if (value !== undefined) next.set(name, value);
  for (const oldest of next.keys()) {
    if (next.size <= REMEMBERED) break;
    next.delete(oldest);
  }
  return next;
}

/** The names of parts inside another: by their ids, so that each stays the same where the parts around it change. No two are the same. */
export function namesOf(parent: string, parts: readonly { readonly id?: string }[]): readonly string[] {
  const taken = new Set<string>();
  return parts.map(({ id }, index) => {
    const own = id === undefined ? undefined : `${parent}/${id.replace(/[%/#]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`;
    const name = own === undefined || taken.has(own) ? `${parent}/#${index}` : own;
    taken.add(name);
    return name;
  });
}
