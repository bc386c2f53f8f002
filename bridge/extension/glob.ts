// Folders named by patterns: `*` and `?` within a name, `**` for any number of folders, `~` for the home directory.

const ANY = "**";

/**
 * Whether `pattern` names `folder` or a folder above it: to exclude a folder is to exclude what is in it. A pattern that
 * starts neither with `/` nor with `~` may begin anywhere. `folder` and `home` are absolute.
 */
export function covers(pattern: string, folder: string, home: string): boolean {
  return matches([...parts(rooted(pattern, home)), ANY], parts(folder), (part) => part === ANY, nameMatches);
}

/** `pattern` with the folders at its start, up to the first wildcard, as `resolve` names them. */
export function resolved(pattern: string, home: string, resolve: (folder: string) => string): string {
  const all = parts(rooted(pattern, home));
  const wild = all.findIndex((part) => /[*?]/.test(part));
  const fixed = wild < 0 ? all.length : wild;
  return fixed === 0 ? pattern : [resolve(`/${all.slice(0, fixed).join("/")}`), ...all.slice(fixed)].join("/");
}

function rooted(pattern: string, home: string): string {
  if (pattern === "~" || pattern.startsWith("~/")) return `${home}${pattern.slice(1)}`;
  return pattern.startsWith("/") ? pattern : `/${ANY}/${pattern}`;
}

function parts(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function nameMatches(part: string, name: string): boolean {
  const one = (wanted: string, found: string): boolean => wanted === "?" || wanted === found;
  return matches([...part], [...name], (character) => character === "*", one);
}

/** Matches a list that may hold wildcards for any number of items; takes at most `pattern.length * subject.length` steps. */
function matches(
  pattern: readonly string[],
  subject: readonly string[],
  isWildcard: (item: string) => boolean,
  fits: (wanted: string, found: string) => boolean,
): boolean {
  let at = 0;
  let next = 0;
  // Where to go on when what follows the last wildcard does not fit: the wildcard takes one item more.
  let retry: { at: number; next: number } | undefined;
  while (next < subject.length) {
    const wanted = pattern[at];
    if (wanted !== undefined && isWildcard(wanted)) {
      at += 1;
      retry = { at, next };
    } else if (wanted !== undefined && fits(wanted, subject[next] ?? "")) {
      at += 1;
      next += 1;
    } else if (retry !== undefined) {
      retry.next += 1;
      ({ at, next } = retry);
    } else return false;
  }
  return pattern.slice(at).every(isWildcard);
}
