import { SquareCheckBig, Square } from "lucide";
import { h } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { grow, parse, type Block, type Cell, type Grown, type Inline, type Item, type Part } from "../core/markdown.ts";
import { Icon } from "../design/Icon.tsx";
import { steady } from "../design/steady.ts";
import { CodeBlock } from "./CodeBlock.tsx";
import { Link } from "./Link.tsx";
import { Recognised, Words } from "./Words.tsx";

interface MarkdownProps {
  readonly markdown: string;
  /** The level of the heading above it. */
  readonly depth: number;
}

/** Markdown, drawn from its structure: no markup of its author's ever becomes markup of this page. */
export function Markdown({ markdown, depth }: MarkdownProps) {
  const parts = useMemo(() => parse(markdown), [markdown]);
  return <Parts parts={parts} depth={depth + 1 - highest(parts)} />;
}

/** A text's highest heading stands one below the one above it, whatever its author calls it. */
function highest(parts: readonly Part[]): number {
  return parts.reduce((least, part) => (part.kind === "heading" ? Math.min(least, part.level) : least), 6);
}

interface GrowingProps extends MarkdownProps {
  /** More of it comes. */
  readonly isGrowing: boolean;
  /** At most so many blocks are drawn. */
  readonly shown?: number;
}

/** Markdown that grows: only its last block is read and drawn again. */
export function GrowingMarkdown({ markdown, depth, isGrowing, shown = Number.POSITIVE_INFINITY }: GrowingProps) {
  const before = useRef<Grown | undefined>(undefined);
  const grown = useMemo(() => grow(before.current, markdown, !isGrowing), [markdown, isGrowing]);
  before.current = grown;
  const blocks = grown.blocks.length > shown ? grown.blocks.slice(0, shown) : grown.blocks;
  const level = depth + 1 - blocks.reduce((least, { parts }) => Math.min(least, highest(parts)), 6);
  return (
    <>
      {blocks.map((block, at) => (
        <OneBlock key={block.start} block={block} depth={level} isGrowing={isGrowing && at === blocks.length - 1} />
      ))}
    </>
  );
}

const OneBlock = steady(({ block, depth, isGrowing }: { block: Block; depth: number; isGrowing: boolean }) => (
  <Parts parts={block.parts} depth={depth} isGrowing={isGrowing} />
));

function Parts({ parts, depth, isGrowing = false }: { parts: readonly Part[]; depth: number; isGrowing?: boolean }) {
  return (
    <>
      {parts.map((part, at) => (
        <OnePart key={at} part={part} depth={depth} isGrowing={isGrowing} />
      ))}
    </>
  );
}

function OnePart({ part, depth, isGrowing }: { part: Part; depth: number; isGrowing: boolean }) {
  switch (part.kind) {
    case "paragraph":
      return (
        <p dir="auto">
          <Inlines all={part.inside} />
        </p>
      );
    case "heading":
      // Below the heading of what it stands in.
      return h(`h${Math.min(6, Math.max(2, depth + part.level))}`, { class: `markdown-heading markdown-heading-${Math.min(3, part.level)}`, dir: "auto" }, [
        <Inlines key="words" all={part.inside} />,
      ]);
    case "quote":
      return (
        <blockquote>
          <Parts parts={part.parts} depth={depth} />
        </blockquote>
      );
    case "list":
      return part.first === undefined ? (
        <ul>
          <Items items={part.items} depth={depth} />
        </ul>
      ) : (
        <ol start={part.first}>
          <Items items={part.items} depth={depth} />
        </ol>
      );
    case "code":
      return <CodeBlock text={part.text} language={part.language} isGrowing={isGrowing} />;
    case "rule":
      return <hr />;
    case "table":
      return <Table head={part.head} rows={part.rows} />;
  }
}

function Items({ items, depth }: { items: readonly Item[]; depth: number }) {
  return (
    <>
      {items.map(({ isDone, parts }, at) => (
        <li key={at} class={isDone === undefined ? undefined : "markdown-task"}>
          {isDone !== undefined && <Icon node={isDone ? SquareCheckBig : Square} label={isDone ? "Done" : "To do"} small />}
          <div>
            <Parts parts={parts} depth={depth} />
          </div>
        </li>
      ))}
    </>
  );
}

function Table({ head, rows }: { head: readonly Cell[]; rows: readonly (readonly Cell[])[] }) {
  return (
    <div class="markdown-table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map(({ align, inside }, at) => (
              <th key={at} scope="col" class={align && `align-${align}`}>
                <Inlines all={inside} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map(({ align, inside }, column) => (
                <td key={column} class={align && `align-${align}`}>
                  <Inlines all={inside} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ all }: { all: readonly Inline[] }) {
  return (
    <>
      {all.map((one, at) => (
        <OneInline key={at} one={one} />
      ))}
    </>
  );
}

function OneInline({ one }: { one: Inline }) {
  switch (one.kind) {
    case "text":
      return <Words text={one.text} />;
    case "code":
      return (
        <code>
          <Words text={one.text} isCode />
        </code>
      );
    case "strong":
      return (
        <strong>
          <Inlines all={one.inside} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines all={one.inside} />
        </em>
      );
    case "struck":
      return (
        <s>
          <Inlines all={one.inside} />
        </s>
      );
    case "link":
      return (
        <Link href={one.href} words={wordsOf(one.inside)}>
          {/* In an address nothing is recognised. */}
          <Recognised.Provider value={undefined}>
            <Inlines all={one.inside} />
          </Recognised.Provider>
        </Link>
      );
    case "break":
      return <br />;
  }
}

function wordsOf(all: readonly Inline[]): string {
  return all.map((one) => ("text" in one ? one.text : "inside" in one ? wordsOf(one.inside) : " ")).join("");
}
