/**
 * What of a session is shown as the browser's own notification. Pure, and without an import: the worker is one file.
 *
 * One session has one notification: a newer one takes the place of the one before. It makes itself heard only when it says something of
 * another kind, and never when it says that something is over.
 */

const KINDS = ["waiting", "yourTurn", "failed", "over"] as const;
/** `other`: of a later daemon, shown as it is. */
export type Kind = (typeof KINDS)[number] | "other";

/** A call for the person's attention: the message `attention`, from the page or as the payload of a push. */
export interface Notice {
  readonly type: "attention";
  readonly sessionId: string;
  readonly kind: Kind;
  readonly title: string;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly promptId?: string;
}

/** What browsers know beyond the types of TypeScript's library. */
export interface Options {
  readonly body: string;
  readonly tag: string;
  readonly data: Notice | null;
  readonly icon: string;
  readonly badge: string;
  readonly renotify: boolean;
  readonly silent: boolean;
  readonly timestamp?: number;
}

/** More is shown nowhere; ids are shorter. */
const TEXT = 256;
const TAG = "mirrord";
const PICTURES = { icon: "/icon-192.png", badge: "/badge.png" } as const;

/** The notice in what came, or undefined. Never throws. */
export function readNotice(raw: unknown): Notice | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const found = raw as Readonly<Record<string, unknown>>;
  const [sessionId, title, body, at, promptId] = [found["sessionId"], found["title"], found["body"], found["at"], found["promptId"]];
  if (found["type"] !== "attention" || !isText(sessionId) || sessionId === "" || sessionId.length > TEXT) return undefined;
  if (!isText(title) || !isText(body) || typeof at !== "number" || !Number.isFinite(at)) return undefined;
  return {
    type: "attention",
    sessionId,
    kind: KINDS.find((one) => one === found["kind"]) ?? "other",
    title: title.slice(0, TEXT),
    body: body.slice(0, TEXT),
    at,
    ...(isText(promptId) && promptId !== "" && promptId.length <= TEXT ? { promptId } : {}),
  };
}

/** The notice in the text of a push. */
export function readPayload(text: string): Notice | undefined {
  try {
    return readNotice(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The notification of a notice; `before` is what stands of the same session. */
export function notification(notice: Notice, before: Notice | undefined): { readonly title: string; readonly options: Options } {
  const over = notice.kind === "over";
  const options = {
    body: notice.body,
    tag: notice.sessionId,
    data: notice,
    ...PICTURES,
    renotify: !over && notice.kind !== before?.kind,
    silent: over,
    timestamp: notice.at,
  };
  return { title: notice.title, options };
}

/** What is shown for a push that cannot be read: a browser takes the right to push from a page that shows nothing. */
export const UNREADABLE: { readonly title: string; readonly options: Options } = {
  title: "mirrord",
  options: { body: "Something wants your attention", tag: TAG, data: null, ...PICTURES, renotify: false, silent: false },
};

/** Where a notification leads. */
export function addressOf(notice: Notice | undefined): string {
  if (notice === undefined) return "/";
  const prompt = notice.promptId === undefined ? "" : `&prompt=${encodeURIComponent(notice.promptId)}`;
  return `/#session=${encodeURIComponent(notice.sessionId)}${prompt}`;
}

/** Sessions that want something of the person, for the badge of an installed app. */
export function wanting(shown: readonly Notice[]): number {
  return shown.filter((notice) => notice.kind !== "over").length;
}

/** A page that is open. */
export interface Page {
  readonly focused: boolean;
  readonly visibilityState: string;
}

/** The page to show it on: the one that somebody is at, or that can be seen, or any. */
export function choosePage<P extends Page>(pages: readonly P[]): P | undefined {
  return pages.find((page) => page.focused) ?? pages.find((page) => page.visibilityState === "visible") ?? pages[0];
}

/** Whether somebody is at a page other than the one that `from` names: what calls them is told there. */
export function isAtAnother(pages: readonly (Page & { readonly id: string })[], from: string | undefined): boolean {
  return pages.some((page) => page.focused && page.id !== from);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
