import "../../design/tokens.css";
import "../../design/base.css";
import "./gallery.css";
import { render } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Card } from "../Card.tsx";
import type { Answer, DraftFields } from "../contract.ts";
import { NOW, STATES, type State } from "./states.ts";

const parameters = new URLSearchParams(location.search);
const name = parameters.get("state") ?? "";
const state = STATES[name];
if (parameters.has("rtl")) document.documentElement.dir = "rtl";

function Index() {
  return (
    <ul class="gallery-index">
      {Object.keys(STATES).map((each) => (
        <li key={each}>
          <a href={`?state=${each}`}>{each}</a>
        </li>
      ))}
    </ul>
  );
}

const LINES = ["I looked at the tests and at how the session store is used.", "Three places read a row by position; the others go by name.", "Before I go on I need to know one thing."];

/** A card where it will be: at the bottom of a session. What it sends is in `window.sent`; `window.become(name)` makes it another state. */
function Page({ state: first }: { state: State }) {
  const [isThere, dismiss] = useState(true);
  const [state, become] = useState(first);
  const draft = useMemo(() => memory(first.draft ?? {}), [first]);
  Object.assign(window, { become: (name: string) => become(STATES[name] ?? first) });
  const { prompt, phase, verdict, mine = false, detail, readOnly = false, others = 0 } = state;
  return (
    <main class="gallery-page">
      <div class="gallery-lines">
        {[...LINES, ...LINES].map((line, at) => (
          <p key={at}>{line}</p>
        ))}
      </div>
      <div class="gallery-dock">
        {isThere && (
          <Card
            prompt={prompt}
            session={{ sessionId: prompt.sessionId, name: "garden", cwd: "/home/ada/garden", status: { state: "waiting", since: NOW } }}
            machine="laptop"
            phase={phase}
            {...(verdict !== undefined && { verdict })}
            mine={mine}
            {...(detail !== undefined && { detail })}
            now={() => NOW}
            position={{ index: 0, count: phase === "settled" || phase === "lost_race" ? others : others + 1 }}
            readOnly={readOnly}
            shortcuts={!parameters.has("noshortcuts")}
            answer={(answer) => sent.push(answer)}
            dismiss={() => dismiss(false)}
            draft={draft}
            loadOptions={(offset) => Promise.resolve({ offset, options: Array.from({ length: 200 }, (_, at) => `option ${offset + at + 1}`), optionCount: 10_000 })}
            loadPrefill={() => (state.text === undefined ? new Promise<string>(() => {}) : state.text instanceof Error ? Promise.reject(state.text) : Promise.resolve(state.text))}
          />
        )}
      </div>
    </main>
  );
}

const sent: Answer[] = [];
Object.assign(window, { sent });

function memory(first: DraftFields) {
  let kept = first;
  return { read: () => kept, save: (fields: DraftFields) => void (kept = fields), clear: () => void (kept = {}) };
}

const place = document.getElementById("app");
if (place !== null) render(state === undefined ? <Index /> : <Page state={state} />, place);
