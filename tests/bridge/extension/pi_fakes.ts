// Pi's terminal as far as dialogs go, in its two forms, and an extension's view of it. The real Pi is tested in tests/e2e/.

type Options = { signal?: AbortSignal; timeout?: number } | undefined;

/** A dialog on the fake screen. */
export class Component {
  selectedIndex = 0;
  countdown: { remainingSeconds: number } | undefined;
  disposed = false;
  finish: (value: string | undefined) => void = () => {};
  readonly title: string;
  readonly options: readonly string[];

  constructor(title: string, options: readonly string[], timeout: number | undefined) {
    this.title = title;
    this.options = options;
    if (timeout !== undefined && timeout > 0) this.countdown = { remainingSeconds: Math.ceil(timeout / 1000) };
  }

  /** Enter on the option at `index`. */
  choose(index: number): void {
    this.selectedIndex = index;
    this.finish(this.options[index]);
  }

  expire(): void {
    if (this.countdown !== undefined) this.countdown.remainingSeconds = 0;
    this.finish(undefined);
  }

  dispose(): void {
    this.disposed = true;
  }
}

export interface Ui {
  select(title: string, options: readonly string[], opts?: Options): Promise<string | undefined>;
  confirm(title: string, message: string, opts?: Options): Promise<boolean>;
  input(title: string, placeholder?: string, opts?: Options): Promise<string | undefined>;
  notify(message: string, type?: string): void;
  setStatus(key: string, text: string | undefined): void;
  setTitle(title: string): void;
  custom(): string;
}

/** What both forms have in common. */
abstract class Interactive {
  session: unknown;
  readonly shown: string[] = [];
  readonly editorContainer: { children: unknown[] } = { children: ["editor"] };

  createExtensionUIContext(): Ui {
    return {
      select: (title, options, opts) => this.showExtensionSelector(title, options, opts),
      confirm: (title, message, opts) => this.showExtensionConfirm(title, message, opts),
      input: (title, placeholder, opts) => this.showExtensionInput(title, placeholder, opts),
      notify: (message) => void this.shown.push(`notify ${message}`),
      setStatus: (key, text) => void this.shown.push(`status ${key} ${text ?? ""}`),
      setTitle: (title) => void this.shown.push(`title ${title}`),
      custom: () => "custom",
    };
  }

  showExtensionSelector(title: string, options: readonly string[], opts: Options): Promise<string | undefined> {
    return this.show(new Component(title, options, opts?.timeout), opts, "extensionSelector");
  }

  async showExtensionConfirm(title: string, message: string, opts: Options): Promise<boolean> {
    return (await this.showExtensionSelector(`${title}\n${message}`, ["Yes", "No"], opts)) === "Yes";
  }

  showExtensionInput(title: string, _placeholder: string | undefined, opts: Options): Promise<string | undefined> {
    return this.show(new Component(title, [], opts?.timeout), opts, "extensionInput");
  }

  showStatus(): void {}

  /** What the person sees in the place of the editor. */
  get visible(): Component | undefined {
    const [child] = this.editorContainer.children;
    return child instanceof Component ? child : undefined;
  }

  protected abstract open(component: Component, place: string): void;
  protected abstract close(component: Component, place: string): void;

  private show(component: Component, opts: Options, place: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (opts?.signal?.aborted === true) return resolve(undefined);
      component.finish = (value) => {
        component.dispose();
        this.close(component, place);
        resolve(value);
      };
      opts?.signal?.addEventListener("abort", () => component.finish(undefined), { once: true });
      this.open(component, place);
    });
  }
}

/** The newer form: dialogs lie on each other. */
export class StackMode extends Interactive {
  extensionDialogs: { component: Component }[] = [];

  pushExtensionDialog(component: Component): void {
    this.extensionDialogs.push({ component });
    this.editorContainer.children = [component];
  }

  protected override open(component: Component): void {
    this.pushExtensionDialog(component);
  }

  protected override close(component: Component): void {
    this.extensionDialogs = this.extensionDialogs.filter((dialog) => dialog.component !== component);
    this.editorContainer.children = [this.extensionDialogs.at(-1)?.component ?? "editor"];
  }
}

/** The older form: one place, which closing any dialog clears. */
export class SlotMode extends Interactive {
  extensionSelector: Component | undefined;
  extensionInput: Component | undefined;

  hideExtensionSelector(): void {
    this.editorContainer.children = ["editor"];
  }

  protected override open(component: Component, place: "extensionSelector" | "extensionInput"): void {
    this[place] = component;
    this.editorContainer.children = [component];
  }

  protected override close(_component: Component, place: "extensionSelector" | "extensionInput"): void {
    this[place] = undefined;
    this.hideExtensionSelector();
  }
}

/** Where promises that are settled have had their say. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
