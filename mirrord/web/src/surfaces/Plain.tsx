import { plain } from "../core/lines.ts";
import { TerminalBlock } from "./TerminalBlock.tsx";

interface PlainProps {
  readonly text?: string | undefined;
  readonly lines?: readonly string[] | undefined;
  readonly name: string;
  readonly label: string;
}

/** What can be shown of anything: its lines, or its text. */
export function Plain({ text, lines = [], name, label }: PlainProps) {
  if (lines.length > 0) return <TerminalBlock block={plain(lines)} name={name} label={label} />;
  return (
    <p class="foreign long" dir="auto">
      {text}
    </p>
  );
}
