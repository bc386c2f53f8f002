/** How this browser forgets what it keeps, or also who it is. All its tabs do: what one of them still held would be kept again. */

import { leave } from "./app.ts";
import { forgetIdentity } from "./identity_store.ts";
import { clearKept } from "./kept.ts";
import { takeAllAway } from "./notifications.ts";
import { endPush } from "./push.ts";
import { go } from "./route.ts";

const FORGET = "forget";

const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("mirrord") : undefined;

/** From here on this tab forgets when another one does. */
export function followForgetting(): void {
  tabs?.addEventListener("message", ({ data }) => {
    if (data === FORGET) beginAnew();
  });
}

/** Nothing that was typed, and no name of a session, is kept any more. This browser stays paired. */
export function forget(): void {
  tabs?.postMessage(FORGET);
  beginAnew();
}

/** This browser is nobody's any more: nothing is kept, shown, or sent to it. */
export async function unpair(): Promise<void> {
  await endPush();
  await forgetIdentity();
  await takeAllAway();
  go({ screen: "sessions" }, { replace: true });
  forget();
}

/** What the page holds in memory goes with the page. */
function beginAnew(): void {
  // First: what still came in would be kept.
  leave();
  clearKept();
  location.reload();
}
