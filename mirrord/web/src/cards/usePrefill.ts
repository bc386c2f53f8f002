import { useEffect, useState } from "preact/hooks";
import type { CardProps } from "./contract.ts";

/** The text of an editor, loaded when it did not come with its prompt. */
export function usePrefill({ prompt, loadPrefill }: CardProps) {
  const isInline = prompt.prefillParts === undefined;
  const [text, setText] = useState<string | undefined>(isInline ? (prompt.prefill ?? "") : undefined);
  const [error, setError] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (isInline) return undefined;
    let isWanted = true;
    setError(undefined);
    loadPrefill().then(
      (found) => isWanted && setText(found),
      (reason: unknown) => isWanted && setError(reason instanceof Error ? reason.message : "The text could not be loaded."),
    );
    return () => void (isWanted = false);
  }, [attempt]);
  return { text, error, retry: () => setAttempt(attempt + 1) };
}
