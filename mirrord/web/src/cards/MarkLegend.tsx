import type { Marked } from "./marks.ts";
import { counted } from "./text.ts";

/** What the marks in a text stand for, and line ends that are not the usual ones. */
export function MarkLegend({ marked: { marks, lineEnd } }: { marked: Marked }) {
  const total = marks.reduce((sum, { count }) => sum + count, 0);
  const ends = lineEnd === "\n" ? undefined : `Its lines end in ${lineEnd === "\r" ? "CR" : "CR LF"}, and so do those you add.`;
  if (total === 0) return ends === undefined ? null : <p class="secondary">{ends}</p>;
  return (
    <details class="marks secondary">
      <summary>{counted(total, "character")} that cannot be shown {total === 1 ? "has a mark" : "have marks"}</summary>
      <ul>
        {marks.map(({ shown, name, count }) => (
          <li key={shown}>
            <span class="mono">{shown}</span> is sent as {name}
            {count > 1 ? `, ${count} times` : ""}
          </li>
        ))}
      </ul>
      {ends !== undefined && <p>{ends}</p>}
    </details>
  );
}
