// A test extension that shows the same whenever a session starts, as extensions do that have something to say all the time.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

import { component } from "./drawing.ts";

export default function always(pi: ExtensionAPI): void {
  pi.on("session_start", (_event, { hasUI, ui }) => {
    if (!hasUI) return;
    ui.setWidget("always", ["always", "here"]);
    ui.setWidget("always drawn", (tui, theme) => component(tui, theme, { lines: ["{accent}always{/} drawn"] }), { placement: "belowEditor" });
    ui.setStatus("always", "always on");
    ui.setTitle("always the same");
    ui.setHeader((tui, theme) => component(tui, theme, { lines: ["always above"] }));
    ui.setHiddenThinkingLabel("always thinking");
    ui.setWorkingMessage("always working");
  });
}
