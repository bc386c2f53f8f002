/** What calls a person who looks elsewhere: the tab's title and icon, the badge of the installed app, a sound. */

const NAME = "mirrord";
/** Two short tones, rising: heard, and over before it annoys. Hertz, and seconds from the start. */
const TONES = [
  [660, 0],
  [880, 0.12],
] as const;
const TONE_SECONDS = 0.18;
const LOUDNESS = 0.12;

let audio: AudioContext | undefined;

/** So many prompts wait. */
export function showWaiting(count: number): void {
  document.title = count === 0 ? NAME : `(${count}) ${NAME}`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const wanted = count === 0 ? "/icon.svg" : "/icon-waiting.svg";
  if (icon !== null && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
  // Only there for installed apps of some browsers, and refused at their will.
  if ("setAppBadge" in navigator) (count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)).catch(() => {});
}

/** The sound of a prompt. A browser that wants a gesture first stays silent. */
export function ring(): void {
  audio ??= new AudioContext();
  const { currentTime: start } = audio;
  for (const [frequency, after] of TONES) {
    const tone = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: LOUDNESS });
    volume.gain.exponentialRampToValueAtTime(0.001, start + after + TONE_SECONDS);
    tone.connect(volume).connect(audio.destination);
    tone.start(start + after);
    tone.stop(start + after + TONE_SECONDS);
  }
  void audio.resume().catch(() => {});
}
