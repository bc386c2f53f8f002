// Goes into a copy of the extension that is made for measuring: how long each guarded call took, by site, in ms.
// `total` is from its begin to its end, `own` without the guarded calls inside it, `outer` whether it was in none itself.

export type Time = [site: string, total: number, own: number, outer: boolean];

const times: Time[] = [];
(globalThis as { mirrordBenchTimes?: Time[] }).mirrordBenchTimes = times;

/** What the guarded calls inside the one that runs now have taken so far; undefined outside of all. */
let inside: number | undefined;

export function timed<T>(site: string, run: () => T): T {
  const before = inside;
  inside = 0;
  const begin = performance.now();
  const result = run();
  const total = performance.now() - begin;
  times.push([site, total, total - inside, before === undefined]);
  inside = before === undefined ? undefined : before + total;
  return result;
}
