// `/mirrord pair`: asks the daemon for a code and shows it in a dialog of its own, which is offered to no remote.
import { randomUUID } from "node:crypto";

import { follow, guard, isPromise, pass } from "./guard.ts";
import type { Kit } from "./kit.ts";
import type { Maker } from "./outbox.ts";
import { PairDialog, type Place } from "./invitation.ts";
import { call, isCovered } from "./pi.ts";
import type { DeviceRole, PairMessage } from "./protocol.ts";
import type { Registry } from "./registry.ts";
import { quoted } from "./text.ts";

/** What pairing needs of its surroundings. */
export interface Surroundings {
  put(key: string, make: Maker): void;
  /** One line for the person. */
  show(line: string): void;
}

interface Open {
  readonly requestId: string;
  dialog: PairDialog | undefined;
  /** Has Pi take the dialog away. */
  done: () => void;
}

const ENDINGS: Readonly<Record<string, string>> = {
  failed: "The code was right, but the device could not be stored: see the daemon's log.",
  old: "Nobody used the code in its time.",
  replaced: "A newer code took its place.",
  too_many_tries: "The code was tried wrong too often: somebody may be guessing.",
};
const LOST = "The link to the daemon is lost, and the code with it.";

export class Pairing {
  private readonly shared: Registry;
  private readonly around: Surroundings;
  private now: Open | undefined;

  constructor(shared: Registry, around: Surroundings) {
    this.shared = shared;
    this.around = around;
  }

  /** Shows the dialog in `ui` and asks for a code; a dialog that is still open goes. */
  open(kit: Kit, ui: unknown, role: DeviceRole): void {
    this.close();
    const open: Open = { requestId: randomUUID(), dialog: undefined, done: () => {} };
    this.now = open;
    const factory = (screen: unknown, theme: unknown, keys: unknown, done: unknown): unknown =>
      guard("pair.open", () => this.make(open, kit, { screen, theme, keys } as Place, role, done), undefined) ?? nothing(done);
    const before = this.shared.quiet;
    // Quiet, so that it is mirrored to nobody: who sees a code may use it.
    this.shared.quiet = true;
    let shown: unknown;
    try {
      shown = call(ui, "custom", factory);
    } finally {
      this.shared.quiet = before;
    }
    if (isPromise(shown)) follow(shown, "pair.end", () => this.ended(open));
    else this.ended(open);
    if (this.now === open) this.around.put("pair", () => ({ type: "pair_code_request", requestId: open.requestId, ...(role === "observer" && { role }) }));
  }

  /** The daemon says something about a code. */
  told(message: PairMessage): void {
    const { now } = this;
    if (now === undefined || message.requestId !== now.requestId) return;
    if (message.type === "pair_code") return now.dialog?.show(message);
    if (message.type === "pair_code_refused") return now.dialog?.say(quoted(message.message));
    if (message.outcome !== "used") return now.dialog?.say(ENDINGS[message.outcome] ?? "The code is good no longer.");
    this.close();
    this.around.show(`${quoted(message.device ?? "A device")} is paired. \`mirrord devices\` can undo it.`);
  }

  /** No daemon hears us: it may be gone, and codes die with it. */
  lost(): void {
    guard("pair.told", () => this.now?.dialog?.say(LOST), undefined);
  }

  /** Takes the dialog away, if one is open. */
  close(): void {
    const { now } = this;
    if (now === undefined) return;
    this.ended(now);
    const covered = guard("pair.end", () => now.dialog?.wasShown === true && isCovered(this.shared.interactive, now.dialog), false);
    if (!covered) pass("pair.end", now.done);
  }

  private make(open: Open, kit: Kit, place: Place, role: DeviceRole, done: unknown): PairDialog {
    const dialog = new PairDialog(kit, place, role, () => this.close());
    open.dialog = dialog;
    open.done = () => void (typeof done === "function" && Reflect.apply(done, undefined, [undefined]));
    return dialog;
  }

  private ended(open: Open): void {
    if (this.now === open) this.now = undefined;
    pass("pair.end", () => open.dialog?.dispose());
  }
}

/** Ours could not be made: the dialog is over before it began. */
function nothing(done: unknown): unknown {
  if (typeof done === "function") Reflect.apply(done, undefined, [undefined]);
  return { render: () => [], invalidate: () => {} };
}
