import { CircleStop } from "lucide";
import type { ChatMessage } from "../contract.ts";
import { Output } from "./Output.tsx";
import { CopyMessage, Facts, Fold } from "./parts.tsx";
import { Command, STATES, StateGlyph, type Look } from "./ToolRow.tsx";
import { duration, textOf } from "./words.ts";

/** A command that a person ran in the session's folder. */
export function BashRow({ message, name }: { message: ChatMessage; name: string }) {
  const { command = "", excluded, exitCode, durationMs } = message;
  const look = lookOf(message);
  return (
    <div class="tool">
      <Fold
        name={name}
        // They ran it to see what it says.
        isOpenAtFirst
        head={
          <>
            <StateGlyph look={look} />
            <span class="tool-kind tool-own" aria-hidden="true">
              {excluded === true ? "!!" : "!"}
            </span>
            <span class="tool-words">
              <bdi class="tool-title" dir="ltr">
                {command.replace(/\s+/g, " ")}
              </bdi>
            </span>
            <span class="tool-aside">
              {excluded === true && <span class="tag">Not told to Pi</span>}
              {exitCode !== undefined && exitCode !== 0 ? `exit ${exitCode}` : durationMs !== undefined && durationMs >= 1_000 ? duration(durationMs) : ""}
            </span>
          </>
        }
      >
        {() => (
          <div class="tool-inside">
            {command.includes("\n") && <Command name={name} command={command} />}
            <Output message={message} name={`${name}:out`} label="Output" isFailed={look.role === "danger"} />
            <p class="msg-foot">
              <Facts message={message} />
              <CopyMessage label="Copy output" read={() => textOf(message)} />
            </p>
          </div>
        )}
      </Fold>
    </div>
  );
}

function lookOf({ state, cancelled, exitCode, isError }: ChatMessage): Look {
  if (state === "streaming") return STATES.running;
  if (cancelled === true || state === "aborted") return { icon: CircleStop, words: "Stopped", role: "quiet" };
  return state === "error" || isError === true || (exitCode !== undefined && exitCode !== 0) ? STATES.failed : STATES.done;
}
