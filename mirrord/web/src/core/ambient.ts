/**
 * What extensions show of a session besides prompts: widgets and their strips, header, footer, the views of their dialogs, the working
 * row, and texts they hand over for the composer. Pure: a notification or a snapshot gives the next value, the same object when it says
 * nothing new.
 */

import type {
  CustomView,
  ExtensionUINotification,
  Pill,
  Region,
  Snapshot,
  StatusEntry,
  Widget,
  WorkingRow,
} from "../protocol.ts";

/** Texts that wait to be taken; more than a person works off. */
export const HANDOFFS = 8;
/** Hand-offs that are known, so that none is shown twice. */
export const HANDED = 256;

/** A text for the composer. */
export interface Handoff {
  readonly id: string;
  /** Absent as long as it is fetched, and when that failed. */
  readonly text?: string;
  /** Why it could not be fetched, as a sentence. */
  readonly failure?: string;
  /** It belongs at the cursor, not in place of everything. */
  readonly paste: boolean;
  readonly source?: string;
}

/** The pills of both strips, in their order. */
export interface Strips {
  readonly above: readonly Pill[];
  readonly below: readonly Pill[];
}

export interface Ambient {
  /** In the order in which they came. */
  readonly widgets: readonly Widget[];
  readonly statuses: readonly StatusEntry[];
  readonly strips: Strips;
  readonly title?: string;
  readonly header?: Region;
  readonly footer?: Region;
  readonly views: readonly CustomView[];
  readonly workingRow: WorkingRow;
  readonly hiddenThinkingLabel?: string;
  readonly toolsExpanded: boolean;
  /** Newest last. */
  readonly handoffs: readonly Handoff[];
  /** The ids of hand-offs that were taken or given up. */
  readonly handed: readonly string[];
}

export const NOTHING: Ambient = {
  widgets: [],
  statuses: [],
  strips: { above: [], below: [] },
  views: [],
  workingRow: {},
  toolsExpanded: false,
  handoffs: [],
  handed: [],
};

/** All is as the snapshot says; hand-offs are no state and stay. */
export function fromSnapshot({ handoffs, handed }: Ambient, message: Snapshot): Ambient {
  const { title, header, footer, hiddenThinkingLabel } = message;
  return {
    widgets: message.surfaces ?? [],
    statuses: message.statuses ?? [],
    strips: stripsOf(message.strips ?? {}),
    views: message.views ?? [],
    workingRow: message.workingRow ?? {},
    toolsExpanded: message.toolsExpanded ?? false,
    handoffs,
    handed,
    ...present({ title, header, footer, hiddenThinkingLabel }),
  };
}

/** A strip that is not told is empty. */
export function stripsOf({ above = [], below = [] }: Partial<Strips>): Strips {
  return { above, below };
}

/** Of a notification that is state or a hand-off; the others change nothing. */
export function notified(ambient: Ambient, message: ExtensionUINotification): Ambient {
  switch (message.method) {
    case "setStatus": {
      const { statusKey: key, statusText: text, source } = message;
      if (key === undefined) return ambient;
      return { ...ambient, statuses: keyed(ambient.statuses, key, text === undefined ? undefined : { key, text, ...present({ source }) }) };
    }
    case "setTitle":
      return withOptional(ambient, "title", message.title);
    case "setWidget": {
      const { widgetKey: key, widgetPlacement: placement } = message;
      if (key === undefined) return ambient;
      const shown = drawnIn(message);
      return { ...ambient, widgets: keyed(ambient.widgets, key, shown && { key, ...shown, ...present({ placement }) }) };
    }
    case "setHeader":
      return withOptional(ambient, "header", drawnIn(message));
    case "setFooter":
      return withOptional(ambient, "footer", drawnIn(message));
    case "setCustomView":
      return message.requestId === undefined ? ambient : { ...ambient, views: viewed(ambient.views, message.requestId, message) };
    case "setWorkingMessage":
      return { ...ambient, workingRow: withOptional(ambient.workingRow, "message", message.message) };
    case "setWorkingVisible":
      return { ...ambient, workingRow: withOptional(ambient.workingRow, "visible", message.workingVisible) };
    case "setWorkingIndicator":
      return { ...ambient, workingRow: withOptional(ambient.workingRow, "indicator", message.workingIndicator) };
    case "setHiddenThinkingLabel":
      return withOptional(ambient, "hiddenThinkingLabel", message.hiddenThinkingLabel);
    case "setToolsExpanded":
      return { ...ambient, toolsExpanded: message.toolsExpanded ?? false };
    case "set_editor_text":
      return handedOver(ambient, message);
    default:
      return ambient;
  }
}

/** A dialog is over, and with it what it drew. */
export function settled(ambient: Ambient, promptId: string): Ambient {
  const views = ambient.views.filter((view) => view.requestId !== promptId);
  return views.length === ambient.views.length ? ambient : { ...ambient, views };
}

/** A hand-off was taken or given up: it does not come again. */
export function taken(ambient: Ambient, handoffId: string): Ambient {
  const handoffs = ambient.handoffs.filter((one) => one.id !== handoffId);
  return { ...ambient, handoffs, handed: [...ambient.handed, handoffId].slice(-HANDED) };
}

/** The text of a long hand-off was fetched, or could not be. */
export function fetched(ambient: Ambient, handoffId: string, outcome: { readonly text: string } | { readonly failure: string }): Ambient {
  return { ...ambient, handoffs: ambient.handoffs.map((one) => (one.id === handoffId ? { ...one, ...outcome } : one)) };
}

/** The ids of those whose text is still on its way. */
export function unfetched({ handoffs }: Ambient): readonly string[] {
  return handoffs.filter(({ text, failure }) => text === undefined && failure === undefined).map(({ id }) => id);
}

/** Whether the working row stands: Pi works, and no extension hides it. */
export function rowStands({ workingRow }: Ambient, isBusy: boolean): boolean {
  return isBusy && workingRow.visible !== false;
}

function handedOver(ambient: Ambient, { handoffId: id, text, textParts: parts, paste = false, source }: ExtensionUINotification): Ambient {
  if (id === undefined || (text === undefined && parts === undefined)) return ambient;
  if (ambient.handed.includes(id) || ambient.handoffs.some((one) => one.id === id)) return ambient;
  const all = [...ambient.handoffs, { id, paste, ...present({ text, source }) }];
  const kept = all.slice(-HANDOFFS);
  const gone = all.slice(0, all.length - kept.length).map((one) => one.id);
  return { ...ambient, handoffs: kept, handed: [...ambient.handed, ...gone].slice(-HANDED) };
}

/** What is drawn, or undefined when the message clears. */
function drawnIn({ nativeSurface, widgetLines, source, truncated }: ExtensionUINotification): Region | undefined {
  if (nativeSurface === undefined && widgetLines === undefined) return undefined;
  return present({ nativeSurface, widgetLines, source, truncated });
}

function viewed(views: readonly CustomView[], requestId: string, message: ExtensionUINotification): readonly CustomView[] {
  const { overlay, typing } = message;
  // Without lines it is a view all the same: an observer is told no more than that somebody types in it.
  const view = { requestId, ...drawnIn(message), ...present({ overlay, typing }) };
  const at = views.findIndex((one) => one.requestId === requestId);
  return at < 0 ? [...views, view] : views.with(at, view);
}

function keyed<T extends { readonly key: string }>(all: readonly T[], key: string, one: T | undefined): readonly T[] {
  const at = all.findIndex((other) => other.key === key);
  if (one === undefined) return at < 0 ? all : all.toSpliced(at, 1);
  return at < 0 ? [...all, one] : all.with(at, one);
}

function withOptional<T extends object, K extends keyof T>(whole: T, name: K, value: T[K] | undefined): T {
  const { [name]: _, ...rest } = whole;
  return { ...rest, ...(value === undefined ? {} : { [name]: value }) } as T;
}

/** Only the fields that have a value. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
