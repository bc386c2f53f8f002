// The dialog of `/mirrord pair`, made of Pi's components: QR code, address, code and the time that is left.

import { every, guard, type Timer } from "./guard.ts";
import { drawnWithin, type Box, type Component, type Keys, type Kit, type Screen, type Theme } from "./kit.ts";
import { PAIR_ANSWER_MS, QR_COLUMNS, QR_LINES } from "./limits.ts";
import { field } from "./pi.ts";
import type { DeviceRole, PairCode } from "./protocol.ts";
import { quoted } from "./text.ts";

/** What Pi hands to the factory of a component. */
export interface Place {
  readonly screen: Screen;
  readonly theme: Theme;
  readonly keys: Keys;
}

/** Of the 256 colours these are black and white in every theme. */
const BLACK_ON_WHITE = "\u001b[38;5;16;48;5;231m";
const RESET = "\u001b[0m";
const HALF_BLOCKS = /^[ ▀▄█]+$/u;
/** Lines of the dialog and of Pi's own that stand around the QR code. */
const LINES_AROUND = 12;
const POWERS: Readonly<Record<DeviceRole, string>> = {
  controller: "It makes one controller, which can run anything that you can.",
  observer: "It makes one observer, which can watch and answer nothing.",
};

export class PairDialog {
  /** Whether Pi has put it on the screen, which it does some time after it was made. */
  wasShown = false;
  private readonly kit: Kit;
  private readonly place: Place;
  private readonly role: DeviceRole;
  private readonly end: () => void;
  private readonly box: Box;
  private readonly ticker: Timer;
  private readonly openedAt = Date.now();
  private code: PairCode | undefined;
  /** What is said instead of a code. */
  private sentence = "Asking the daemon for a code…";
  private hasFocus = false;

  /** `end` is called when the person closes it. */
  constructor(kit: Kit, place: Place, role: DeviceRole, end: () => void) {
    this.kit = kit;
    this.place = place;
    this.role = role;
    this.end = end;
    this.box = new kit.Container();
    this.ticker = every(1_000, "pair.tick", () => this.tick());
    this.draw();
  }

  show(code: PairCode): void {
    this.code = code;
    this.again();
  }

  /** A sentence in the code's place. */
  say(sentence: string): void {
    this.code = undefined;
    this.sentence = sentence;
    this.ticker.cancel();
    this.again();
  }

  // ---- what Pi calls ---------------------------------------------------------------------------------------------------

  get focused(): boolean {
    return this.hasFocus;
  }

  set focused(value: boolean) {
    this.hasFocus = value;
    this.wasShown ||= value;
  }

  render(width: number): string[] {
    return guard("pair.render", () => drawnWithin(this.kit, this.box, width), []);
  }

  handleInput(data: string): void {
    // A dialog that takes no keys would stay for ever.
    const isOver = guard("pair.key", () => this.place.keys.matches(data, "tui.select.cancel"), true);
    if (isOver) this.end();
  }

  invalidate(): void {
    // The theme may be another one now.
    guard("pair.render", () => this.draw(), undefined);
  }

  dispose(): void {
    this.ticker.cancel();
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------------

  private tick(): void {
    if (this.code === undefined && Date.now() - this.openedAt >= PAIR_ANSWER_MS) {
      return this.say("The daemon did not answer; it may be older than this extension. Run `mirrord pair` in another terminal.");
    }
    this.again();
  }

  private again(): void {
    this.draw();
    this.place.screen.requestRender();
  }

  private draw(): void {
    const { box, kit, place, code } = this;
    const border = new kit.DynamicBorder((text) => place.theme.fg("border", text));
    box.clear();
    box.addChild(border);
    this.put("accent", place.theme.bold(code === undefined ? "Pair a device" : `Pair a device (${left(code.expiresAt - Date.now())})`));
    if (code === undefined) this.put("text", this.sentence);
    else this.codeAs(code);
    const cancel = place.keys.getKeys?.("tui.select.cancel").join("/") ?? "escape";
    box.addChild(new kit.Text(`${place.theme.fg("dim", cancel)}${place.theme.fg("muted", " close")}`, 1, 0));
    box.addChild(border);
  }

  private codeAs({ code, url, page, qr }: PairCode): void {
    this.box.addChild(this.picture(qr));
    this.put("text", `Scan it, or open  ${quoted(url)}`);
    this.put("text", `or type  ${this.place.theme.bold(quoted(`${code.slice(0, 5)}-${code.slice(5)}`))}  at ${quoted(page)}`);
    this.put("muted", POWERS[this.role]);
  }

  /** The QR code where there is room for all of it, else a sentence. */
  private picture(qr: readonly string[]): Component {
    const { kit, place } = this;
    const columns = qr[0]?.length ?? 0;
    const isPicture = columns <= QR_COLUMNS && qr.length <= QR_LINES && qr.every((line) => line.length === columns && HALF_BLOCKS.test(line));
    const rows = field(field(place.screen, "terminal"), "rows");
    const isTooLow = typeof rows === "number" && rows < qr.length + LINES_AROUND;
    const missing = new kit.Text(place.theme.fg("muted", `No QR code, because it needs a window of ${columns + 2} columns and ${qr.length + LINES_AROUND} lines.`), 1, 0);
    const render = (width: number): string[] => {
      if (!isPicture) return [];
      if (isTooLow || width < columns + 2) return missing.render(width);
      return qr.map((line) => ` ${BLACK_ON_WHITE}${line}${RESET}`);
    };
    return { render, invalidate: () => missing.invalidate() };
  }

  private put(token: string, text: string): void {
    this.box.addChild(new this.kit.Text(this.place.theme.fg(token, text), 1, 0));
  }
}

/** `1:58 left` */
function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
}
