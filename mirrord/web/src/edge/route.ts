/** Which screen is shown, kept in the address's fragment so that Back and reload work. No secret stands there for longer than a blink. */

import { signal } from "@preact/signals";

import { codeInFragment } from "../pairing/code.ts";

/** `details`: what there is to know about the session stands over its page. `prompt`: the one that a notification was about. */
export type Route =
  | { readonly screen: "sessions" }
  | { readonly screen: "session"; readonly sessionId: string; readonly details?: boolean; readonly prompt?: string }
  | { readonly screen: "settings" };

export const route = signal<Route>({ screen: "sessions" });

/** The code of a pairing link that was opened, until it is used or put aside. As it stood in the address. */
export const linkedCode = signal<string | undefined>(undefined);

/** Start to follow the address. Returns whether it named a screen. */
export function followAddress(): boolean {
  addEventListener("hashchange", readAddress);
  addEventListener("click", stayHere);
  readAddress();
  return location.hash.length > 1;
}

export function hrefOf(to: Route): string {
  switch (to.screen) {
    case "sessions":
      return "#";
    case "session":
      return [
        `#session=${encodeURIComponent(to.sessionId)}`,
        ...(to.details === true ? ["details"] : []),
        ...(to.prompt === undefined ? [] : [`prompt=${encodeURIComponent(to.prompt)}`]),
      ].join("&");
    case "settings":
      return "#settings";
  }
}

/** Show a screen. `replace` leaves no step to go back to; nor does the session that is shown already: Back would seem to do nothing. */
export function go(to: Route, options?: { readonly replace?: boolean }): void {
  const address = `${location.pathname}${to.screen === "sessions" ? "" : hrefOf(to)}`;
  if (options?.replace === true || isShown(to)) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  route.value = to;
}

function isShown(to: Route): boolean {
  const at = route.peek();
  return to.screen === "session" && at.screen === "session" ? to.sessionId === at.sessionId : to.screen === at.screen;
}

/** A link into the session that is shown, such as to one of its questions: the browser would make a step of it. */
function stayHere(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const href = event.target instanceof Element ? event.target.closest("a")?.getAttribute("href") : undefined;
  const to = href?.startsWith("#") === true ? parse(href.slice(1)) : undefined;
  if (to?.screen !== "session" || !isShown(to)) return;
  event.preventDefault();
  go(to);
}

function readAddress(): void {
  const fragment = location.hash.slice(1);
  const code = codeInFragment(fragment);
  if (code !== undefined) {
    // Out of the address bar, the history and every screenshot before anything else happens.
    history.replaceState(null, "", location.pathname);
    linkedCode.value = code;
    return;
  }
  route.value = parse(fragment);
}

function parse(fragment: string): Route {
  if (fragment === "settings") return { screen: "settings" };
  const fields = new Map(fragment.split("&").map((field) => [field.split("=", 1)[0] ?? "", field.slice(field.indexOf("=") + 1)]));
  try {
    const [sessionId, prompt] = ["session", "prompt"].map((name) => decodeURIComponent(fields.get(name) ?? ""));
    if (!sessionId) return { screen: "sessions" };
    return {
      screen: "session",
      sessionId,
      ...(fields.has("details") ? { details: true } : {}),
      ...(prompt ? { prompt } : {}),
    };
  } catch {
    return { screen: "sessions" };
  }
}
