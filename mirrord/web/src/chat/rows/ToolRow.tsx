import {
  CircleCheck,
  CircleDashed,
  CircleX,
  FileText,
  FilePen,
  FilePlus,
  FolderOpen,
  Globe,
  LoaderCircle,
  Search,
  Terminal,
  Wrench,
  type IconNode,
} from "lucide";
import { useMemo } from "preact/hooks";
import { pathOf } from "../../core/chat/paths.ts";
import { Icon } from "../../design/Icon.tsx";
import { CodeBlock } from "../../surfaces/CodeBlock.tsx";
import type { ChatMessage } from "../contract.ts";
import type { ToolItem, ToolState } from "./model.ts";
import { Output } from "./Output.tsx";
import { CopyMessage, Cut, CutNote, Facts, Fold } from "./parts.tsx";
import { PathChip } from "./Paths.tsx";
import { argumentsOf, callOf, diffOf, writtenOut, type Call, type DiffLine, type ToolKind } from "./tools.ts";
import { cutOf, duration, textOf } from "./words.ts";

const KINDS: Readonly<Record<ToolKind, IconNode>> = {
  shell: Terminal,
  read: FileText,
  edit: FilePen,
  write: FilePlus,
  search: Search,
  list: FolderOpen,
  web: Globe,
  other: Wrench,
};

export interface Look {
  readonly icon: IconNode;
  readonly words: string;
  readonly role: string;
}

export const STATES: Readonly<Record<ToolState, Look>> = {
  writing: { icon: LoaderCircle, words: "Being written", role: "plain" },
  running: { icon: LoaderCircle, words: "Running", role: "plain" },
  done: { icon: CircleCheck, words: "Done", role: "success" },
  failed: { icon: CircleX, words: "Failed", role: "danger" },
  unknown: { icon: CircleDashed, words: "No result", role: "quiet" },
};

/** Below that, how long it took is nobody's business. */
const WORTH_MS = 1_000;

/** A call of a tool and what came of it, as one line that opens. */
export function ToolRow({ item }: { item: ToolItem }) {
  const { name, args, state, result } = item;
  const call = useMemo(() => callOf(name, args), [name, args]);
  const failure = state === "failed" ? firstLine(result) : undefined;
  return (
    <div class={`tool tool-${state}`}>
      <Fold
        name={item.key}
        head={
          <>
            <StateGlyph look={STATES[state]} />
            <span class="tool-kind">
              <Icon node={KINDS[call.kind]} small />
            </span>
            <span class="tool-words">
              {/* Of Pi's own tools the glyph says the name. */}
              <span class={call.kind === "other" || call.title === "" ? "tool-name" : "visually-hidden"}>{name} </span>
              <bdi class="tool-title" dir="ltr">
                {call.title}
              </bdi>
            </span>
            <Aside call={call} item={item} />
          </>
        }
      >
        {() => <Inside item={item} call={call} />}
      </Fold>
      {failure !== undefined && <p class="tool-failure">{failure}</p>}
    </div>
  );
}

export function StateGlyph({ look: { icon, words, role } }: { look: Look }) {
  return (
    <span class={`glyph glyph-${role}`}>
      <Icon node={icon} label={words} spin={icon === LoaderCircle} small />
    </span>
  );
}

/** What changed, or how long it took where that was long. */
function Aside({ call, item: { state, result } }: { call: Call; item: ToolItem }) {
  if (call.change !== undefined && state !== "failed") {
    const { added, removed } = call.change;
    return (
      <span class="tool-aside" role="img" aria-label={`${added} added, ${removed} removed`}>
        {added > 0 && <span class="added">+{added}</span>}
        {removed > 0 && <span class="removed">−{removed}</span>}
      </span>
    );
  }
  const took = result?.durationMs;
  return took === undefined || took < WORTH_MS ? null : <span class="tool-aside">{duration(took)}</span>;
}

function firstLine(result: ChatMessage | undefined): string | undefined {
  const words = result?.error ?? (result === undefined ? "" : textOf(result));
  return words.split("\n").find((line) => line.trim() !== "")?.slice(0, 300);
}

function Inside({ item, call }: { item: ToolItem; call: Call }) {
  const { name, args, result, key, message } = item;
  const known = useMemo(() => argumentsOf(args), [args]);
  const path = pathOf(call.title);
  const about = result ?? message;
  return (
    <div class="tool-inside">
      {path !== undefined && (
        <p>
          <PathChip found={path} words={call.title} />
        </p>
      )}
      <Arguments item={item} call={call} known={known} hasPath={path !== undefined} />
      <CutNote words={cutOf(message.truncated, "args", ...cutParts(item))} />
      {result === undefined ? (
        <p class="secondary">{item.state === "unknown" ? "No result of this call is known." : "There is no output so far."}</p>
      ) : (
        <Output message={result} name={`${key}:out`} label={`Output of ${name}`} isFailed={item.state === "failed"} />
      )}
      <p class="msg-foot">
        <Facts message={about} />
        <CopyMessage label={result === undefined ? "Copy call" : "Copy output"} read={() => (result === undefined ? (args ?? "") : textOf(result))} />
      </p>
    </div>
  );
}

function cutParts({ message, result }: ToolItem): readonly string[] {
  const place = message.parts.findIndex(({ toolCallId }) => toolCallId !== undefined && toolCallId === result?.toolCallId);
  return place < 0 ? [] : [`parts.${place}`];
}

/** What a path with its lines already says. */
const SAID_BY_PATH: ReadonlySet<string> = new Set(["path", "file_path", "offset", "limit"]);

/** Name by name, each is some elements of the page; a tool that has more is shown them as it was given them. */
const MOST_ARGUMENTS = 100;

interface ArgumentsProps {
  readonly item: ToolItem;
  readonly call: Call;
  readonly known: Readonly<Record<string, unknown>>;
  readonly hasPath: boolean;
}

/** What the tool was given, as it is best read: a command whole, an edit as what it changes, anything else name by name. */
function Arguments({ item, call, known, hasPath }: ArgumentsProps) {
  const { kind } = call;
  if (kind === "shell" && typeof known["command"] === "string") return <Command name={item.key} command={known["command"]} />;
  if (kind === "edit" || kind === "write") {
    const lines = diffOf(kind, known);
    if (lines.length > 0) return <Diff name={item.key} lines={lines} />;
  }
  const pairs = Object.entries(known).filter(([name]) => !(hasPath && SAID_BY_PATH.has(name)));
  if (pairs.length > MOST_ARGUMENTS) return <CodeBlock text={item.args ?? ""} label="Arguments" />;
  if (pairs.length === 0) return hasPath || !item.args || item.args === "{}" ? null : <CodeBlock text={item.args} label="Arguments" />;
  return (
    <dl class="tool-arguments">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi class="foreign">{writtenOut(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A shell command, whole. */
export function Command({ command, name }: { command: string; name: string }) {
  const lines = command.split("\n");
  return (
    <Cut name={`${name}:command`} lines={lines}>
      {(shown) => (
        <pre class="lines" dir="ltr">
          <span class="prompt" aria-hidden="true">
            ${" "}
          </span>
          {shown.join("\n")}
        </pre>
      )}
    </Cut>
  );
}

const SIGNS: Readonly<Record<DiffLine["sign"], string>> = { "+": "diff-added", "-": "diff-removed", " ": "diff-same" };

function Diff({ name, lines }: { name: string; lines: readonly DiffLine[] }) {
  const written = lines.map(({ sign, text }) => `${sign} ${text}`);
  return (
    <Cut name={`${name}:diff`} lines={written}>
      {(shown) => (
        <pre class="lines diff" dir="ltr" aria-label="Changes" role="group">
          {shown.map((line, at) => (
            <span key={at} class={SIGNS[line[0] as DiffLine["sign"]]}>
              {line}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
    </Cut>
  );
}
