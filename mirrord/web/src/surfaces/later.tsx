// What of surfaces is drawn by a file of its own: most visits open none of it, and a first visit transfers less.

import { lazily } from "./lazily.tsx";
import type { BodyProps } from "./Body.tsx";
import type { DrawerProps } from "./Drawer.tsx";
import type { HandoffProps } from "./HandoffCard.tsx";
import type { PanelProps } from "./Panel.tsx";

const parts = () => import("./parts.ts");

/** Everything that a surface shows; until it can be drawn, its bare lines. */
export const { Component: SurfaceBody } = lazily<BodyProps>(
  () => parts().then(({ Body }) => Body),
  ({ drawn: { widgetLines = [] } }) => <pre class="mono foreign long">{widgetLines.join("\n")}</pre>,
);

export const { Component: Drawer, fetch: fetchDrawer } = lazily<DrawerProps>(
  () => parts().then((all) => all.Drawer),
  Missing,
);

export const { Component: HandoffCard } = lazily<HandoffProps>(
  () => parts().then((all) => all.HandoffCard),
  Missing,
);

export const { Component: Panel } = lazily<PanelProps>(
  () => parts().then((all) => all.Panel),
  Missing,
);

function Missing({ hasFailed }: { readonly hasFailed: boolean }) {
  return hasFailed ? <p class="secondary">A part of this page could not be loaded. Reload the page.</p> : null;
}
