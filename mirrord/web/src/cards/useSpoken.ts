import { useEffect, useState } from "preact/hooks";

// A live region tells what changes in it, so it has to be there, and empty, for a moment.
const MOMENT_MS = 200;

/** `text` for a live region, a moment after it came. */
export function useSpoken(text: string): string {
  const [spoken, speak] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => speak(text), MOMENT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return spoken;
}
