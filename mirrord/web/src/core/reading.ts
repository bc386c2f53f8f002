/** Readers of JSON that somebody else wrote: each gives a typed value, or undefined for what it cannot read. None throws. */

export type Reader<T> = (raw: unknown) => T | undefined;
/** What a reader reads. */
export type Read<R> = R extends Reader<infer T> ? T : never;

export const text: Reader<string> = (raw) => (typeof raw === "string" ? raw : undefined);

export const number: Reader<number> = (raw) => (typeof raw === "number" ? raw : undefined);

export const bool: Reader<boolean> = (raw) => (typeof raw === "boolean" ? raw : undefined);

/** True unless it is false: for what is safer when it is so. */
export const unlessFalse: Reader<boolean> = (raw) => raw !== false;

export const anything: Reader<unknown> = (raw) => raw;

export function literal<const T extends string>(only: T): Reader<T> {
  return (raw) => (raw === only ? only : undefined);
}

/** One of these names; `otherwise` stands for a name that this build does not know. */
export function named<const N extends string, const O extends string>(names: readonly N[], otherwise: O): Reader<N | O> {
  return (raw) => {
    if (typeof raw !== "string") return undefined;
    return names.find((name) => name === raw) ?? otherwise;
  };
}

/** One of these names; another one is not read, so that it counts as absent. */
export function oneOf<const N extends string>(names: readonly N[]): Reader<N> {
  return (raw) => names.find((name) => name === raw);
}

/** A list in which every item counts, because items are answered by their place: one that is wrong makes the whole unreadable. */
export function list<T>(item: Reader<T>): Reader<readonly T[]> {
  return (raw) => {
    if (!Array.isArray(raw)) return undefined;
    const items: T[] = [];
    for (const one of raw) {
      const found = item(one);
      if (found === undefined) return undefined;
      items.push(found);
    }
    return items;
  };
}

/** A list of which the readable items are taken. */
export function readable<T>(item: Reader<T>): Reader<readonly T[]> {
  return (raw) => (Array.isArray(raw) ? raw.map(item).filter((found): found is T & {} => found !== undefined) : undefined);
}

/** A JSON object. */
export const record: Reader<Readonly<Record<string, unknown>>> = (raw) =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw) ? (raw as Record<string, unknown>) : undefined;

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Struct<R extends Fields, O extends Fields> = { readonly [K in keyof R]: Read<R[K]> } & { readonly [K in keyof O]?: Read<O[K]> };

/** An object with these fields. Fields that are not named are kept as they came; an optional one that is wrong is left out. */
export function struct<R extends Fields, O extends Fields>(required: R, optional: O): Reader<Struct<R, O>> {
  const needed = Object.entries(required);
  const possible = Object.entries(optional);
  return (raw) => {
    const found = record(raw);
    if (found === undefined) return undefined;
    const made: Record<string, unknown> = { ...found };
    for (const [name, read] of needed) {
      const value = Object.hasOwn(found, name) ? read(found[name]) : undefined;
      if (value === undefined) return undefined;
      made[name] = value;
    }
    for (const [name, read] of possible) {
      if (!Object.hasOwn(found, name)) continue;
      const value = read(found[name]);
      if (value === undefined) delete made[name];
      else made[name] = value;
    }
    return made as Struct<R, O>;
  };
}
