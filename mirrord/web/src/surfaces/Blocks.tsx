import { MessageSquareWarning } from "lucide";
import { h } from "preact";
import { useState } from "preact/hooks";
import { namesOf } from "../core/memory.ts";
import { Icon } from "../design/Icon.tsx";
import { isKnown, type Block, type KnownBlock, type NativeSurface, type SectionBlock } from "../surface.ts";
import { Activity } from "./Activity.tsx";
import { CodeBlock } from "./CodeBlock.tsx";
import { MarkdownBlock } from "./MarkdownBlock.tsx";
import { Plain } from "./Plain.tsx";
import { Progress } from "./Progress.tsx";
import { Spans } from "./Spans.tsx";
import { TerminalBlock } from "./TerminalBlock.tsx";

interface BlocksProps {
  readonly blocks: readonly Block[];
  readonly place: Place;
}

/** Where blocks stand. */
interface Place {
  /** What is kept about them begins with it. */
  readonly name: string;
  /** The level of the heading above them. */
  readonly depth: number;
  /** What a screen reader calls a block that has no words of its own. */
  readonly label: string;
  /** Shown instead of a block that is not known here; belongs to the whole surface. */
  readonly fallback: NativeSurface["fallback"] | undefined;
}

/** Blocks, one under the other. */
export function Blocks({ blocks, place }: BlocksProps) {
  const names = namesOf(place.name, blocks);
  return (
    <div class="blocks">
      {blocks.map((block, at) => {
        const name = names[at] ?? place.name;
        return <OneBlock key={name} block={block} place={{ ...place, name }} />;
      })}
    </div>
  );
}

function OneBlock({ block, place }: { block: Block; place: Place }) {
  return isKnown(block) ? <Known block={block} place={place} /> : <Unknown block={block} place={place} />;
}

function Known({ block, place }: { block: KnownBlock; place: Place }) {
  const { name, depth } = place;
  const { label, value, hint } = block.accessibility ?? {};
  switch (block.type) {
    case "text":
      return (
        <p class="foreign said" dir="auto" {...named(label)} title={hint}>
          <Spans spans={block.spans} />
        </p>
      );
    case "markdown":
      return <MarkdownBlock markdown={block.markdown} depth={depth} label={label} />;
    case "section":
      return <Section section={block} place={place} />;
    case "activityList":
      return <Activity rows={block.rows} name={name} label={label} />;
    case "progress":
      return <Progress value={block.value} isEndless={block.indeterminate} label={label ?? block.label ?? ""} said={value} />;
    case "terminal":
      return <TerminalBlock block={block} name={name} label={place.label} />;
    case "code":
      return <CodeBlock text={block.text} language={block.language} label={label} />;
    case "divider":
      return <hr />;
    case "spacer":
      return <div class={`spacer spacer-${block.size ?? "medium"}`} />;
  }
}

/** A label of its author's, for words that a glyph alone would be. */
function named(label: string | undefined): object {
  return label === undefined ? {} : { role: "group", "aria-label": label };
}

function Section({ section, place }: { section: SectionBlock; place: Place }) {
  const { title, subtitle, blocks, accessibility } = section;
  const label = accessibility?.label ?? title;
  return (
    <section class="section" aria-label={label}>
      {(title !== undefined || subtitle !== undefined) && (
        <header>
          {title !== undefined && h(`h${Math.min(6, place.depth + 1)}`, { class: "foreign section-title", dir: "auto" }, title)}
          {subtitle !== undefined && (
            <p class="foreign secondary" dir="auto">
              {subtitle}
            </p>
          )}
        </header>
      )}
      <Blocks blocks={blocks} place={{ ...place, depth: place.depth + 1, label: label ?? place.label }} />
    </section>
  );
}

/** A part that this page is too old for, or that came broken; what its author gave as text stands in for it when asked for. */
function Unknown({ block, place }: { block: Block; place: Place }) {
  const [isShown, show] = useState(false);
  const { text, lines = [] } = place.fallback ?? {};
  const label = block.accessibility?.label;
  const hasText = lines.length > 0 || (text !== undefined && text !== "");
  return (
    <div class="unshown">
      <p class="line secondary">
        <Icon node={MessageSquareWarning} small />
        <span>
          {label === undefined ? "A part" : <bdi class="foreign">{label}</bdi>} cannot be shown here.
        </span>
        {hasText && (
          <button type="button" class="button button-quiet unshown-show" aria-expanded={isShown} onClick={() => show(!isShown)}>
            {isShown ? "Hide the text" : "Show as text"}
          </button>
        )}
      </p>
      {isShown && <Plain text={text} lines={lines} name={place.name} label={place.label} />}
    </div>
  );
}
