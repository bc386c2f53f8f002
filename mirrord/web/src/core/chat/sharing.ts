/** The same value as the same object: a message that is told once more, and says nothing new, is not drawn anew. Pure. */

/** `now`, or what of `before` is equal to it: whole, or piece by piece. Both are JSON. */
export function shared<T>(before: unknown, now: T): T {
  if (Object.is(before, now)) return now;
  if (Array.isArray(before) && Array.isArray(now)) return (sharedList(before, now) ?? before) as T;
  if (isObject(before) && isObject(now)) return (sharedObject(before, now) ?? before) as T;
  return now;
}

/** Undefined when all is equal. */
function sharedList(before: readonly unknown[], now: readonly unknown[]): readonly unknown[] | undefined {
  const mixed = now.map((value, place) => shared(before[place], value));
  const isSame = before.length === now.length && mixed.every((value, place) => Object.is(value, before[place]));
  return isSame ? undefined : mixed;
}

function sharedObject(before: Json, now: Json): Json | undefined {
  const mixed: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let isSame = Object.keys(before).length === Object.keys(now).length;
  for (const [name, value] of Object.entries(now)) {
    mixed[name] = shared(Object.hasOwn(before, name) ? before[name] : undefined, value);
    isSame &&= Object.hasOwn(before, name) && Object.is(mixed[name], before[name]);
  }
  return isSame ? undefined : { ...mixed };
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
