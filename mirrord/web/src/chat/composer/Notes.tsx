import type { IconNode } from "lucide";
import type { ComponentChildren } from "preact";

import { clip } from "../../cards/text.ts";
import { Icon } from "../../design/Icon.tsx";

// Two lines of a phone.
const SHOWN = 140;

interface NotesProps {
  readonly icon: IconNode;
  readonly spin?: boolean;
  readonly title: ComponentChildren;
  /** Of others, as much of it as has room. */
  readonly text?: string | undefined;
  readonly role?: "danger" | "warning";
  readonly detail?: ComponentChildren;
  /** Buttons. */
  readonly children?: ComponentChildren;
}

/** A quiet row over the text: what waits, or came, and what can be done about it. */
export function Notes({ icon, spin = false, title, text, role, detail, children }: NotesProps) {
  return (
    <div class={role === undefined ? "composer-note" : `composer-note composer-note-${role}`}>
      <Icon node={icon} small spin={spin} />
      <div class="composer-note-words">
        <p class="composer-note-title">{title}</p>
        {text !== undefined && text !== "" && (
          <p class="composer-note-text">
            <bdi class="foreign">{clip(text, SHOWN)}</bdi>
          </p>
        )}
        {detail !== undefined && <p class="composer-note-detail">{detail}</p>}
      </div>
      {children !== undefined && <div class="composer-note-do">{children}</div>}
    </div>
  );
}
