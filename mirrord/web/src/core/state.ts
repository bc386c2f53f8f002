/** What is known of the sessions, from the daemon's messages alone. Pure: `take(state, message, now)` gives the next state. */

import type {
  ExtensionUINotification,
  ExtensionUIRequest,
  ExtensionUISettled,
  NotifyType,
  ResponseResult,
  Role,
  ServerMessage,
  Session,
  Snapshot,
  Verdict,
  Welcome,
  Working,
} from "../protocol.ts";
import * as around from "./ambient.ts";

/** A session that a new daemon does not list yet is kept so long: its extension comes back within seconds. */
export const MISSING_MS = 30_000;
/** What a session page tells of the last minutes. */
export const RECENT = 50;
/** Ended prompts that are remembered, so that a card can say how it ended. */
export const ENDED = 50;

/** A prompt that is over; without a verdict when its end was missed. */
export interface Ended {
  readonly prompt: ExtensionUIRequest;
  readonly verdict?: Verdict;
  /** When this page learned of it, by its own clock. */
  readonly at: number;
}

/** Something that happened and is not state. */
export interface Happening {
  readonly id: number;
  readonly sessionId: string;
  /** By the daemon's clock. */
  readonly at: number;
  readonly kind: "notify" | "settled";
  readonly severity: NotifyType;
  readonly text: string;
  /** The extension that said it, where that is known. */
  readonly source?: string;
  readonly prompt?: ExtensionUIRequest;
  readonly verdict?: Verdict;
}

export interface SessionView {
  readonly session: Session;
  /** After which event to go on; absent until a snapshot came. */
  readonly cursor?: string;
  /** When the last event came, by the daemon's clock; absent where all that is known came whole. */
  readonly eventAt?: number;
  /** Open prompts in server order. */
  readonly prompts: readonly ExtensionUIRequest[];
  /** Newest last. */
  readonly ended: readonly Ended[];
  readonly ambient: around.Ambient;
  readonly working?: Working;
  /** Newest last. */
  readonly recent: readonly Happening[];
  /** Since when, by this page's clock, the daemon that was welcomed last has not listed it. */
  readonly missingSince?: number;
}

/** What became of this browser's last answer to a prompt. */
export interface AnswerState {
  readonly responseId: string;
  readonly state: "sending" | "unsure" | "accepted" | "refused" | "lost_race" | "lost_track";
  readonly detail?: string;
}

export interface State {
  readonly server?: Welcome["server"];
  readonly role: Role;
  readonly notice?: string;
  /** Add it to this browser's clock to have the daemon's. Milliseconds. */
  readonly clockOffset: number;
  /** When a daemon was welcomed last, by this browser's clock. */
  readonly welcomedAt?: number;
  readonly sessions: ReadonlyMap<string, SessionView>;
  /** By prompt id. */
  readonly answers: ReadonlyMap<string, AnswerState>;
  /** How many happenings there were; the last one's id. */
  readonly happened: number;
}

export const EMPTY: State = { role: "observer", clockOffset: 0, sessions: new Map(), answers: new Map(), happened: 0 };

/** The next state. `now` is this browser's clock in milliseconds since the epoch. */
export function take(state: State, message: ServerMessage, now: number): State {
  switch (message.type) {
    case "welcome":
      return welcomed(state, message, now);
    case "session":
      return changed(state, message.change, message.session);
    case "snapshot":
      return snapshot(state, message, now);
    case "extension_ui_request":
      return inSession(state, message, now, (view) => ({
        ...view,
        prompts: withPrompt(view.prompts, message),
        // Another daemon is told of it anew: it was thought to be over.
        ended: view.ended.filter((one) => one.prompt.id !== message.id),
      }));
    case "extension_ui_settled":
      return settled(state, message, now);
    case "extension_ui_notification":
      return notified(state, message, now);
    case "extension_ui_strips":
      return inSession(state, message, now, (view) => ({
        ...view,
        ambient: { ...view.ambient, strips: around.stripsOf(message) },
      }));
    case "response_result":
      return ruled(state, message, now);
    // What the worker shows as a notification is no state of a session; nobody here watches a screen.
    case "attention":
    case "screen":
    case "gap":
    case "command_result":
    case "error":
    case "chat_event":
    case "chat_frame":
    case "receipt":
      return state;
  }
}

/** Time has passed: sessions that a new daemon never listed are gone. */
export function pass(state: State, now: number): State {
  const gone = [...state.sessions].filter(([, view]) => view.missingSince !== undefined && now - view.missingSince >= MISSING_MS);
  if (gone.length === 0) return state;
  const sessions = new Map(state.sessions);
  for (const [id] of gone) sessions.delete(id);
  return { ...state, sessions };
}

/** An answer of this browser went out, waits, or is given up. */
export function answered(state: State, promptId: string, answer: AnswerState): State {
  return { ...state, answers: new Map(state.answers).set(promptId, answer) };
}

/** An ended prompt is taken away. */
export function dismissed(state: State, sessionId: string, promptId: string): State {
  const answers = new Map(state.answers);
  answers.delete(promptId);
  const view = state.sessions.get(sessionId);
  if (view === undefined) return { ...state, answers };
  const ended = view.ended.filter((one) => one.prompt.id !== promptId);
  return { ...state, answers, sessions: new Map(state.sessions).set(sessionId, { ...view, ended }) };
}

/** A text that an extension handed over was taken or given up. */
export function handedOver(state: State, sessionId: string, handoffId: string): State {
  const view = state.sessions.get(sessionId);
  return view === undefined ? state : put(state, { ...view, ambient: around.taken(view.ambient, handoffId) });
}

/** A long text that an extension handed over came, or could not be fetched. */
export function fetched(state: State, sessionId: string, handoffId: string, outcome: Parameters<typeof around.fetched>[2]): State {
  const view = state.sessions.get(sessionId);
  return view === undefined ? state : put(state, { ...view, ambient: around.fetched(view.ambient, handoffId, outcome) });
}

/** Hand-offs whose texts were not fetched yet, of sessions that are here. */
export function unfetched(state: State): readonly { readonly sessionId: string; readonly id: string }[] {
  return [...state.sessions.values()].flatMap(({ session: { sessionId }, ambient, missingSince }) =>
    missingSince !== undefined ? [] : around.unfetched(ambient).map((id) => ({ sessionId, id })),
  );
}

/** The cursors to go on from, by session. */
export function cursors(state: State): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [id, view] of state.sessions) if (view.cursor !== undefined) found[id] = view.cursor;
  return found;
}

function welcomed(state: State, message: Welcome, now: number): State {
  const sessions = new Map<string, SessionView>();
  for (const session of message.sessions) {
    const { missingSince: _, ...known } = state.sessions.get(session.sessionId) ?? fresh(session);
    sessions.set(session.sessionId, { ...known, session });
  }
  for (const [id, view] of state.sessions) {
    if (sessions.has(id) || view.session.status.state === "ended") continue;
    sessions.set(id, { ...view, missingSince: view.missingSince ?? now });
  }
  const { notice: _, ...rest } = state;
  return {
    ...rest,
    ...(message.notice === undefined ? {} : { notice: message.notice }),
    server: message.server,
    role: message.role,
    clockOffset: message.serverNow - now,
    welcomedAt: now,
    sessions,
  };
}

function changed(state: State, change: "added" | "changed" | "removed", session: Session): State {
  const sessions = new Map(state.sessions);
  if (change === "removed") {
    sessions.delete(session.sessionId);
  } else {
    const { missingSince: _, ...known } = state.sessions.get(session.sessionId) ?? fresh(session);
    sessions.set(session.sessionId, { ...known, session });
  }
  return { ...state, sessions };
}

function snapshot(state: State, message: Snapshot, now: number): State {
  const { missingSince: _, eventAt, ...before } = state.sessions.get(message.sessionId) ?? fresh(message.session);
  const open = new Set(message.prompts.map((prompt) => prompt.id));
  const known = new Set(before.ended.map((one) => one.prompt.id));
  const missed = before.prompts.filter((prompt) => !open.has(prompt.id) && !known.has(prompt.id));
  const view: SessionView = {
    ...before,
    ...(message.cursor === undefined ? {} : { cursor: message.cursor }),
    // Others came since, and nobody tells when.
    ...(eventAt === undefined || message.cursor !== before.cursor ? {} : { eventAt }),
    ...(message.working === undefined ? {} : { working: message.working }),
    session: message.session,
    prompts: message.prompts,
    // What was open and is not: it ended while nobody told.
    ended: [...before.ended.filter((one) => !open.has(one.prompt.id)), ...missed.map((prompt) => ({ prompt, at: now }))].slice(-ENDED),
    ambient: around.fromSnapshot(before.ambient, message),
  };
  return { ...state, sessions: new Map(state.sessions).set(message.sessionId, view) };
}

function settled(state: State, message: ExtensionUISettled, now: number): State {
  const { outcome, winner, at, winnerName, answer, reason } = message;
  const verdict: Verdict = {
    outcome,
    winner,
    at,
    ...(winnerName === undefined ? {} : { winnerName }),
    ...(answer === undefined ? {} : { answer }),
    ...(reason === undefined ? {} : { reason }),
  };
  return end(
    inSession(state, message, now, (view) => view),
    message.sessionId,
    message.id,
    verdict,
    now,
  );
}

/** The prompt is over, if it was known; a verdict that comes later than the news is filled in. */
function end(state: State, sessionId: string, promptId: string, verdict: Verdict, now: number): State {
  const view = state.sessions.get(sessionId);
  if (view === undefined) return state;
  const prompt = view.prompts.find((one) => one.id === promptId);
  if (prompt === undefined) {
    const ended = view.ended.map((one) => (one.prompt.id === promptId ? { ...one, verdict } : one));
    return put(state, { ...view, ended });
  }
  const id = state.happened + 1;
  const happening: Happening = { id, sessionId, at: verdict.at, kind: "settled", severity: "info", text: prompt.title, prompt, verdict };
  return put(
    { ...state, happened: id },
    {
      ...view,
      prompts: view.prompts.filter((one) => one.id !== promptId),
      ambient: around.settled(view.ambient, promptId),
      ended: [...view.ended, { prompt, verdict, at: now }].slice(-ENDED),
      recent: [...view.recent, happening].slice(-RECENT),
    },
  );
}

function notified(state: State, message: ExtensionUINotification, now: number): State {
  if (message.method !== "notify") {
    return inSession(state, message, now, (view) => ({ ...view, ambient: around.notified(view.ambient, message) }));
  }
  if (message.message === undefined || !state.sessions.has(message.sessionId)) return state;
  const id = state.happened + 1;
  const happening: Happening = {
    id,
    sessionId: message.sessionId,
    at: now + state.clockOffset,
    kind: "notify",
    severity: message.notifyType ?? "info",
    text: message.message,
    ...(message.source === undefined ? {} : { source: message.source }),
  };
  return inSession({ ...state, happened: id }, message, now, (view) => ({ ...view, recent: [...view.recent, happening].slice(-RECENT) }));
}

function ruled(state: State, message: ResponseResult, now: number): State {
  const before = state.answers.get(message.id);
  if (before === undefined || before.responseId !== message.responseId) return state;
  const after = answered(state, message.id, verdictOn(message));
  if (message.settled === undefined) return after;
  const home = [...state.sessions.values()].find((view) =>
    [...view.prompts, ...view.ended.map((one) => one.prompt)].some((prompt) => prompt.id === message.id),
  );
  return home === undefined ? after : end(after, home.session.sessionId, message.id, message.settled, now);
}

function verdictOn({ responseId, accepted, reason, detail }: ResponseResult): AnswerState {
  if (accepted) return { responseId, state: "accepted" };
  if (reason === "settled") return { responseId, state: "lost_race" };
  return { responseId, state: "refused", detail: detail ?? REFUSED[reason ?? ""] ?? "The answer was not taken. Try again." };
}

const REFUSED: Readonly<Record<string, string>> = {
  unknown: "mirrord does not know this prompt any more.",
  detached: "mirrord cannot reach Pi at the moment. Try again.",
  busy: "Too many answers wait for this prompt. Try again.",
  forbidden: "This browser may look, not answer.",
  terminal_only: "This can only be answered at the terminal.",
  invalid: "The answer does not fit this prompt.",
};

function inSession(
  state: State,
  message: { readonly sessionId: string; readonly cursor?: string },
  now: number,
  change: (view: SessionView) => SessionView,
): State {
  const view = state.sessions.get(message.sessionId);
  if (view === undefined) return state;
  const after = change(view);
  return put(state, message.cursor === undefined ? after : { ...after, cursor: message.cursor, eventAt: now + state.clockOffset });
}

function put(state: State, view: SessionView): State {
  return { ...state, sessions: new Map(state.sessions).set(view.session.sessionId, view) };
}

/** A session of which nothing is known yet. */
export function fresh(session: Session): SessionView {
  return { session, prompts: [], ended: [], ambient: around.NOTHING, recent: [] };
}

function withPrompt(prompts: readonly ExtensionUIRequest[], prompt: ExtensionUIRequest): readonly ExtensionUIRequest[] {
  const known = prompts.findIndex((one) => one.id === prompt.id);
  return known < 0 ? [...prompts, prompt] : prompts.with(known, prompt);
}
