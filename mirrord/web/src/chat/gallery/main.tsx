import "../../design/tokens.css";
import "../../design/base.css";
import "../../ui/shell.css";
import "../../ui/parts.css";
import "./gallery.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ChevronLeft } from "lucide";
import { Icon } from "../../design/Icon.tsx";
import { keep, NEW_MEMORY, type Memory } from "../../core/memory.ts";
import { showHidden } from "../../edge/preferences.ts";
import { Surroundings } from "../../surfaces/around.ts";
import { WorkingRow } from "../../surfaces/WorkingRow.tsx";
import type { Conversation, ConversationActions } from "../contract.ts";
import { Timeline } from "../timeline/Timeline.tsx";
import { NOW, STATES, type State } from "./states.ts";

const parameters = new URLSearchParams(location.search);
const name = parameters.get("state") ?? "";
const theme = parameters.get("theme");
if (theme !== null) document.documentElement.dataset["theme"] = theme;
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

const memory = signal<Memory>(NEW_MEMORY);
const now = signal(NOW);
/** How often `loadOlder` was called, and whether the end is read. */
const calls = { older: 0, isAtEnd: false };
Object.assign(window, { calls });

/** A timeline where it will be. `window.become(change)` makes the conversation another one. */
function Page({ state }: { state: State }) {
  const [conversation, become] = useState<Conversation>(state.conversation);
  useEffect(() => {
    showHidden.value = state.hidden === true;
    Object.assign(window, { become: (change: (before: Conversation) => Conversation) => become(change), states: STATES });
    return state.play?.(become);
  }, [state]);
  const actions: Partial<ConversationActions> = {
    loadOlder: () => {
      calls.older += 1;
      state.older?.(become);
    },
    readsEnd: (isAtEnd) => void (calls.isAtEnd = isAtEnd),
  };
  const around = { memory: memory.value, keep: (key: string, value: string | undefined) => void (memory.value = keep(memory.peek(), key, value)), sessionHref: () => "#", openSession: () => false };
  return (
    <Surroundings.Provider value={around}>
      <div class="gallery-shell">
        <main class="pane">
          <header class="bar">
            <a class="button button-icon back" href="?">
              <Icon node={ChevronLeft} label="All states" />
            </a>
            <div class="bar-middle">
              <h1 class="bar-title">Session store by name</h1>
              <p class="bar-facts">
                <span>{name}</span>
                <span class="clipped">laptop</span>
              </p>
            </div>
          </header>
          <div class="page">
            <Timeline conversation={conversation} actions={actions as ConversationActions} sessionId="4242-1234567" now={now}>
              {conversation.streaming && <WorkingRow row={{}} />}
            </Timeline>
          </div>
          <div class="gallery-dock">
            <p>Message Pi on laptop</p>
          </div>
        </main>
      </div>
    </Surroundings.Provider>
  );
}

const place = document.getElementById("app");
const state = STATES[name];
if (place !== null) render(state === undefined ? <Index /> : <Page state={state} />, place);
