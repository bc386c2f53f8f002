import { Check, Copy } from "lucide";
import { useState } from "preact/hooks";
import { copied } from "../design/copied.ts";
import { Icon } from "../design/Icon.tsx";

/** Copies `text`; says whether it could. `isQuiet`: beside something that matters more. */
export function CopyButton({ text, isQuiet = false, label = "Copy" }: { text: string; isQuiet?: boolean; label?: string }) {
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  const copy = (): void => void copied(text).then((isCopied) => setOutcome(isCopied ? "copied" : "failed"));
  return (
    <button type="button" class={isQuiet ? "button button-quiet" : "button button-outline"} onClick={copy}>
      <Icon node={outcome === "copied" ? Check : Copy} small />
      <span aria-live="polite">{outcome === undefined ? label : outcome === "copied" ? "Copied" : "Select it to copy"}</span>
    </button>
  );
}
