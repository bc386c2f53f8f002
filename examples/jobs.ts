// A Pi extension whose widget describes itself: Pi draws `render`, and who looks from afar gets `renderNative`.
//
//   pi --extension examples/jobs.ts     in plain Pi it is an ordinary widget; nothing here needs mirrord
//   /jobs                               three jobs that pretend to run; `/jobs clear` takes the widget away
//
// It imports nothing: the types below are the parts of Pi that it uses, so that it runs in every Pi whatever its package is called.

interface Theme {
  fg(color: "accent" | "success" | "error" | "muted", text: string): string;
}

interface Tui {
  requestRender(): void;
}

interface Component {
  render(width: number): string[];
  invalidate(): void;
  dispose?(): void;
}

interface UI {
  setWidget(key: string, content: ((tui: Tui, theme: Theme) => Component) | undefined): void;
  setStatus(key: string, text: string | undefined): void;
  notify(message: string, type?: "info" | "warning" | "error"): void;
}

interface Pi {
  registerCommand(name: string, command: { description: string; handler(args: string, ctx: { ui: UI }): Promise<void> }): void;
  on(event: "session_shutdown", handler: () => void): void;
}

// What `renderNative` may give; docs/extension-authors.md has all of it.

type State = "queued" | "running" | "success";

interface Row {
  id: string;
  title: string;
  detail?: string;
  state: State;
  progress?: number;
}

type Block =
  | { type: "activityList"; id: string; rows: Row[] }
  | { type: "progress"; id: string; label: string; value: number }
  | { type: "text"; spans: { text: string; role?: "muted"; link?: string }[] };

interface NativeSurface {
  version: 1;
  id: string;
  source: "widget";
  presentation: { style: "surfacePanel"; title: string; subtitle: string };
  blocks: Block[];
  fallback: { lines: string[] };
}

const KEY = "jobs";
const NAMES = ["Lint", "Test", "Package"] as const;
const STEPS = 5;
const STEP_MS = 250;
const MANUAL = "https://example.org/jobs";

class Jobs implements Component {
  private readonly tui: Tui;
  private readonly theme: Theme;
  private readonly changed: (jobs: Jobs) => void;
  private readonly timer: NodeJS.Timeout;
  /** Steps of all jobs that are over; one job runs after the other. */
  private steps = 0;

  constructor(tui: Tui, theme: Theme, changed: (jobs: Jobs) => void) {
    this.tui = tui;
    this.theme = theme;
    this.changed = changed;
    this.timer = setInterval(() => this.step(), STEP_MS);
  }

  get summary(): string {
    return `${Math.floor(this.steps / STEPS)} of ${NAMES.length} done`;
  }

  /** The one that runs now; undefined when all are over. */
  get running(): string | undefined {
    return NAMES[Math.floor(this.steps / STEPS)];
  }

  /** For the terminal. A line that is wider than `width` ends Pi, so each is cut before it is coloured. */
  render(width: number): string[] {
    const colours = { queued: "muted", running: "accent", success: "success" } as const;
    const lines = this.rows().map((row) => this.theme.fg(colours[row.state], line(row).slice(0, width)));
    return [`Jobs: ${this.summary}`.slice(0, width), ...lines];
  }

  /** For whoever looks from afar: the same, as meaning. It is called after a frame that this component is part of. */
  renderNative(): NativeSurface {
    return {
      version: 1,
      id: `widget:${KEY}`,
      source: "widget",
      presentation: { style: "surfacePanel", title: "Jobs", subtitle: this.summary },
      blocks: [
        { type: "activityList", id: "rows", rows: this.rows() },
        { type: "progress", id: "all", label: "All of them", value: this.steps / (NAMES.length * STEPS) },
        { type: "text", spans: [{ text: "They pretend. ", role: "muted" }, { text: "What jobs are", link: MANUAL }] },
      ],
      // For a client that knows no blocks.
      fallback: { lines: this.rows().map(line) },
    };
  }

  invalidate(): void {
    // Nothing is kept between two frames.
  }

  /** Pi calls it when the widget is replaced or cleared. */
  dispose(): void {
    clearInterval(this.timer);
  }

  private rows(): Row[] {
    return NAMES.map((title, place) => {
      const steps = Math.min(Math.max(this.steps - place * STEPS, 0), STEPS);
      const id = title.toLowerCase();
      if (steps === STEPS) return { id, title, state: "success" };
      if (this.steps < place * STEPS) return { id, title, state: "queued" };
      return { id, title, detail: `step ${steps + 1} of ${STEPS}`, state: "running", progress: steps / STEPS };
    });
  }

  private step(): void {
    this.steps += 1;
    if (this.running === undefined) this.dispose();
    this.changed(this);
    this.tui.requestRender();
  }
}

function line(row: Row): string {
  const marks = { queued: "○", running: "●", success: "✓" };
  return `${marks[row.state]} ${row.title}${row.detail === undefined ? "" : ` (${row.detail})`}`;
}

export default function jobs(pi: Pi): void {
  let shown: Jobs | undefined;
  pi.registerCommand("jobs", {
    description: "show three jobs that pretend to run; `clear` takes them away",
    handler: async (args, { ui }) => {
      const clears = args.trim() === "clear";
      // A status of the same key belongs to the widget.
      ui.setStatus(KEY, clears ? undefined : NAMES[0]);
      if (clears) return ui.setWidget(KEY, undefined);
      ui.setWidget(KEY, (tui, theme) => {
        const changed = ({ running }: Jobs): void => {
          ui.setStatus(KEY, running ?? "finished");
          if (running === undefined) ui.notify("All jobs are done.", "info");
        };
        shown = new Jobs(tui, theme, changed);
        return shown;
      });
    },
  });
  // A timer that outlives its session would speak to a `ui` that is gone.
  pi.on("session_shutdown", () => shown?.dispose());
}
