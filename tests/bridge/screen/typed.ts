// An extension for the recordings of fixtures/screen: /s-custom opens a custom() dialog that shows what is typed, or with `overlay` one
// that lies over the rest.
type Done = (value?: unknown) => void;
type Factory = (tui: { requestRender(): void }, theme: unknown, keys: unknown, done: Done) => unknown;

interface Ui {
  custom(factory: Factory, options?: object): Promise<unknown>;
}

interface Pi {
  registerCommand(name: string, command: { description: string; handler: (args: string, ctx: { ui: Ui }) => Promise<void> }): void;
}

export default function (pi: Pi): void {
  pi.registerCommand("s-custom", {
    description: "a dialog that is typed into",
    handler: async (args, { ui }) => {
      await ui.custom(
        (tui, _theme, _keys, done) => {
          let typed = "";
          return {
            render: (width: number) => ["A form", "", `Name: ${typed}`.slice(0, width), "", "enter sends it"],
            invalidate: () => {},
            handleInput: (data: string) => {
              if (data === "\r" || data === "\x1b") return done();
              typed += data;
              tui.requestRender();
            },
          };
        },
        { overlay: args === "overlay" },
      );
    },
  });
}
