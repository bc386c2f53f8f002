// What a person has done in an ask so far, without the screen: which question they are at and what they chose.

import type { Answers, Question } from "./protocol.ts";
import { takesTyped } from "./questions.ts";

/** A line that the cursor can be on. */
export type Row =
  | { readonly kind: "option"; readonly at: number; readonly isChosen: boolean }
  | { readonly kind: "typed"; readonly text: string }
  | { readonly kind: "done"; readonly chosen: number }
  | { readonly kind: "skip" }
  | { readonly kind: "submit"; readonly answered: number }
  | { readonly kind: "back" };

/** What Enter leads to. */
export type Step = "stay" | "type" | "submit";

interface Chosen {
  readonly options: Set<number>;
  typed: string;
}

export class AskState {
  readonly questions: readonly Question[];
  /** Which question; `questions.length` is the page that shows all answers. */
  page = 0;
  cursor = 0;
  private readonly allowCustom: boolean;
  private readonly chosen: readonly Chosen[];

  constructor(questions: readonly Question[], allowCustom: boolean) {
    this.questions = questions;
    this.allowCustom = allowCustom;
    this.chosen = questions.map(() => ({ options: new Set(), typed: "" }));
  }

  /** The question that is shown; undefined on the page with all answers. */
  get question(): Question | undefined {
    return this.questions[this.page];
  }

  rows(): Row[] {
    const { question } = this;
    const chosen = this.chosen[this.page];
    if (question === undefined || chosen === undefined) {
      return [{ kind: "submit", answered: Object.keys(this.answers()).length }, { kind: "back" }];
    }
    const rows: Row[] = question.options.map((_, at) => ({ kind: "option", at, isChosen: chosen.options.has(at) }));
    if (takesTyped(question, this.allowCustom)) rows.push({ kind: "typed", text: chosen.typed });
    if (question.multiSelect === true) rows.push({ kind: "done", chosen: chosen.options.size + (chosen.typed === "" ? 0 : 1) });
    rows.push({ kind: "skip" });
    return rows;
  }

  /** Moves the cursor, round both ends. */
  move(by: number): void {
    const { length } = this.rows();
    this.cursor = (this.cursor + by + length) % length;
  }

  /** Enter on the row under the cursor. */
  enter(): Step {
    const row = this.rows()[this.cursor];
    switch (row?.kind) {
      case "option":
        return this.choose(row.at);
      case "typed":
        return "type";
      case "done":
        return this.next();
      case "skip":
        return this.skip();
      case "submit":
        return "submit";
      case "back":
        this.back();
        return "stay";
      case undefined:
        return "stay";
    }
  }

  /** The space bar: as Enter on an option of which several may be chosen, else nothing. */
  toggle(): void {
    const row = this.rows()[this.cursor];
    if (row?.kind === "option" && this.question?.multiSelect === true) this.choose(row.at);
  }

  /** An answer was typed; a blank one takes back what was typed before. */
  typed(text: string): Step {
    const chosen = this.chosen[this.page];
    if (chosen === undefined) return "stay";
    chosen.typed = text.trim() === "" ? "" : text;
    if (this.question?.multiSelect === true) {
      this.move(1);
      return "stay";
    }
    if (chosen.typed === "") return "stay";
    chosen.options.clear();
    return this.next();
  }

  /** To the next question, or to the answers after the last; a single question is done then. */
  next(): Step {
    if (this.questions.length === 1) return "submit";
    this.show(Math.min(this.page + 1, this.questions.length));
    return "stay";
  }

  back(): void {
    this.show(Math.max(this.page - 1, 0));
  }

  /** Question id → value, or values where several may be chosen. What was skipped is not in it. */
  answers(): Answers {
    const answers: Record<string, string | string[]> = {};
    this.questions.forEach((question, at) => {
      const values = this.values(at);
      const value = question.multiSelect === true ? values : values[0];
      if (values.length > 0) Object.defineProperty(answers, question.id, { value, enumerable: true, writable: true, configurable: true });
    });
    return answers;
  }

  /** What stands for the answer to question `at` on the page with all answers. */
  summary(at: number): string {
    const { options } = this.questions[at] ?? { options: [] };
    const chosen = this.chosen[at];
    const texts = options.filter((_, place) => chosen?.options.has(place)).map(({ label }) => label);
    return [...texts, ...(chosen === undefined || chosen.typed === "" ? [] : [chosen.typed])].join(", ");
  }

  private choose(at: number): Step {
    const chosen = this.chosen[this.page];
    if (chosen === undefined) return "stay";
    if (this.question?.multiSelect === true) {
      if (!chosen.options.delete(at)) chosen.options.add(at);
      return "stay";
    }
    chosen.options.clear();
    chosen.options.add(at);
    chosen.typed = "";
    return this.next();
  }

  private skip(): Step {
    const chosen = this.chosen[this.page];
    chosen?.options.clear();
    if (chosen !== undefined) chosen.typed = "";
    return this.next();
  }

  private values(at: number): string[] {
    const { options } = this.questions[at] ?? { options: [] };
    const chosen = this.chosen[at];
    const values = options.filter((_, place) => chosen?.options.has(place)).map(({ value }) => value);
    return chosen === undefined || chosen.typed === "" ? values : [...new Set([...values, chosen.typed])];
  }

  private show(page: number): void {
    this.page = page;
    // Back at a question, the cursor is on what was chosen.
    this.cursor = Math.max(0, this.rows().findIndex((row) => row.kind === "option" && row.isChosen));
  }
}
