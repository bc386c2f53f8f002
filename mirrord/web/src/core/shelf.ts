/** A storage of the browser's, which may be full, forbidden, or hold what nobody here wrote. Then it keeps nothing; memory still does. */

/** The part of it that is used. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** What `use` gives; undefined where the browser refuses it. */
export function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** The keys that begin so. */
export function keysOf(shelf: Shelf | undefined, prefix: string): readonly string[] {
  const keys = attempt(() => Array.from({ length: shelf?.length ?? 0 }, (_, place) => shelf?.key(place) ?? "")) ?? [];
  return keys.filter((key) => key.startsWith(prefix));
}
