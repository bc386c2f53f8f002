// Pi's objects as the extension reads them: nothing is assumed to be there. What both generations have is in docs/bridge.md.

export type Unknown = Readonly<Record<PropertyKey, unknown>>;

/** A property, or undefined where there is no object. A getter may throw. */
export function field(value: unknown, name: PropertyKey): unknown {
  return isObject(value) ? (value as Unknown)[name] : undefined;
}

/** What the method returns, or undefined where there is none. The method may throw. */
export function call(value: unknown, name: PropertyKey, ...args: unknown[]): unknown {
  const method = field(value, name);
  return typeof method === "function" ? Reflect.apply(method, value, args) : undefined;
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

export function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

/** Which of Pi's sessions a context belongs to. */
export function sessionId(ctx: unknown): string | undefined {
  return textOr(call(field(ctx, "sessionManager"), "getSessionId"), undefined);
}

/** Whether `ctx` belongs to the session that the terminal shows; undefined when the terminal does not tell. */
export function showsSession(interactive: object, ctx: unknown): boolean | undefined {
  // `.session` is a getter and another object after /new, /resume and /fork.
  const shown = field(field(interactive, "session"), "sessionManager");
  if (!isObject(shown)) return undefined;
  if (shown === field(ctx, "sessionManager")) return true;
  const id = call(shown, "getSessionId");
  return id !== undefined && id === sessionId(ctx);
}

/** "stack": a dialog covers the one before it, which comes back. "slot": it takes its place for good. */
export type Keeping = "stack" | "slot";

export function keeping(interactiveOrPrototype: unknown): Keeping | undefined {
  if (typeof field(interactiveOrPrototype, "pushExtensionDialog") === "function") return "stack";
  if (typeof field(interactiveOrPrototype, "hideExtensionSelector") === "function") return "slot";
  return undefined;
}

/** The components that Pi holds as dialogs now. */
export function dialogs(interactive: object): readonly unknown[] {
  const stack = field(interactive, "extensionDialogs");
  if (Array.isArray(stack)) return stack.map((entry) => field(entry, "component"));
  return [field(interactive, "extensionSelector"), field(interactive, "extensionInput"), field(interactive, "extensionEditor")];
}

/** Whether `component` is what the person sees in the place of the editor; undefined when Pi does not tell. */
export function isVisible(interactive: object, component: object): boolean | undefined {
  const children = field(field(interactive, "editorContainer"), "children");
  return Array.isArray(children) ? children.includes(component) : undefined;
}

/** Whether Pi must not take the dialog away: where it has one place for dialogs, it would clear that place whoever is in it. */
export function isCovered(interactive: object | undefined, component: object): boolean {
  return interactive !== undefined && keeping(interactive) === "slot" && isVisible(interactive, component) === false;
}

/** Whether the dialog's own countdown ran out; undefined when it has none that we know. */
export function ranOut(component: object): boolean | undefined {
  const left = field(field(component, "countdown"), "remainingSeconds");
  return typeof left === "number" ? left <= 0 : undefined;
}
