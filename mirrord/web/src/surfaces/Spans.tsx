import type { Line, Span } from "../surface.ts";
import { pieces } from "../core/lines.ts";
import { Link } from "./Link.tsx";

/** Runs of text with their looks. `isDrawn`: they were drawn for a terminal, where nothing may be added. */
export function Spans({ spans, isDrawn = false }: { spans: Line; isDrawn?: boolean }) {
  return (
    <>
      {spans.map((span, at) => (
        <OneSpan key={at} span={span} isDrawn={isDrawn} />
      ))}
    </>
  );
}

function OneSpan({ span, isDrawn }: { span: Span; isDrawn: boolean }) {
  const { text, link } = span;
  const words = isDrawn ? <Words text={text} /> : text;
  const looks = looksOf(span);
  const shown = looks === "" ? words : <span class={looks}>{words}</span>;
  if (link === undefined) return <>{shown}</>;
  return (
    <Link href={link} words={text} isBare={isDrawn}>
      {shown}
    </Link>
  );
}

/** A screen reader passes over what only draws. */
function Words({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, at) =>
        piece.isDecoration ? (
          <span key={at} aria-hidden="true">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

function looksOf({ role, traits = [] }: Span): string {
  const looks = traits.map((trait) => `trait-${trait}`);
  return (role === undefined || role === "primary" ? looks : [`role-${role}`, ...looks]).join(" ");
}
