import { Check, Copy } from "lucide";
import { useState } from "preact/hooks";
import { Icon } from "../design/Icon.tsx";

/** Copies `text`; says whether it could. */
export function CopyButton({ text }: { text: string }) {
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  const copy = (): void => void write(text).then((isCopied) => setOutcome(isCopied ? "copied" : "failed"));
  return (
    <button type="button" class="button button-outline" onClick={copy}>
      <Icon node={outcome === "copied" ? Check : Copy} small />
      <span aria-live="polite">{outcome === undefined ? "Copy" : outcome === "copied" ? "Copied" : "Select it to copy"}</span>
    </button>
  );
}

// The clipboard is there on secure origins only, and a browser may still say no.
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
