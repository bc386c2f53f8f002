import "./design/tokens.css";
import "./design/base.css";
import "./ui/shell.css";
import "./ui/parts.css";
import "./ui/pairing.css";

import { render } from "preact";

import { begin } from "./edge/app.ts";
import { keepOffline } from "./edge/offline.ts";
import { followAddress } from "./edge/route.ts";
import { followViewport } from "./edge/viewport.ts";
import { App } from "./ui/App.tsx";

const place = document.getElementById("app");
if (place !== null) {
    // First of all: a pairing link's code leaves the address bar.
    const named = followAddress();
    followViewport();
    render(<App />, place);
    void begin(named);
    keepOffline();
}
