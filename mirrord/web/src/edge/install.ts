/** This page as an app of its own: whether it is one, and the browser's own question whether to make it one. */

import { signal } from "@preact/signals";

/** What browsers of one family send, and standards do not have. */
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

const ALONE = matchMedia("(display-mode: standalone)");

/** It runs in a window of its own. Safari says so in a way of its own. */
export const isInstalled = signal(ALONE.matches || (navigator as { standalone?: boolean }).standalone === true);
/** The browser offers to install it, once for each time that it says so. */
export const canInstall = signal(false);

let offer: InstallPrompt | undefined;

export function followInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    // The person is asked where they look for it, not wherever they are.
    event.preventDefault();
    offer = event as InstallPrompt;
    canInstall.value = true;
  });
  addEventListener("appinstalled", () => {
    canInstall.value = false;
    isInstalled.value = true;
  });
  ALONE.addEventListener("change", () => (isInstalled.value = ALONE.matches));
}

/** The browser's own dialog. */
export async function install(): Promise<void> {
  const asked = offer;
  offer = undefined;
  canInstall.value = false;
  await asked?.prompt();
}
