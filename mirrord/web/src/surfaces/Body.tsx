import type { Region } from "../protocol.ts";
import { Boundary } from "../ui/Boundary.tsx";
import { Blocks } from "./Blocks.tsx";
import { Plain } from "./Plain.tsx";
import { cutsOf } from "./words.ts";

export interface BodyProps {
  readonly drawn: Region;
  /** What is kept about it begins with that; the same as long as the surface is the same. */
  readonly name: string;
  readonly title: string;
  /** The level of the heading above it. */
  readonly depth: number;
}

/** Everything that a surface shows: its blocks, else its lines, else that there is nothing to show; and what was cut. */
export function Body({ drawn, name, title, depth }: BodyProps) {
  const { nativeSurface: native } = drawn;
  const hasBlocks = native !== undefined && native.blocks.length > 0;
  const cuts = cutsOf(drawn);
  return (
    <>
      {hasBlocks ? (
        <Boundary subject={native} fallback={() => <Instead drawn={drawn} name={name} title={title} />}>
          <Blocks blocks={native.blocks} place={{ name, depth, label: title, fallback: native.fallback }} />
        </Boundary>
      ) : (
        <Instead drawn={drawn} name={name} title={title} />
      )}
      {cuts.length > 0 && (
        <ul class="cuts secondary">
          {cuts.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The contract's order: the fallback of the surface, its lines, a sentence that names it. */
function Instead({ drawn, name, title }: Omit<BodyProps, "depth">) {
  const { nativeSurface, widgetLines = [], source } = drawn;
  const { lines = [], text = "" } = nativeSurface?.fallback ?? {};
  const shown = lines.length > 0 ? lines : text === "" ? widgetLines : [];
  if (shown.length > 0 || text !== "") return <Plain text={text} lines={shown} name={name} label={title} />;
  return (
    <p class="secondary">
      <bdi class="foreign">{title}</bdi>
      {source !== undefined && (
        <>
          {" of "}
          <bdi class="foreign">{source}</bdi>
        </>
      )}{" "}
      has nothing that can be shown here.
    </p>
  );
}
