// Every state of the timeline, with fixed data.

import { EMPTY_CONVERSATION } from "../../core/chat/conversation.ts";
import type { ChatMessage, ChatPart, Conversation, Row } from "../contract.ts";
import { WORDS } from "./words.ts";

export const NOW = 1_796_054_400_000;

type Become = (change: (before: Conversation) => Conversation) => void;

export interface State {
  readonly conversation: Conversation;
  /** Hidden messages are shown. */
  readonly hidden?: boolean;
  /** What happens by itself; returns how it is ended. */
  readonly play?: (become: Become) => () => void;
  /** What asking for earlier messages brings. */
  readonly older?: (become: Become) => void;
}

const MINUTE = 60_000;
const EMPTY: Conversation = { ...EMPTY_CONVERSATION, isKnown: true, isStale: false };

let count = 0;
function row(kind: string, minutesAgo: number, more: Partial<ChatMessage>): Row {
  count += 1;
  const id = `e${count}`;
  return { key: id, message: { id, kind, at: NOW - minutesAgo * MINUTE, state: "done", display: true, parts: [], ...more } };
}
const text = (words: string): ChatPart => ({ type: "text", text: words });
const thinking = (words: string): ChatPart => ({ type: "thinking", text: words });
const call = (id: string, name: string, args: unknown): ChatPart => ({ type: "tool_call", toolCallId: id, name, args: JSON.stringify(args) });
const user = (minutes: number, words: string, ...others: readonly ChatPart[]): Row => row("user", minutes, { parts: [text(words), ...others] });
const pi = (minutes: number, parts: readonly ChatPart[], more: Partial<ChatMessage> = {}): Row =>
  row("assistant", minutes, { parts, provider: "anthropic", model: "claude-opus-5", durationMs: 12_400, ...more });
const result = (minutes: number, of: string, toolName: string, words: string, more: Partial<ChatMessage> = {}): Row =>
  row("tool", minutes, { toolCallId: of, toolName, parts: [text(words)], durationMs: 40, ...more });

const GREP = [
  "src/session/store.ts:41:  const first = rows[0];",
  "src/session/store.ts:88:  return rows[rows.length - 1]?.[3];",
  "src/worker/drain.ts:17:  const [id, , state] = row;",
].join("\n");
const TESTS = Array.from({ length: 74 }, (_, at) => `ok ${at + 1} - ${WORDS[at % WORDS.length]} ${WORDS[(at * 7 + 3) % WORDS.length]} (${(at * 13) % 90} ms)`).join("\n");
const EDIT = {
  path: "src/session/store.ts",
  edits: [
    {
      oldText: "export function latest(rows: Row[]): State {\n  return rows[rows.length - 1]?.[3];\n}",
      newText: "export function latest(rows: readonly Row[]): State | undefined {\n  // Newest last.\n  return rows.at(-1)?.state;\n}",
    },
  ],
};
const ANSWER = `Three places read a row **by position**, and two of them are wrong once a column is added:

1. \`src/session/store.ts:88\` takes the fourth field for the state.
2. \`src/worker/drain.ts:17\` skips the second.

I changed both to names and left \`store.ts:41\` alone, which reads the first row whole. The change is small:

\`\`\`ts
export function latest(rows: readonly Row[]): State | undefined {
  // Newest last.
  return rows.at(-1)?.state;
}
\`\`\`

All 74 tests pass. The format is described in [the storage notes](https://docs.example.com/storage/rows), if you want to see why the order was fixed at first.`;

const SHORT: readonly Row[] = [
  user(9, "Who reads rows of the session store by position? Change them to names, and run the tests."),
  pi(9, [thinking("The store is small. I should look for index access on rows first, then for destructuring, which is easy to miss with a plain grep."), text("I'll look for index access first, then for destructuring."), call("c1", "grep", { pattern: "rows?\\[", path: "src" }), call("c2", "read", { path: "src/session/store.ts", offset: 30, limit: 70 })]),
  result(9, "c1", "grep", GREP),
  result(9, "c2", "read", "export interface Row {\n  id: string;\n  state: State;\n}"),
  pi(8, [text("Two of these break when a column is added. I change them to names:"), call("c3", "edit", EDIT), call("c4", "edit", { path: "src/worker/drain.ts", oldText: "  const [id, , state] = row;", newText: "  const { id, state } = row;" }), call("c5", "bash", { command: "npm test -- --reporter=tap 2>&1 | tail -80" })]),
  result(8, "c3", "edit", "Edited src/session/store.ts"),
  result(8, "c4", "edit", "Edited src/worker/drain.ts"),
  result(8, "c5", "bash", TESTS, { durationMs: 14_200 }),
  pi(7, [text(ANSWER)], { stopReason: "stop" }),
];

const KINDS: readonly Row[] = [
  row("compaction", 26 * 60, { tokensBefore: 148_212, parts: [text("## Goal\n\nRead rows by name.\n\n## Done\n\n- the store\n- the worker")] }),
  user(25 * 60, "Here is how it looks at the moment.", { type: "image", mimeType: "image/png", bytes: 482_133 }),
  row("branch_summary", 25 * 60, { parts: [text("The other branch tried a view over the table; it was slower.")] }),
  row("bash", 14, { command: "git status --short", exitCode: 0, durationMs: 22, parts: [text(" M src/session/store.ts\n M src/worker/drain.ts\n?? notes.md")] }),
  row("bash", 13, { command: "cat .env.local", exitCode: 1, excluded: true, durationMs: 8, parts: [text("cat: .env.local: No such file or directory")] }),
  row("custom", 12, { customType: "plan", parts: [text("**Next**: the queue, then the two workers.\n\n- [x] session store\n- [ ] queue")] }),
  row("custom", 12, { customType: "memory", display: false, parts: [text("The person prefers names over positions.")] }),
  pi(11, [thinking(""), text("Let me look at the queue, and at a picture of it."), call("k1", "read", { path: "docs/queue.png" }), call("k2", "plant_beds", { beds: ["north", "south"], name: "tulips", deep: true }), call("k3", "write", { path: "docs/queue.md", content: "# Queue\n\nRows are read by name.\n" }), call("k4", "web_search", { query: "postgres skip locked ordering" }), call("k5", "bash", { command: "psql -c 'select 1'" })]),
  row("tool", 11, { toolCallId: "k1", toolName: "read", parts: [{ type: "image", mimeType: "image/png", bytes: 88_100 }] }),
  row("tool", 11, { toolCallId: "k2", toolName: "plant_beds", parts: [text("planted")], drawn: { width: 40, lines: [[{ text: "✓ ", role: "success" }, { text: "north ", traits: ["bold"] }, { text: "12 bulbs", role: "muted" }], [{ text: "! ", role: "warning" }, { text: "south ", traits: ["bold"] }, { text: "too wet", role: "muted" }]] } }),
  result(11, "k3", "write", "Wrote docs/queue.md"),
  result(11, "k4", "web_search", "3 results", { durationMs: 2_400 }),
  result(11, "k5", "bash", 'psql: error: connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed\n\tIs the server running locally?', { isError: true }),
  row("weather", 10, { parts: [text("Rain until four.")] }),
  pi(9, [{ type: "citation", text: "RFC 9110, section 9.3" }, text("The server is not running here, so I leave the query alone.")]),
];

const MARKDOWN = `# The plan

Some **bold**, *italic*, ~~struck~~ and \`code\`, a [link](https://docs.example.com/a), an address https://example.org/b, and <b>markup</b> as text.

## Steps

- Move the table behind a view in \`db/schema.sql:12\`.
  - Keep the old name.
- [x] Write both shapes
- [ ] Read the new one, see /etc/mirrord/config.toml

> Reading two shapes is cheap; writing two is not.

| step | who | minutes |
|:--|:-:|--:|
| view | worker | 4 |
| backfill | \`drain\` | 90 |

---

\`\`\`python
def drain(rows: Iterable[Row]) -> int:
    """Counts what was moved."""
    return sum(1 for row in rows if row.state != "done")  # a comment that is longer than a phone is wide, to be scrolled
\`\`\`

\`\`\`sh
make test && git push
\`\`\``;

const open = (rows: readonly Row[], more: Partial<Conversation> = {}): Conversation => ({ ...EMPTY, rows, ...more });

/** Many rows, always the same ones. */
function many(turns: number, from = 0): readonly Row[] {
  const pick = (seed: number, words: number): string => Array.from({ length: words }, (_, at) => WORDS[(seed * 31 + at * 17 + ((seed * at) % 13)) % WORDS.length]).join(" ");
  const rows: Row[] = [];
  for (let turn = from; turn < from + turns; turn += 1) {
    const minutes = (from + turns - turn) * 3;
    const own = (name: string, kind: string, more: Partial<ChatMessage>): void =>
      void rows.push({ key: `${name}${turn}`, message: { id: `${name}${turn}`, kind, at: NOW - minutes * MINUTE, state: "done", display: true, parts: [], ...more } });
    own("u", "user", { parts: [text(`${turn}: ${pick(turn, 6 + (turn % 20))}?`)] });
    own("a", "assistant", { model: "claude-opus-5", parts: [thinking(pick(turn + 1, 20)), text(`${pick(turn + 2, 10 + (turn % 7) * 12)}.`), call(`t${turn}`, turn % 3 === 0 ? "bash" : "read", turn % 3 === 0 ? { command: `make ${WORDS[turn % WORDS.length]}` } : { path: `src/${WORDS[turn % WORDS.length]}.ts` })] });
    own("r", "tool", { toolCallId: `t${turn}`, toolName: "bash", durationMs: turn * 7, parts: [text(pick(turn, 60).replaceAll(" ", "\n"))] });
    own("z", "assistant", { model: "claude-opus-5", parts: [text(`${pick(turn + 5, 30)}.\n\n- ${pick(turn, 5)}\n- ${pick(turn + 3, 8)}\n\n${pick(turn + 4, 20)}.`)] });
  }
  return rows;
}

/** 200 words a second into the last message. */
function streaming(become: Become): () => void {
  let at = 0;
  const timer = setInterval(() => {
    at += 5;
    become((before) => {
      const last = before.rows.at(-1);
      if (last === undefined) return before;
      const words = Array.from({ length: 5 }, (_, more) => WORDS[(at + more) % WORDS.length]).join(" ");
      const glue = at % 60 === 0 ? ".\n\n" : at % 145 === 0 ? "\n\n```ts\nconst a = 1;\nconst b = 2;\n```\n\n" : " ";
      const part = last.message.parts[0];
      const message: ChatMessage = { ...last.message, parts: [text(`${part?.text ?? ""}${glue}${words}`)] };
      return { ...before, rows: [...before.rows.slice(0, -1), { key: last.key, message }] };
    });
  }, 25);
  return () => clearInterval(timer);
}

/** A page of earlier rows, a moment later, `pages` times. */
function paging(pages: number): (become: Become) => void {
  let left = pages;
  let isComing = false;
  return (become) => {
    if (isComing || left === 0) return;
    isComing = true;
    become((before) => ({ ...before, older: { kind: "loading" } }));
    setTimeout(() => {
      left -= 1;
      isComing = false;
      become((before) => ({ ...before, rows: [...many(12, left * 12), ...before.rows], older: { kind: left > 0 ? "more" : "none" } }));
    }, 300);
  };
}

const STREAMED: readonly Row[] = [...SHORT, user(1, "Describe it."), { key: "live", message: { id: "live", kind: "assistant", at: NOW, state: "streaming", display: true, parts: [text("It")] } }];
const RUNNING: readonly Row[] = [
  ...SHORT,
  user(1, "And the queue?"),
  pi(0, [thinking("The queue reads rows too."), text("I run its tests first:"), call("q1", "bash", { command: "npm test -- queue" }), call("q2", "read", { path: "src/queue.ts" })]),
];

export const STATES: Readonly<Record<string, State>> = {
  short: { conversation: open(SHORT) },
  kinds: { conversation: open(KINDS) },
  hidden: { conversation: open(KINDS), hidden: true },
  markdown: { conversation: open([user(3, "Write the plan."), pi(2, [text(MARKDOWN)])]) },
  running: { conversation: open(RUNNING, { streaming: true }) },
  thinking: { conversation: open([...SHORT, user(1, "Why?"), pi(0, [thinking("The order was fixed when rows were tuples")], { state: "streaming" })], { streaming: true }) },
  failed: { conversation: open([...SHORT, user(2, "Go on."), pi(2, [text("I begin with the")], { state: "error", error: "529 overloaded_error: Overloaded. The model has too much to do." }), user(1, "Again."), pi(1, [text("The queue")], { state: "aborted" }), user(1, "Everything, please."), pi(0, [text("First, the")], { stopReason: "length" })]) },
  cut: { conversation: open([user(2, "Show me the log."), pi(2, [call("l", "bash", { command: "cat build.log" })]), result(2, "l", "bash", "line of the log\n".repeat(400), { truncated: [{ field: "parts.0", shown: 262_144, total: 901_120 }] }), pi(1, [text("It is long.")])]) },
  pasted: { conversation: open([user(1, Array.from({ length: 80 }, (_, at) => `${at}: ${WORDS[at % WORDS.length]}`).join("\n"))]) },
  empty: { conversation: open([]) },
  new: { conversation: open([], { boundary: { count: 1, reason: "new" } }) },
  unknown: { conversation: { ...EMPTY, isKnown: false } },
  stale: { conversation: open(SHORT, { isStale: true }) },
  "older-more": { conversation: open(many(12, 36), { older: { kind: "more" } }), older: paging(3) },
  "older-loading": { conversation: open(SHORT.slice(0, 5), { older: { kind: "loading" } }) },
  "older-full": { conversation: open(SHORT.slice(0, 5), { older: { kind: "full" } }) },
  "older-failed": { conversation: open(SHORT.slice(0, 5), { older: { kind: "failed", why: "The terminal cannot be reached right now; try again." } }) },
  long: { conversation: open(many(5_000)) },
  streaming: { conversation: open(STREAMED, { streaming: true }), play: streaming },
  hostile: { conversation: open([user(1, "<img src=x onerror=alert(1)> ﷽ שלום ".repeat(3)), row("<script>", 1, { parts: [text("<script>alert(1)</script> [x](javascript:alert(1)) [bank.example](https://evil.example/)")] }), pi(0, [text("a".repeat(4_000)), call("h", "<b>", { command: "\u0000".repeat(3) })])]) },
};
