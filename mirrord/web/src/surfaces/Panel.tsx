import { ChevronDown } from "lucide";
import { useId } from "preact/hooks";
import { words } from "../core/lines.ts";
import { Icon } from "../design/Icon.tsx";
import type { Region } from "../protocol.ts";
import { useKept } from "./around.ts";
import { Body } from "./Body.tsx";

export interface PanelProps {
  readonly name: "Header" | "Footer";
  readonly region: Region;
}

/** What stands in the place of Pi's header or footer: one quiet line, and all of it when asked for. */
export function Panel({ name, region }: PanelProps) {
  const id = useId();
  const place = `region:${name.toLowerCase()}`;
  const [kept, keep] = useKept(place);
  const isOpen = kept === "open";
  const first = region.widgetLines?.map(words).find((line) => line !== "");
  return (
    <section class="panel-region" aria-label={region.source === undefined ? name : `${name} of ${region.source}`}>
      <button
        type="button"
        class="panel-line"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => keep(isOpen ? undefined : "open")}
      >
        <Icon node={ChevronDown} small />
        <span class="panel-name">{name}</span>
        <bdi class="foreign panel-first" dir="auto">
          {isOpen ? region.source : first}
        </bdi>
      </button>
      {isOpen && (
        <div id={id}>
          <Body drawn={region} name={place} title={name} depth={2} />
        </div>
      )}
    </section>
  );
}
