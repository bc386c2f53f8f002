import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { saysPlace, target } from "../core/links.ts";
import { Surroundings } from "./around.ts";

interface LinkProps {
  readonly href: string;
  /** What is written on it. */
  readonly words: string;
  /** Where it leads is told elsewhere: in lines that were drawn for a width, no word may be added. */
  readonly isBare?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link of an extension: followed where the policy allows it, with the place it really leads to. Anything else is its words. */
export function Link({ href, words, isBare = false, class: more = "", children }: LinkProps) {
  const leads = target(href);
  if (leads === undefined) return <>{children}</>;
  if (leads.kind === "session") {
    return (
      <SessionLink id={leads.id} class={more}>
        {children}
      </SessionLink>
    );
  }
  return (
    <>
      <a class={`link ${more}`} href={leads.href} target="_blank" rel="noopener noreferrer" title={leads.href}>
        {children}
      </a>
      {!isBare && !saysPlace(words, leads.place) && <Place place={leads.place} />}
    </>
  );
}

/** A link to another session of this daemon. */
function SessionLink({ id, class: more, children }: { id: string; class: string; children: ComponentChildren }) {
  const around = useContext(Surroundings);
  const [isUnknown, setUnknown] = useState(false);
  const follow = (event: MouseEvent): void => {
    // In a tab of its own, or beside: as the browser does it.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setUnknown(!around.openSession(id));
  };
  return (
    <>
      <a class={`link ${more}`} href={around.sessionHref(id)} onClick={follow}>
        {children}
      </a>
      <span class="link-place" role="status">
        {isUnknown && " mirrord does not know this session."}
      </span>
    </>
  );
}

/** The host or address that a link leads to. */
export function Place({ place }: { place: string }) {
  return (
    <span class="link-place">
      {" "}
      <bdi class="foreign" dir="ltr">
        {place}
      </bdi>
    </span>
  );
}
