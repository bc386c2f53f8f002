import { useMemo } from "preact/hooks";
import { TerminalBlock } from "../../surfaces/TerminalBlock.tsx";
import type { ChatMessage } from "../contract.ts";
import { ImageNote } from "./ImageNote.tsx";
import { Cut, CutNote } from "./parts.tsx";
import { Paths } from "./Paths.tsx";
import { cutOf } from "./words.ts";

interface OutputProps {
  readonly message: ChatMessage;
  readonly name: string;
  readonly label: string;
  readonly isFailed: boolean;
}

/** What a tool or a command gave: as the terminal draws it where that is told, else its text. */
export function Output({ message, name, label, isFailed }: OutputProps) {
  const { drawn, parts, truncated, error } = message;
  if (drawn !== undefined) {
    return (
      <>
        <TerminalBlock block={{ type: "terminal", lines: drawn.lines, columns: drawn.width }} name={name} label={label} />
        <CutNote words={cutOf(truncated, "drawn")} />
      </>
    );
  }
  const isEmpty = parts.every(({ type, text }) => type !== "image" && (text ?? "").trim() === "") && error === undefined;
  return (
    <>
      {error !== undefined && <p class="tool-failure">{error}</p>}
      {parts.map((part, place) =>
        part.type === "image" ? (
          <ImageNote key={place} part={part} />
        ) : (
          <TextLines key={place} text={part.text ?? ""} name={`${name}:${place}`} label={label} isFailed={isFailed} cut={cutOf(truncated, `parts.${place}`)} />
        ),
      )}
      {isEmpty && <p class="secondary">{message.state === "streaming" ? "There is no output so far." : "There was no output."}</p>}
    </>
  );
}

interface TextLinesProps {
  readonly text: string;
  readonly name: string;
  readonly label: string;
  readonly isFailed: boolean;
  readonly cut: string | undefined;
}

function TextLines({ text, name, label, isFailed, cut }: TextLinesProps) {
  const lines = useMemo(() => text.replace(/\n+$/, "").split("\n"), [text]);
  if (text.trim() === "") return null;
  return (
    <>
      <Cut name={name} lines={lines}>
        {(shown) => (
          <pre class={isFailed ? "lines lines-failed" : "lines"} dir="ltr" role="group" aria-label={label}>
            <Paths text={shown.join("\n")} />
          </pre>
        )}
      </Cut>
      <CutNote words={cut} />
    </>
  );
}
