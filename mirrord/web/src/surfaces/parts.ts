// The file that `later.tsx` asks for.

import "./drawers.css";
import "./surfaces.css";

export { Body } from "./Body.tsx";
export { Drawer } from "./Drawer.tsx";
export { HandoffCard } from "./HandoffCard.tsx";
export { Panel } from "./Panel.tsx";
