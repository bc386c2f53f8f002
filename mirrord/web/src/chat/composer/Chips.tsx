import { ChevronDown, ChevronsUpDown, Sparkles } from "lucide";
import { useState } from "preact/hooks";

import { DELIVERIES, isWorking, type Delivery } from "../../core/composer/intent.ts";
import { Icon } from "../../design/Icon.tsx";
import { delivery } from "../../edge/preferences.ts";
import type { Conversation, ConversationActions, Model } from "../contract.ts";
import { Picker } from "./Picker.tsx";
import type { DoingState } from "./useDoing.ts";

interface ChipsProps {
  readonly conversation: Conversation;
  readonly actions: ConversationActions;
  readonly way: Delivery;
  readonly noSteering: string | undefined;
  /** How the last choice goes. */
  readonly choosing: DoingState;
}

/** Small and quiet under the text: how a message reaches a Pi that works, which model answers, how much it thinks. */
export function Chips({ conversation, actions, way, noSteering, choosing }: ChipsProps) {
  const [open, setOpen] = useState<"model" | "level" | undefined>(undefined);
  const { agent } = conversation;
  const show = (which: "model" | "level"): void => {
    choosing.forget();
    setOpen(which);
  };
  // Why it did not happen was read there, or is still to come: then it is said under the text.
  const close = (which: "model" | "level"): void => {
    choosing.forget();
    setOpen((now) => (now === which ? undefined : now));
  };
  return (
    <div class="composer-chips">
      {isWorking(conversation) && <Way way={way} noSteering={noSteering} />}
      {agent?.model !== undefined && (
        <button type="button" class="chip" aria-haspopup="dialog" aria-label={`Model: ${agent.model.name}`} onClick={() => show("model")}>
          <bdi class="foreign">{agent.model.name}</bdi>
          <Icon node={ChevronDown} small />
        </button>
      )}
      {agent?.thinkingLevel !== undefined && (
        <button type="button" class="chip chip-level" aria-haspopup="dialog" aria-label={`Thinking: ${agent.thinkingLevel}`} onClick={() => show("level")}>
          <Icon node={Sparkles} small />
          <bdi class="foreign">{agent.thinkingLevel}</bdi>
          <Icon node={ChevronDown} small />
        </button>
      )}
      {open === "model" && agent !== undefined && (
        <Picker
          title="Model"
          choices={agent.models.map((model) => ({ id: idOf(model), label: model.name, detail: detailOf(model, agent.models), value: model }))}
          chosen={agent.model && idOf(agent.model)}
          refusal={agent.refuses["set_model"]}
          choose={(model) => actions.setModel(model)}
          doing={choosing}
          close={() => close("model")}
        />
      )}
      {open === "level" && agent !== undefined && (
        <Picker
          title="Thinking"
          choices={agent.levels.map((level) => ({ id: level, label: level, value: level }))}
          chosen={agent.thinkingLevel}
          refusal={agent.refuses["set_thinking_level"]}
          choose={(level) => actions.setThinkingLevel(level)}
          doing={choosing}
          close={() => close("level")}
        />
      )}
    </div>
  );
}

/** Switches between steering and following up. Where Pi cannot be steered it says why. */
function Way({ way, noSteering }: Pick<ChipsProps, "way" | "noSteering">) {
  const { name, what } = DELIVERIES[way];
  const label = noSteering === undefined ? `${name}: ${what}. Switch to ${DELIVERIES[other(way)].name.toLowerCase()}` : `${name}: ${what}. ${noSteering}`;
  return (
    <button
      type="button"
      class="chip chip-way"
      aria-label={label}
      title={label}
      aria-disabled={noSteering !== undefined}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => noSteering === undefined && (delivery.value = other(way))}
    >
      {name}
      {noSteering === undefined && <Icon node={ChevronsUpDown} small />}
    </button>
  );
}

function other(way: Delivery): Delivery {
  return way === "steer" ? "follow_up" : "steer";
}

function idOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/** Who offers it, where that or its name does not tell it from another one. */
function detailOf(model: Model, all: readonly Model[]): string {
  const isAlone = all.every((one) => one === model || one.name !== model.name);
  return isAlone ? model.provider : `${model.provider}, ${model.id}`;
}
