/** The page's one model: who this browser is, its client, and what passes on screen. Made once, by `main`. */

import { batch, computed, effect, signal } from "@preact/signals";

import { announced, SILENCE, type Announcement } from "../core/announcement.ts";
import { Drafts } from "../core/drafts.ts";
import { titleOf } from "../core/listing.ts";
import { attempt } from "../core/shelf.ts";
import { EMPTY, type State } from "../core/state.ts";
import * as toasting from "../core/toasts.ts";
import type { Identity } from "../pairing/conversation.ts";
import type { ServerMessage } from "../protocol.ts";
import { ring } from "./attention.ts";
import { Client } from "./client.ts";
import { forgetIdentity, loadIdentity, saveIdentity } from "./identity_store.ts";
import type { Link } from "./link.ts";
import { lastSession, sound } from "./preferences.ts";
import { go, route } from "./route.ts";

/** Who this browser is: not known yet, no device, a device, or unable to be one (and why). */
export type Standing =
  | { readonly kind: "loading" }
  | { readonly kind: "unpaired" }
  | { readonly kind: "paired"; readonly client: Client; readonly identity: Identity }
  | { readonly kind: "unable"; readonly why: string };

/** A screen reader reads on until it is stopped: of a long question the beginning is enough. */
const SAID_CHARS = 160;

export const standing = signal<Standing>({ kind: "loading" });
export const state = computed<State>(() => (standing.value.kind === "paired" ? standing.value.client.state.value : EMPTY));
export const link = computed<Link | undefined>(() => (standing.value.kind === "paired" ? standing.value.client.link.value : undefined));
export const toasts = signal<readonly toasting.Toast[]>([]);
/** The pointer or the focus is on the toasts. */
export const toastsHeld = signal(false);
/** This browser's clock, each second while the page is seen. Milliseconds since the epoch. */
export const clock = signal(Date.now());
const clockOffset = computed(() => state.value.clockOffset);
/** The daemon's clock, as often: what it tells is of its time. */
export const daemonClock = computed(() => clock.value + clockOffset.value);
/** Counts changes of which cards hold typed text. */
export const draftsChanged = signal(0);
/** What a screen reader says next; `urgent` interrupts. */
export const said = signal<Announcement & { readonly urgent: boolean }>({ ...SILENCE, urgent: false });

/** How many toasts there were; the last one's id. */
let toasted = 0;

export const drafts = new Drafts(attempt(() => sessionStorage));
drafts.onChange = () => (draftsChanged.value += 1);

/** The machine that the daemon runs on, as its name or this page's address has it. */
export const machine = computed(() => state.value.server?.host ?? (isLoopback(location.hostname) ? "this computer" : location.hostname));

/** Learn who this browser is, and connect if it is somebody. */
export async function begin(named: boolean): Promise<void> {
  if (!("subtle" in crypto)) {
    standing.value = {
      kind: "unable",
      why: "This browser offers no cryptography at this address. Open the address that mirrord pair prints, to the letter.",
    };
    return;
  }
  effect(() => {
    if (standing.value.kind === "paired" && route.value.screen === "session") lastSession.value = route.value.sessionId;
  });
  tickWhileSeen();
  try {
    const identity = await loadIdentity();
    if (identity === undefined) standing.value = { kind: "unpaired" };
    else connect(identity, !named);
  } catch {
    standing.value = {
      kind: "unable",
      why: "This browser keeps nothing for this page. Leave private browsing, or allow storage for this address.",
    };
  }
}

/** This browser has become this device. */
export async function becomeDevice(identity: Identity): Promise<void> {
  await saveIdentity(identity);
  leave();
  connect(identity, true);
}

/** This browser is no device any more, and is to become one. What was typed stays: whoever pairs it again typed it. */
export async function pairAgain(): Promise<void> {
  await forgetIdentity();
  leave();
  standing.value = { kind: "unpaired" };
  go({ screen: "sessions" }, { replace: true });
}

/** The person does not want to wait for the next try. */
export function retry(): void {
  if (standing.peek().kind === "paired") (standing.peek() as { client: Client }).client.retry();
}

export function say(text: string, urgent = false): void {
  said.value = { ...announced(said.peek(), text), urgent };
}

/** Shows it over the page, for as long as its severity is worth. */
export function toast(shown: Omit<toasting.Toast, "id" | "until">): void {
  toasted += 1;
  toasts.value = toasting.add(toasts.peek(), { ...shown, id: toasted }, Date.now());
}

export function dismissToast(id: number): void {
  toasts.value = toasts.peek().filter((one) => one.id !== id);
}

/** Nothing more is heard from the daemon, or told to it. */
export function leave(): void {
  toasts.value = [];
  if (standing.peek().kind === "paired") (standing.peek() as { client: Client }).client.stop();
}

function connect(identity: Identity, returning: boolean): void {
  const client = new Client(identity, attempt(() => localStorage));
  let back = returning ? lastSession.peek() : "";
  // Who does something has chosen where to be.
  for (const chosen of ["pointerdown", "keydown"]) addEventListener(chosen, () => (back = ""), { once: true, capture: true });
  client.onAccepted = (promptId) => drafts.clear(promptId);
  client.onMessage = (message) => {
    if (back !== "" && (message.type === "welcome" || message.type === "session") && state.peek().sessions.has(back)) {
      // The session one was in comes back, above the list, so that Back leads there.
      if (route.peek().screen === "sessions") go({ screen: "session", sessionId: back });
      back = "";
    }
    notice(message);
  };
  standing.value = { kind: "paired", client, identity };
  client.start();
}

/** What is worth a toast, a sound or a word. */
function notice(message: ServerMessage): void {
  if (message.type === "extension_ui_notification" && message.method === "notify" && message.message !== undefined) {
    const { sessionId, message: text, notifyType: severity = "info", source } = message;
    const session = state.peek().sessions.get(sessionId)?.session;
    if (session === undefined) return;
    toast({ severity, text, from: source === undefined ? titleOf(session) : `${source} in ${titleOf(session)}`, sessionId });
  } else if (message.type === "extension_ui_notification" && message.method === "set_editor_text") {
    say(message.source === undefined ? "An extension hands over a text." : `${message.source} hands over a text.`);
  } else if (message.type === "extension_ui_request") {
    const session = state.peek().sessions.get(message.sessionId)?.session;
    if (session !== undefined) say(`${titleOf(session)} asks: ${message.title}`.slice(0, SAID_CHARS));
    if (sound.peek()) ring();
  }
}

function tickWhileSeen(): void {
  const tick = () => {
    if (document.visibilityState !== "visible") return;
    batch(() => {
      clock.value = Date.now();
      toasts.value = toasting.pass(toasts.peek(), clock.peek(), toastsHeld.peek());
    });
  };
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "127.0.0.1" || host === "[::1]";
}
