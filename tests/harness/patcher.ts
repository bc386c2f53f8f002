// A test extension that puts functions of its own in the place of those of ctx.ui that set or draw something, as some extensions do.
// Each hands on what it is given: with a component, another around it.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

const NAMES = ["setStatus", "setWidget", "setFooter", "setTitle", "notify", "custom"] as const;

type Any = (...args: any[]) => any;

export default function patcher(pi: ExtensionAPI): void {
  pi.on("session_start", (_event, { ui }) => {
    for (const name of NAMES) {
      const original = ui[name] as Any;
      Object.assign(ui, { [name]: (...args: unknown[]) => original.apply(ui, args.map(around)) });
    }
  });
}

function around(value: unknown): unknown {
  if (typeof value !== "function") return value;
  return (...args: unknown[]) => {
    const made: unknown = (value as Any)(...args);
    return made instanceof Promise ? made.then(copied) : copied(made);
  };
}

/** A component that draws what another does. */
function copied(made: any): object {
  return {
    render: (width: number) => made.render(width),
    invalidate: () => made.invalidate(),
    handleInput: (data: string) => made.handleInput?.(data),
    dispose: () => made.dispose?.(),
  };
}
