import { CopyButton } from "../cards/CopyButton.tsx";
import { HIGHLIGHTED_UNITS } from "./highlighting.ts";
import { lazily } from "./lazily.tsx";

interface HighlightedProps {
  readonly text: string;
  readonly language: string;
}

/** The grammars are large, and come where there is code in a language that has one; until then, and without one, it is one colour. */
const { Component: Highlighted } = lazily<HighlightedProps>(
  () => import("./Highlighted.tsx").then((file) => file.Highlighted),
  ({ text }) => <>{text}</>,
);

interface CodeBlockProps {
  readonly text: string;
  readonly language?: string | undefined;
  readonly label?: string | undefined;
  /** More of it comes: it gets its colours when it is whole. */
  readonly isGrowing?: boolean;
}

/** Code as it is written, with a way to copy it. */
export function CodeBlock({ text, language, label, isGrowing = false }: CodeBlockProps) {
  const isPlain = language === undefined || isGrowing || text.length > HIGHLIGHTED_UNITS;
  return (
    <figure class="code">
      <figcaption class="code-head">
        <bdi class="foreign secondary" dir="ltr">
          {language ?? "Code"}
        </bdi>
        <CopyButton text={text} isQuiet />
      </figcaption>
      <pre class="code-text" dir="ltr" tabIndex={0} aria-label={label ?? (language === undefined ? "Code" : `Code in ${language}`)} role="group">
        {isPlain ? text : <Highlighted text={text} language={language} />}
      </pre>
    </figure>
  );
}
