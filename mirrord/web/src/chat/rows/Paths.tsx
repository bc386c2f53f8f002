import { useMemo } from "preact/hooks";
import { fewer, pathOf, piecesOf, written, type FoundPath } from "../../core/chat/paths.ts";
import { useCopying } from "./parts.tsx";

/** A text whose paths can be copied. Code is one path or none: what stands around it there is no prose. */
export function Paths({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const pieces = useMemo(() => {
    if (!isCode) return fewer(piecesOf(text));
    const found = pathOf(text);
    return [found === undefined ? { text } : { text, found }];
  }, [text, isCode]);
  return (
    <>
      {pieces.map((piece, at) => (piece.found === undefined ? piece.text : <PathChip key={at} found={piece.found} words={piece.text} />))}
    </>
  );
}

/** A path in the session's folder: pressed, it is on the clipboard as editors take it. */
export function PathChip({ found, words }: { found: FoundPath; words: string }) {
  const [outcome, copy] = useCopying();
  return (
    <button
      type="button"
      class={outcome === "copied" ? "path path-copied" : "path"}
      title={outcome === "failed" ? "Select it to copy" : "Copy this path"}
      onClick={() => copy(written(found))}
    >
      <bdi class="foreign" dir="ltr">
        {words}
      </bdi>
    </button>
  );
}
