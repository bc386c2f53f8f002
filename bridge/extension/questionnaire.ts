// The dialog of ask on the screen, made of Pi's components and looking like Pi's own selector.

import { AskState, type Row, type Step } from "./choices.ts";
import { every, guard, type Timer } from "./guard.ts";
import { ASK_ROWS, ASK_SUMMARY_CHARS } from "./limits.ts";
import { drawnWithin, type Box, type Component, type Keys, type Kit, type Line, type Screen, type Theme } from "./kit.ts";
import type { Answers, Question } from "./protocol.ts";
import { quoted, shown } from "./text.ts";

/** What Pi hands to the factory of a component. */
export interface Place {
  readonly screen: Screen;
  readonly theme: Theme;
  readonly keys: Keys;
}

/** Columns of the widest character. */
const WIDEST = 2;

export class AskDialog {
  /** Where Pi's own dialogs have it too; undefined without a timeout. */
  countdown: { remainingSeconds: number } | undefined;
  /** Whether Pi has put it on the screen, which it does some time after it was made. */
  wasShown = false;
  /** Nobody needs it any more: its caller has an answer, or Pi has taken it off the screen by itself. */
  isDisposed = false;
  private readonly kit: Kit;
  private readonly place: Place;
  private readonly state: AskState;
  private readonly end: (answers: Answers | undefined) => void;
  private readonly box: Box;
  private readonly line: Line;
  private ticker: Timer | undefined;
  private isTyping = false;
  private hasFocus = false;

  /** `end` is called with the answers, or with undefined when the person cancels or `seconds` are over. */
  constructor(kit: Kit, place: Place, asked: { questions: readonly Question[]; allowCustom: boolean }, end: (answers?: Answers) => void) {
    this.kit = kit;
    this.place = place;
    this.end = end;
    this.state = new AskState(asked.questions, asked.allowCustom);
    this.box = new kit.Container();
    this.line = new kit.Input();
    this.line.onSubmit = (text) => this.took(this.state.typed(text));
    this.draw();
  }

  /** Ends by itself after so many seconds. */
  count(seconds: number): void {
    const countdown = { remainingSeconds: seconds };
    this.countdown = countdown;
    this.ticker = every(1_000, "ask.tick", () => {
      countdown.remainingSeconds -= 1;
      this.draw();
      this.place.screen.requestRender();
      if (countdown.remainingSeconds <= 0) this.end(undefined);
    });
    this.draw();
  }

  // ---- what Pi calls ---------------------------------------------------------------------------------------------------

  get focused(): boolean {
    return this.hasFocus;
  }

  set focused(value: boolean) {
    this.hasFocus = value;
    this.wasShown ||= value;
    this.line.focused = value && this.isTyping;
  }

  render(width: number): string[] {
    return guard("ask.render", () => drawnWithin(this.kit, this.box, width), []);
  }

  handleInput(data: string): void {
    // A dialog that takes no keys would stay for ever.
    const isTaken = guard("ask.key", () => this.key(data) ?? true, false);
    if (!isTaken) this.end(undefined);
  }

  invalidate(): void {
    // The theme may be another one now.
    guard("ask.render", () => this.draw(), undefined);
  }

  dispose(): void {
    this.isDisposed = true;
    this.ticker?.cancel();
  }

  // ---- keys ------------------------------------------------------------------------------------------------------------

  private key(data: string): void {
    const { state, kit } = this;
    const is = (name: string): boolean => this.place.keys.matches(data, name);
    if (this.isTyping) {
      if (is("tui.select.cancel")) this.type(false);
      else this.line.handleInput(data);
      return this.draw();
    }
    if (is("tui.select.cancel")) return this.end(undefined);
    if (is("tui.select.up")) state.move(-1);
    else if (is("tui.select.down")) state.move(1);
    else if (is("tui.select.confirm")) return this.took(state.enter());
    else if (kit.matchesKey(data, "space")) state.toggle();
    else if (kit.matchesKey(data, "shift+tab") || is("tui.editor.cursorLeft")) state.back();
    else if (state.questions.length > 1 && (kit.matchesKey(data, "tab") || is("tui.editor.cursorRight"))) state.next();
    this.draw();
  }

  private took(step: Step): void {
    if (step === "submit") return this.end(this.state.answers());
    this.type(step === "type");
    this.draw();
  }

  private type(on: boolean): void {
    this.isTyping = on;
    this.line.focused = on && this.hasFocus;
    const row = this.state.rows()[this.state.cursor];
    if (on) this.line.setValue(row?.kind === "typed" ? row.text : "");
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------------

  private draw(): void {
    const { box, kit, state, place } = this;
    const border = new kit.DynamicBorder((text) => place.theme.fg("border", text));
    box.clear();
    box.addChild(border);
    this.gap();
    if (state.questions.length > 1) this.text("muted", this.heading());
    const left = this.countdown === undefined ? "" : ` (${this.countdown.remainingSeconds}s)`;
    this.put(place.theme.fg("accent", place.theme.bold(`${shown(state.question?.question ?? "Your answers")}${left}`)));
    this.gap();
    if (state.question === undefined) this.summaries();
    this.rows();
    this.gap();
    this.put(this.hints());
    this.gap();
    box.addChild(border);
  }

  private heading(): string {
    const { page, questions } = this.state;
    return page < questions.length ? `Question ${page + 1} of ${questions.length}` : `${questions.length} questions`;
  }

  private summaries(): void {
    this.state.questions.forEach(({ question }, at) => {
      const answer = quoted(this.state.summary(at), ASK_SUMMARY_CHARS);
      this.text("muted", quoted(question, ASK_SUMMARY_CHARS));
      this.text(answer === "" ? "dim" : "text", `  ${answer === "" ? "skipped" : answer}`);
    });
    this.gap();
  }

  /** As many rows as Pi's selector shows, around the cursor. */
  private rows(): void {
    const rows = this.state.rows();
    const from = Math.max(0, Math.min(this.state.cursor - Math.floor(ASK_ROWS / 2), rows.length - ASK_ROWS));
    rows.slice(from, from + ASK_ROWS).forEach((row, place) => this.row(row, from + place === this.state.cursor));
    if (rows.length > ASK_ROWS) this.text("muted", `  (${this.state.cursor + 1}/${rows.length})`);
  }

  private row(row: Row, isHere: boolean): void {
    const { theme } = this.place;
    const option = row.kind === "option" ? this.state.question?.options[row.at] : undefined;
    const token = isHere ? "accent" : row.kind === "option" ? "text" : "muted";
    const mark = row.kind === "option" && this.state.question?.multiSelect === true ? (row.isChosen ? "[x] " : "[ ] ") : "";
    const start = `${isHere ? "→ " : "  "}${mark}`;
    const beside = (text: string, inner: Component): void => this.box.addChild(hanging(text, theme, token, inner));
    beside(start, this.bare(token, this.label(row, option?.label)));
    if (option?.description !== undefined && option.description !== "") {
      beside(" ".repeat(start.length + 2), this.bare("muted", shown(option.description)));
    }
    if (row.kind === "typed" && isHere && this.isTyping) beside(" ".repeat(start.length), this.line);
  }

  private label(row: Row, option: string | undefined): string {
    switch (row.kind) {
      case "option":
        return `${shown(option ?? "")}${row.isChosen && this.state.question?.multiSelect !== true ? " ✓" : ""}`;
      case "typed":
        return row.text === "" || this.isTyping ? "Type an answer" : `Your answer: ${shown(row.text)}`;
      case "done":
        return `Done (${row.chosen} chosen)`;
      case "skip":
        return "Skip";
      case "submit":
        return row.answered === 0 ? "Submit without an answer" : `Submit (${row.answered} of ${this.state.questions.length} answered)`;
      case "back":
        return "Back";
    }
  }

  private hints(): string {
    const hint = (keys: string, what: string): string => `${this.place.theme.fg("dim", keys)}${this.place.theme.fg("muted", ` ${what}`)}`;
    const key = (name: string): string => this.place.keys.getKeys?.(name).join("/") ?? name.slice(name.lastIndexOf(".") + 1);
    if (this.isTyping) return [hint("enter", "keep"), hint(key("tui.select.cancel"), "back")].join("  ");
    const { question, questions } = this.state;
    const hints = [hint("↑↓", "navigate")];
    if (question?.multiSelect === true) hints.push(hint("space", "choose"));
    hints.push(hint(key("tui.select.confirm"), "select"));
    if (questions.length > 1) hints.push(hint("tab", "next"), hint("shift+tab", "back"));
    return [...hints, hint(key("tui.select.cancel"), "cancel")].join("  ");
  }

  private text(token: string, text: string): void {
    this.put(this.place.theme.fg(token, text));
  }

  private bare(token: string, text: string): Component {
    return new this.kit.Text(this.place.theme.fg(token, text), 0, 0);
  }

  private put(text: string): void {
    this.box.addChild(new this.kit.Text(text, 1, 0));
  }

  private gap(): void {
    this.box.addChild(new this.kit.Spacer(1));
  }
}

/**
 * `inner` with `start` before its first line and as much space before the others, one column from the edge as all text. `start` gives way
 * where no two columns are left for `inner`, which is what a character needs at most.
 */
function hanging(start: string, theme: Theme, token: string, inner: Component): Component {
  const render = (width: number): string[] => {
    const lead = Math.max(0, Math.min(start.length + 1, width - WIDEST));
    const first = lead === 0 ? "" : ` ${theme.fg(token, start.slice(0, lead - 1))}`;
    return inner.render(Math.max(1, width - lead)).map((line, at) => `${at === 0 ? first : " ".repeat(lead)}${line}`);
  };
  return { render, invalidate: () => inner.invalidate() };
}
