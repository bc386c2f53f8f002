import { ChevronDown, CircleCheck, CircleDashed, CircleMinus, CircleX, LoaderCircle, TriangleAlert, type IconNode } from "lucide";
import { useId } from "preact/hooks";
import { counted } from "../cards/text.ts";
import { target } from "../core/links.ts";
import { namesOf } from "../core/memory.ts";
import { Icon } from "../design/Icon.tsx";
import type { ActivityRow, RowState } from "../surface.ts";
import { useKept } from "./around.ts";
import { Link, Place } from "./Link.tsx";
import { Progress } from "./Progress.tsx";

const LOOKS: Readonly<Record<RowState, { readonly icon: IconNode; readonly words: string; readonly role: string }>> = {
  queued: { icon: CircleDashed, words: "Queued", role: "quiet" },
  running: { icon: LoaderCircle, words: "Running", role: "warning" },
  success: { icon: CircleCheck, words: "Done", role: "success" },
  warning: { icon: TriangleAlert, words: "Warning", role: "warning" },
  error: { icon: CircleX, words: "Failed", role: "danger" },
  inactive: { icon: CircleMinus, words: "Not active", role: "quiet" },
};

/** What runs, waits and ended, as rows. */
export function Activity({ rows, name, label }: { rows: readonly ActivityRow[]; name: string; label?: string | undefined }) {
  const names = namesOf(name, rows);
  const hasStates = rows.some(({ state }) => state !== undefined);
  return (
    <ul class={hasStates ? "activity activity-states" : "activity"} aria-label={label}>
      {rows.map((row, at) => (
        <Row key={names[at]} row={row} name={names[at] ?? name} />
      ))}
    </ul>
  );
}

function Row({ row, name }: { row: ActivityRow; name: string }) {
  const { title, subtitle, detail, state, progress, link, children = [] } = row;
  const [kept, keep] = useKept(name);
  const id = useId();
  const isOpen = kept !== "folded";
  const look = state === undefined ? undefined : LOOKS[state];
  const leads = link === undefined ? undefined : target(link);
  return (
    <li class="activity-item">
      <div class={leads === undefined ? "activity-row" : "activity-row activity-leads"}>
        {look !== undefined && (
          <span class={`glyph glyph-${look.role}`}>
            <Icon node={look.icon} label={look.words} spin={state === "running"} />
          </span>
        )}
        <div class="activity-words">
          <p class={state === "inactive" ? "activity-title quiet" : "activity-title"}>
            {link === undefined ? (
              <Foreign text={title} />
            ) : (
              <Link href={link} words={title} isBare>
                <Foreign text={title} />
              </Link>
            )}
          </p>
          {subtitle !== undefined && (
            <p class="secondary">
              <Foreign text={subtitle} />
            </p>
          )}
          {detail !== undefined && (
            <p class="secondary">
              <Foreign text={detail} />
            </p>
          )}
          {leads !== undefined && leads.kind !== "session" && (
            <p class="secondary">
              <Place place={leads.place} />
            </p>
          )}
          {progress !== undefined && <Progress value={progress} label={title} isBare />}
        </div>
        {children.length > 0 && (
          <button
            type="button"
            class="button button-icon button-quiet fold"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`${counted(children.length, "step")} of ${title}`}
            onClick={() => keep(isOpen ? "folded" : undefined)}
          >
            <Icon node={ChevronDown} />
          </button>
        )}
      </div>
      {children.length > 0 && (
        <div id={id} hidden={!isOpen} class="activity-inside">
          {isOpen && <Activity rows={children} name={name} />}
        </div>
      )}
    </li>
  );
}

function Foreign({ text }: { text: string }) {
  return (
    <bdi class="foreign said" dir="auto">
      {text}
    </bdi>
  );
}
