// Pi's terminal as far as dialogs go, in its two forms, and an extension's view of it. The real Pi is tested in tests/e2e/.

type Options = { signal?: AbortSignal; timeout?: number } | undefined;

/** A dialog on the fake screen. */
export class Component {
  selectedIndex = 0;
  countdown: { remainingSeconds: number } | undefined;
  disposed = false;
  /** What an extension made, of a custom dialog. */
  inner: object | undefined;
  onCancelCallback: (() => void) | undefined;
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
  editor(title: string, prefill?: string): Promise<string | undefined>;
  custom(factory?: Factory, options?: object): Promise<unknown>;
  setWidget(key: string, content: readonly string[] | ComponentFactory | undefined, options?: { placement?: string }): void;
  setHeader(factory: ComponentFactory | undefined): void;
  setFooter(factory: ComponentFactory | undefined): void;
  setWorkingMessage(message?: string): void;
  setWorkingVisible(visible: boolean): void;
  setWorkingIndicator(options?: { frames?: string[]; intervalMs?: number }): void;
  setHiddenThinkingLabel(label?: string): void;
  setToolsExpanded(expanded: boolean): void;
  getToolsExpanded(): boolean;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
  setTheme(name: string): { success: boolean };
  readonly theme: typeof THEME;
  onTerminalInput(listener: KeyListener): () => void;
}

export type KeyListener = (data: string) => { consume?: boolean } | undefined;

/** As extensions write them: what it is given, and a way to end. */
export type Factory = (screen: unknown, theme: unknown, keys: unknown, done: (value: unknown) => void) => object;

export type ComponentFactory = (screen: unknown, theme: unknown, more?: unknown) => object;

/** What is drawn in a place of Pi's screen. */
interface Drawable {
  render(width: number): unknown;
  dispose?(): void;
}

export const THEME = { fg: (_token: string, text: string): string => text, bold: (text: string): string => text };

/** Pi's default keys, as the tests send them. */
const NAMES: Record<string, string> = {
  "\u001b[A": "tui.select.up",
  "\u001b[B": "tui.select.down",
  "\u001b[C": "tui.editor.cursorRight",
  "\u001b[D": "tui.editor.cursorLeft",
  "\r": "tui.select.confirm",
  "\u001b": "tui.select.cancel",
};
export const KEYS = {
  matches: (data: string, name: string): boolean => NAMES[data] === name,
  getKeys: (name: string): string[] => (name === "tui.select.cancel" ? ["escape", "ctrl+c"] : ["enter"]),
};

/** What both forms have in common. */
abstract class Interactive {
  session: unknown;
  readonly shown: string[] = [];
  readonly listeners = new Set<KeyListener>();
  private readonly customs: Component[] = [];
  readonly widgets = new Map<string, Drawable>();
  readonly regions = new Map<string, Drawable>();
  isExpanded = false;
  /** Pi that starts has no header yet. */
  hasHeader = true;
  readonly screen = { requestRender: (): void => {} };
  readonly editorContainer: { children: unknown[] } = { children: ["editor"] };

  createExtensionUIContext(): Ui {
    return {
      select: (title, options, opts) => this.showExtensionSelector(title, options, opts),
      confirm: (title, message, opts) => this.showExtensionConfirm(title, message, opts),
      input: (title, placeholder, opts) => this.showExtensionInput(title, placeholder, opts),
      notify: (message) => void this.shown.push(`notify ${message}`),
      setStatus: (key, text) => void this.shown.push(`status ${key} ${text ?? ""}`),
      setTitle: (title) => void this.shown.push(`title ${title}`),
      editor: (title, prefill) => this.showExtensionEditor(title, prefill),
      custom: (factory) => this.showExtensionCustom(factory),
      setWidget: (key, content) => this.setWidget(key, content),
      setHeader: (factory) => (this.hasHeader ? this.setRegion("header", factory) : undefined),
      setFooter: (factory) => this.setRegion("footer", factory),
      setWorkingMessage: () => {},
      setWorkingVisible: () => {},
      setWorkingIndicator: () => {},
      setHiddenThinkingLabel: () => {},
      setToolsExpanded: (expanded) => void (this.isExpanded = expanded),
      getToolsExpanded: () => this.isExpanded,
      setEditorText: (text) => void this.shown.push(`text ${text}`),
      pasteToEditor: (text) => void this.shown.push(`paste ${text}`),
      setTheme: () => ({ success: true }),
      theme: THEME,
      onTerminalInput: (listener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
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

  /** No signal: only what the person does ends it, or what Esc calls. */
  showExtensionEditor(title: string, prefill: string | undefined): Promise<string | undefined> {
    const component = new Component(title, [prefill ?? ""], undefined);
    component.onCancelCallback = () => component.finish(undefined);
    return this.show(component, undefined, "extensionEditor");
  }

  showExtensionCustom(factory: Factory | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const component = new Component("custom", [], undefined);
      const done = (value: unknown): void => {
        this.close(component, "custom");
        resolve(value);
      };
      try {
        component.inner = factory?.(this.screen, THEME, KEYS, done);
        this.customs.push(component);
        this.open(component, "custom");
        if (component.inner !== undefined && "focused" in component.inner) component.inner.focused = true;
      } catch (error) {
        reject(error);
      }
    });
  }

  /** A frame: everything that extensions put on the screen is drawn, and what each returned is returned. */
  draw(width: number): unknown[] {
    const custom = this.customs.at(-1)?.inner as Drawable | undefined;
    const all = [...this.widgets.values(), ...this.regions.values(), ...(custom === undefined ? [] : [custom])];
    return all.map((component) => component.render(width));
  }

  private setWidget(key: string, content: readonly string[] | ComponentFactory | undefined): void {
    this.widgets.get(key)?.dispose?.();
    this.widgets.delete(key);
    if (content === undefined) return;
    if (typeof content !== "function") this.widgets.set(key, { render: () => [...content] });
    else this.widgets.set(key, content(this.screen, THEME) as Drawable);
  }

  private setRegion(name: string, factory: ComponentFactory | undefined): void {
    this.regions.get(name)?.dispose?.();
    this.regions.delete(name);
    if (factory !== undefined) this.regions.set(name, factory(this.screen, THEME, {}) as Drawable);
  }

  /** Somebody presses a key; whether anything but a listener got it. */
  press(data: string): boolean {
    for (const listener of this.listeners) if (listener(data)?.consume === true) return false;
    return true;
  }

  showStatus(): void {}

  /** What the person sees in the place of the editor. */
  get visible(): Component | undefined {
    const [child] = this.editorContainer.children;
    return child instanceof Component ? child : this.customs.find(({ inner }) => inner !== undefined && inner === child);
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
    this.editorContainer.children = [component.inner ?? component];
  }

  protected override open(component: Component): void {
    this.pushExtensionDialog(component);
  }

  protected override close(component: Component): void {
    this.extensionDialogs = this.extensionDialogs.filter((dialog) => dialog.component !== component);
    const top = this.extensionDialogs.at(-1)?.component;
    this.editorContainer.children = [top?.inner ?? top ?? "editor"];
  }
}

type Place = "extensionSelector" | "extensionInput" | "extensionEditor";

/** The older form: one place, which closing any dialog clears. */
export class SlotMode extends Interactive {
  extensionSelector: Component | undefined;
  extensionInput: Component | undefined;
  extensionEditor: Component | undefined;

  hideExtensionSelector(): void {
    this.editorContainer.children = ["editor"];
  }

  protected override open(component: Component, place: Place | "custom"): void {
    if (place !== "custom") this[place] = component;
    this.editorContainer.children = [component.inner ?? component];
  }

  protected override close(_component: Component, place: Place | "custom"): void {
    if (place !== "custom") this[place] = undefined;
    this.hideExtensionSelector();
  }
}

/** A context as Pi gives it: a session, perhaps with a terminal. */
export interface Ctx {
  ui: Ui;
  hasUI: boolean;
  mode: string | undefined;
  cwd: string;
  sessionManager: { getSessionId(): string; getSessionName(): string | undefined; getSessionFile(): string };
  isIdle(): boolean;
}

/** The context of a session that has a terminal, in the newer form. */
export function sessionContext(pi: StackMode, id: string, name: () => string | undefined): Ctx {
  const sessionManager = { getSessionId: () => id, getSessionName: name, getSessionFile: () => `/s/${id}` };
  return { ui: pi.createExtensionUIContext(), hasUI: true, mode: "tui", cwd: "/work", sessionManager, isIdle: () => true };
}

/** Where promises that are settled have had their say. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
