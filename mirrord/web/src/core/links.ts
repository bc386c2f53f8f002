/**
 * Which links may be followed, and where they lead. Pure; the daemon's policy (docs/security-text.md) once more, because a link inside
 * markdown is text until a client reads it.
 */

export type Target =
  | { readonly kind: "page"; readonly href: string; readonly place: string }
  | { readonly kind: "mail"; readonly href: string; readonly place: string }
  | { readonly kind: "session"; readonly id: string };

/** As in the daemon's policy: longer ones are not opened by every browser. */
const LONGEST = 2_083;
const CHARACTERS = /^[A-Za-z0-9\-._~:/?#[\]@!$&()*+,;=%]+$/;
const SESSION = /^oppi:\/\/session\/([A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?)$/;
const MAIL = /^mailto:([A-Za-z0-9][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)$/i;

/** Where a link leads: the host as the browser will resolve it, the address, or the session; undefined when it is not to be followed. */
export function target(link: string): Target | undefined {
  if (link.length > LONGEST) return undefined;
  const session = SESSION.exec(link);
  if (session?.[1] !== undefined) return { kind: "session", id: session[1] };
  if (!CHARACTERS.test(link)) return undefined;
  const mail = MAIL.exec(link);
  if (mail?.[1] !== undefined) return { kind: "mail", href: link, place: mail[1] };
  return page(link);
}

function page(link: string): Target | undefined {
  if (!/^https?:\/\/[^/]/i.test(link) || !URL.canParse(link)) return undefined;
  const { protocol, host, username, password } = new URL(link);
  if ((protocol !== "https:" && protocol !== "http:") || host === "" || username !== "" || password !== "") return undefined;
  return { kind: "page", href: link, place: host };
}

/** Whether a link's own words already say where it leads, and nothing else. */
export function saysPlace(words: string, place: string): boolean {
  const bare = words.trim().toLowerCase();
  if (bare === place) return true;
  const said = /^https?:\/\/([^/?#\s]+)(?:[/?#]\S*)?$/.exec(bare);
  return said?.[1] === place;
}

/** The places that these links lead to, each once. */
export function places(links: Iterable<string>): readonly string[] {
  const found = new Set<string>();
  for (const link of links) {
    const leads = target(link);
    if (leads === undefined) continue;
    found.add(leads.kind === "session" ? "another session" : leads.place);
  }
  return [...found];
}
