/** Whether this browser can be called while the page is closed, and what is missing where it cannot. Pure. */

/** What the browser is and allows. */
export interface Browser {
  /** https, or this very machine: elsewhere a browser has neither worker nor notifications. */
  readonly secure: boolean;
  readonly hasWorker: boolean;
  readonly hasNotifications: boolean;
  readonly hasPush: boolean;
  readonly permission: NotificationPermission;
  /** Safari on an iPhone or iPad, where only installed pages are given notifications. */
  readonly isIos: boolean;
  readonly isInstalled: boolean;
}

/** What the daemon said of push; absent until it did. */
export interface Service {
  readonly available: boolean;
  readonly reason?: string;
}

export type Ability =
  /** It cannot be had here. `title` says so in a few words, `advice` what would help. */
  | { readonly kind: "impossible"; readonly title: string; readonly advice: string }
  /** The person forbade it to this address; only they can allow it again. */
  | { readonly kind: "denied" }
  /** Nobody has asked yet. */
  | { readonly kind: "ask" }
  | { readonly kind: "granted" };

/** Whether notifications can be shown while the page is open somewhere. */
export function notifications(browser: Browser): Ability {
  if (!browser.secure) {
    return {
      kind: "impossible",
      title: "Not at this address",
      advice: "Browsers allow notifications over https and on 127.0.0.1 alone. Through an SSH tunnel (ssh -L) this page is on 127.0.0.1.",
    };
  }
  if (browser.isIos && !browser.isInstalled) {
    return {
      kind: "impossible",
      title: "Not before it is installed",
      advice: "On an iPhone or iPad: Share, then “Add to Home Screen”, and open mirrord from there.",
    };
  }
  if (!browser.hasWorker || !browser.hasNotifications) {
    return { kind: "impossible", title: "Not in this browser", advice: "It shows no notifications, or not in a private window." };
  }
  if (browser.permission === "denied") return { kind: "denied" };
  return { kind: browser.permission === "granted" ? "granted" : "ask" };
}

/** Whether they also come while the page is closed. Undefined while the daemon has not said what it can. */
export function push(browser: Browser, service: Service | undefined): Ability | undefined {
  const shown = notifications(browser);
  if (shown.kind === "impossible" || shown.kind === "denied") return shown;
  if (!browser.hasPush) {
    return { kind: "impossible", title: "Not in this browser", advice: "It has no Web Push. Notifications come while the page is open." };
  }
  if (service === undefined) return undefined;
  if (!service.available) {
    const advice = service.reason ?? "mirrord has no Web Push on that machine.";
    return { kind: "impossible", title: "mirrord cannot push", advice };
  }
  return shown;
}

/** The key of a subscription is another one than the daemon's: nothing that is sent would arrive. */
export function isForeignKey(subscribed: ArrayBuffer | null, wanted: Uint8Array): boolean {
  if (subscribed === null) return true;
  const bytes = new Uint8Array(subscribed);
  return bytes.length !== wanted.length || bytes.some((byte, place) => byte !== wanted[place]);
}
