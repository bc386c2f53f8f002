// Every state a card can be in, with fixed data.

import type { ExtensionUIRequest, Verdict } from "../../protocol.ts";
import type { CardProps, DraftFields } from "../contract.ts";

export const NOW = 1_796_054_400_000;

export interface State {
  readonly prompt: ExtensionUIRequest;
  readonly phase: CardProps["phase"];
  readonly verdict?: Verdict;
  readonly mine?: boolean;
  readonly detail?: string;
  readonly draft?: DraftFields;
  readonly readOnly?: boolean;
  readonly others?: number;
  /** What `loadPrefill` gives, or why it does not. */
  readonly text?: string | Error;
}

type Asked = Partial<ExtensionUIRequest> & Pick<ExtensionUIRequest, "method" | "title">;

function prompt(asked: Asked): ExtensionUIRequest {
  return { type: "extension_ui_request", sessionId: "4242-1234567", id: "6f1c2f2e-0d55-4c0e-9b8e-2f1f5a7c0001", openedAt: NOW - 4_000, source: "planner", ...asked };
}

const open = (asked: Asked, more: Partial<State> = {}): State => ({ prompt: prompt(asked), phase: "open", ...more });
const ended = (asked: Asked, verdict: Omit<Verdict, "at">, more: Partial<State> = {}): State => ({
  prompt: prompt(asked),
  phase: "settled",
  verdict: { at: NOW, ...verdict },
  ...more,
});

const DATABASE: Asked = { method: "select", title: "Which database should the tests run against?", options: ["SQLite in memory", "Postgres in Docker", "The staging replica"], optionCount: 3 };
const DELETE: Asked = { method: "confirm", title: "Delete 14 branches that are merged?", message: "They are gone from origin too. The last commit of each stays in the reflog for 90 days." };
const NAME: Asked = { method: "input", title: "Name of the release branch", placeholder: "release/2026-12" };
const TOKEN: Asked = { method: "input", title: "API token of the package registry", placeholder: "npm_…", masked: true, source: "publish" };
const QUESTION = {
  id: "bed",
  question: "Where should the migration start?",
  options: [
    { value: "schema", label: "The schema", description: "Tables and indexes first; the code follows in a second step." },
    { value: "code", label: "The code", description: "Both shapes are read until the tables have changed." },
    { value: "both", label: "Both at once" },
  ],
};
const CHECKS = {
  id: "checks",
  question: "Which checks must pass before the merge?",
  multiSelect: true,
  options: [
    { value: "unit", label: "Unit tests" },
    { value: "e2e", label: "End-to-end tests", description: "About 6 minutes" },
    { value: "lint", label: "Lint" },
  ],
};
const WHEN = { id: "when", question: "When may it be deployed?", options: [{ value: "now", label: "Right away" }, { value: "night", label: "Tonight, after 22:00" }] };
const ASK: Asked = { method: "ask", title: QUESTION.question, questions: [QUESTION], allowCustom: true };
const MULTI: Asked = { method: "ask", title: CHECKS.question, questions: [CHECKS], allowCustom: true };
const THREE: Asked = { method: "ask", title: "3 questions", questions: [QUESTION, CHECKS, WHEN], allowCustom: true };
const PLAN = "# Plan\n\n1. Move the session table behind a view.\n2. Write both shapes, read the old one.\n3. Backfill in batches of 500, watching the replica lag.\n4. Read the new shape; keep the old for a week.\n\nRoll back: drop the view, nothing else has changed.\n";
const EDIT: Asked = { method: "editor", title: "Edit the plan before it is carried out", prefill: PLAN };
const SNAKE: Asked = { method: "custom", title: "A dialog of snake", source: "snake", terminalOnly: "This dialog can only be used at the terminal.", cancellable: false };

const LONG = "The deployment touches the session store, the queue and the two workers that read from it, and each of them caches the shape of a row for up to an hour. ".repeat(6).trim();
const HOSTILE = "<img src=x onerror=alert(1)> javascript:alert(1) “</script><script>alert(1)</script>” {{7*7}} ﷽ שלום";
const FRUITS = ["apple", "quince", "medlar", "damson", "rowan", "sloe", "bilberry", "cloudberry"];
const fruit = (at: number): string => `${FRUITS[at % FRUITS.length] ?? ""} ${at + 1}`;

export const STATES: Readonly<Record<string, State>> = {
  "ask-single": open(ASK),
  "ask-single-chosen": open(ASK, { draft: { "bed#chosen": ["code"] } }),
  "ask-multi": open(MULTI, { draft: { "checks#chosen": ["unit", "lint"] } }),
  "ask-own": open(ASK, { draft: { bed: "Start with the read path, behind a flag" } }),
  "ask-questions": open(THREE, { others: 2 }),
  "ask-long": open({ ...ASK, questions: [{ ...QUESTION, question: LONG }] }),
  "ask-typed-only": open({ method: "ask", title: "What should the release be called?", questions: [{ id: "n", question: "What should the release be called?" }] }),
  select: open({ ...DATABASE, timeoutAt: NOW + 92_000 }),
  "select-many": open({ method: "select", title: "Pick a fruit", options: Array.from({ length: 200 }, (_, at) => fruit(at)), optionCount: 10_000 }),
  "select-twelve": open({ method: "select", title: "Pick a fruit", options: Array.from({ length: 12 }, (_, at) => fruit(at)), optionCount: 12 }),
  "select-empty-option": open({ method: "select", title: "Pick one", options: ["first", "", "third"], optionCount: 3 }),
  confirm: open(DELETE, { others: 1 }),
  "confirm-soon": open({ ...DELETE, timeoutAt: NOW + 12_000, openedAt: NOW - 48_000 }),
  "confirm-over": open({ ...DELETE, timeoutAt: NOW - 2_000, openedAt: NOW - 60_000 }),
  "confirm-cut": open({ ...DELETE, message: LONG.slice(0, 300), truncated: [{ field: "message", shown: 32_768, total: 1_000_000 }] }),
  "confirm-long": open({ ...DELETE, message: LONG.repeat(2) }),
  input: open(NAME),
  "input-typed": open(NAME, { draft: { value: "release/2026-12-hotfix" } }),
  "input-masked": open(TOKEN, { draft: { value: "npm_abcdefghij" } }),
  editor: open(EDIT),
  "editor-marks": open({ ...EDIT, prefill: "first\r\nsecond \u001b[31mred\u001b[0m\r\nzero\u200bwidth and \u202eturned\r\n" }),
  "editor-loading": open({ method: "editor", title: "Edit the log", prefillParts: 4 }),
  "editor-failed": open({ method: "editor", title: "Edit the log", prefillParts: 4 }, { text: new Error("The terminal cannot be reached right now; try again.") }),
  "editor-large": open({ method: "editor", title: "Edit the log", prefillParts: 4 }, { text: "2026-12-01 12:00:00 worker: row 4711 took its new shape\n".repeat(18_000) }),
  "editor-terminal-only": open({ method: "editor", title: "Edit the log", terminalOnly: "This is too large to be answered from here: answer at the terminal." }),
  custom: open(SNAKE),
  sending: open(DATABASE, { phase: "sending", draft: { "value#chosen": ["1"] } }),
  unsure: open(DATABASE, { phase: "unsure", draft: { "value#chosen": ["1"] } }),
  refused: open(NAME, { phase: "refused", draft: { value: "release" }, detail: "A branch of that name is there already." }),
  "link-lost": open(ASK, { phase: "link_lost", draft: { bed: "Start with the read path" } }),
  detached: open(DELETE, { phase: "detached", detail: "mirrord has lost its link to Pi and waits for it to come back." }),
  observer: open(DATABASE, { readOnly: true }),
  "settled-terminal": ended(DATABASE, { outcome: "answered", winner: "terminal", answer: "Postgres in Docker" }),
  "settled-remote": ended(DATABASE, { outcome: "answered", winner: "remote", winnerName: "Ada’s tablet", answer: "SQLite in memory" }),
  "settled-ours": ended(DATABASE, { outcome: "answered", winner: "remote", winnerName: "phone", answer: "SQLite in memory" }, { mine: true }),
  "settled-kept": ended(ASK, { outcome: "answered", winner: "terminal" }, { draft: { bed: "Start with the read path, behind a flag that only we can see" }, others: 1 }),
  "settled-secret": ended(TOKEN, { outcome: "answered", winner: "terminal" }, { draft: { value: "npm_abcdefghij" } }),
  "settled-cancelled": ended(DELETE, { outcome: "cancelled", winner: "terminal" }),
  "settled-timed-out": ended(DELETE, { outcome: "timed_out", winner: "none" }),
  "settled-withdrawn": ended(DELETE, { outcome: "withdrawn", winner: "none", reason: "reload" }),
  "lost-race": ended(DATABASE, { outcome: "answered", winner: "terminal", answer: "The staging replica" }, { phase: "lost_race" }),
  "hostile-select": open({ method: "select", title: HOSTILE, source: HOSTILE, options: [HOSTILE, "مرحبا بالعالم", "a".repeat(400), "line\nline"], optionCount: 4 }),
  "hostile-ask": open({ method: "ask", title: HOSTILE, questions: [{ id: "__proto__", question: HOSTILE, options: [{ value: "constructor", label: HOSTILE, description: HOSTILE }] }] }),
  "hostile-megabyte": open({ method: "confirm", title: "M".repeat(1_000_000), message: "word ".repeat(200_000) }),
  rtl: open({ method: "select", title: "באיזה מסד נתונים להשתמש?", source: "מתכנן", options: ["SQLite בזיכרון", "Postgres ב־Docker"], optionCount: 2 }),
};
