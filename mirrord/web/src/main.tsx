import "./design/tokens.css";
import "./design/base.css";
import "./ui/shell.css";
import "./ui/parts.css";
import "./ui/pairing.css";

import { render } from "preact";

import { begin } from "./edge/app.ts";
import { followAppearance } from "./edge/appearance.ts";
import { followTabs } from "./edge/composing.ts";
import { followInstall } from "./edge/install.ts";
import { keepKnown } from "./edge/known.ts";
import { followForgetting } from "./edge/leaving.ts";
import { followAttention } from "./edge/notifications.ts";
import { keepOffline } from "./edge/offline.ts";
import { followPush } from "./edge/push.ts";
import { followAddress } from "./edge/route.ts";
import { sweepSessions } from "./edge/sweeping.ts";
import { followViewport } from "./edge/viewport.ts";
import { App } from "./ui/App.tsx";

const place = document.getElementById("app");
if (place !== null) {
    // First of all: a pairing link's code leaves the address bar.
    const named = followAddress();
    followInstall();
    followAppearance();
    followViewport();
    followTabs();
    followForgetting();
    render(<App />, place);
    void begin(named);
    followAttention();
    followPush();
    keepKnown();
    sweepSessions();
    keepOffline();
}
