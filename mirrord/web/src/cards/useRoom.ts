import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Room } from "./fit.ts";

// Of the window, so that lines of the conversation, the bar above and the composer below stay in sight.
const SHARE = 0.66;
// As designed: the composer with nothing in it, out of which the card grows.
const COMPOSER_PX = 56;
const READING_REM = 44;
const GUTTERS_PX = 32;
const DESIGNED_PX = 16;

/** The room for a card in the page. A keyboard that opens does not change it: a card being typed in does not turn into another. */
export function useRoom(): Room {
  const [room, setRoom] = useState(measure);
  useEffect(() => {
    const look = (): void => setRoom((before) => (Math.abs(before.width - measure().width) < 1 ? before : measure()));
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, []);
  return room;
}

function measure(): Room {
  const text = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || DESIGNED_PX;
  const scale = text / DESIGNED_PX;
  return { width: Math.min(innerWidth - GUTTERS_PX, READING_REM * text), height: innerHeight * SHARE - COMPOSER_PX * scale, scale };
}

/** Keeps `sheet` on the part of the screen that no on-screen keyboard covers, and the field that is typed in inside it. */
export function useVisibleArea(sheet: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    const element = sheet.current;
    if (viewport === null || element === null) return undefined;
    const place = (): void => {
      element.style.setProperty("--visible-top", `${viewport.offsetTop}px`);
      element.style.setProperty("--visible-height", `${viewport.height}px`);
    };
    const resize = (): void => {
      place();
      const field = document.activeElement;
      if (field !== null && field !== element && element.contains(field)) field.scrollIntoView({ block: "nearest" });
    };
    place();
    viewport.addEventListener("resize", resize);
    viewport.addEventListener("scroll", place);
    return () => {
      viewport.removeEventListener("resize", resize);
      viewport.removeEventListener("scroll", place);
    };
  }, [sheet]);
}
