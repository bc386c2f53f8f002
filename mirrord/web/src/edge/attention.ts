/** What calls a person who looks elsewhere: the tab's title and icon, the badge of the installed app, a sound. */

import type { Mark, TabSign } from "../core/notify.ts";

/** Two short tones, rising: heard, and over before it annoys. Hertz, and seconds from the start. */
const TONES = [
  [660, 0],
  [880, 0.12],
] as const;
const TONE_SECONDS = 0.18;
const LOUDNESS = 0.12;

const ICONS: Readonly<Record<Mark, string>> = {
  none: "/icon.svg",
  waiting: "/icon-waiting.svg",
  failed: "/icon-failed.svg",
  yourTurn: "/icon-turn.svg",
};

let audio: AudioContext | undefined;
/** Tones that have not ended. */
let sounding = 0;

/** As it is shown now. */
let sign: TabSign | undefined;

export function showSign(next: TabSign): void {
  const { mark, title, count } = next;
  if (sign?.mark === mark && sign.title === title && sign.count === count) return;
  sign = next;
  document.title = title;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon !== null && icon.getAttribute("href") !== ICONS[mark]) icon.setAttribute("href", ICONS[mark]);
  // Only there for installed apps of some browsers, and refused at their will.
  if ("setAppBadge" in navigator) (count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)).catch(() => {});
}

/** The sound of a prompt. A browser that wants a gesture first stays silent, and so does one that has no sound. */
export function ring(): void {
  try {
    audio ??= new AudioContext();
  } catch {
    return;
  }
  const { currentTime: start } = audio;
  const over = () => {
    sounding -= 1;
    // One that runs keeps the device's sound awake for nothing.
    if (sounding === 0) void audio?.suspend().catch(() => {});
  };
  for (const [frequency, after] of TONES) {
    const tone = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: LOUDNESS });
    volume.gain.exponentialRampToValueAtTime(0.001, start + after + TONE_SECONDS);
    sounding += 1;
    tone.addEventListener("ended", over, { once: true });
    tone.connect(volume).connect(audio.destination);
    tone.start(start + after);
    tone.stop(start + after + TONE_SECONDS);
  }
  void audio.resume().catch(() => {});
}
