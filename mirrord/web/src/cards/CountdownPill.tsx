import { exact } from "../core/age.ts";
import type { Countdown } from "./countdown.ts";

const RADIUS = 7;
const AROUND = 2 * Math.PI * RADIUS;

/** How long Pi still waits, as a ring and in words. A screen reader is told at the turns of it, not at each second. */
export function CountdownPill({ countdown: { text, urgency, fraction }, until }: { countdown: Countdown; until: number }) {
  return (
    <span class={`card-time card-time-${urgency}`} role="timer" aria-live="off" title={`Until ${exact(until)}`}>
      <svg class="icon-small card-ring" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r={RADIUS} class="card-ring-all" />
        <circle cx="8" cy="8" r={RADIUS} class="card-ring-left" stroke-dasharray={`${fraction * AROUND} ${AROUND}`} transform="rotate(-90 8 8)" />
      </svg>
      {text}
      {urgency !== "over" && <span class="visually-hidden"> left</span>}
    </span>
  );
}
