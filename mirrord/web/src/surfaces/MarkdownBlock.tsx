import { lazily } from "./lazily.tsx";

interface MarkdownProps {
  readonly markdown: string;
  readonly depth: number;
}

/** Its parser is large, and a page without markdown never asks for it. Until then it is shown as it is written. */
const { Component: Markdown } = lazily<MarkdownProps>(
  () => import("./Markdown.tsx").then((file) => file.Markdown),
  ({ markdown }) => <p class="long">{markdown}</p>,
);

/** Markdown; `label` is what its author says to who cannot see. */
export function MarkdownBlock({ markdown, depth, label }: MarkdownProps & { label?: string | undefined }) {
  const group = label === undefined ? {} : { role: "group" as const, "aria-label": label };
  return (
    <div class="markdown" {...group}>
      <Markdown markdown={markdown} depth={depth} />
    </div>
  );
}
