import "./strips.css";
import { LoaderCircle } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { useSpoken } from "../cards/useSpoken.ts";
import { Icon } from "../design/Icon.tsx";
import type { Indicator, WorkingRow as Row } from "../protocol.ts";

/** The daemon's bounds, once more: nothing flashes, whoever sent it. Milliseconds. */
const SHORTEST_MS = 80;
const USUAL_MS = 120;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

/** That Pi works, in an extension's words and with its frames, or in ours. */
export function WorkingRow({ row }: { row: Row }) {
  const message = row.message ?? "Working";
  const spoken = useSpoken(message);
  return (
    <div class="working">
      {row.indicator === undefined ? (
        <span class="glyph glyph-plain">
          <Icon node={LoaderCircle} spin />
        </span>
      ) : (
        row.indicator.frames.length > 0 && <Frames indicator={row.indicator} />
      )}
      <bdi class="foreign" dir="auto" aria-hidden="true">
        {message}
      </bdi>
      <span class="visually-hidden" role="status">
        {spoken}
      </span>
    </div>
  );
}

/** Frames, one after the other; the first alone where the person wants no motion. */
function Frames({ indicator: { frames, intervalMs = USUAL_MS } }: { indicator: Indicator }) {
  const place = useRef<HTMLSpanElement>(null);
  const [count, setCount] = useState(0);
  const period = Math.max(SHORTEST_MS, intervalMs);
  const isStill = useStill();
  const isMoving = frames.length > 1 && !isStill;
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(() => setCount((before) => before + 1), period);
    return () => clearInterval(timer);
  }, [isMoving, period]);
  const widest = Math.max(...frames.map((frame) => Array.from(frame).length));
  useEffect(() => place.current?.style.setProperty("--frame", `${widest}ch`), [widest]);
  return (
    <span ref={place} class="working-frames" aria-hidden="true">
      {frames[isMoving ? count % frames.length : 0]}
    </span>
  );
}

function useStill(): boolean {
  const [isStill, setStill] = useState(STILL.matches);
  useEffect(() => {
    const look = (): void => setStill(STILL.matches);
    STILL.addEventListener("change", look);
    return () => STILL.removeEventListener("change", look);
  }, []);
  return isStill;
}
