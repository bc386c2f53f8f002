import type { Announcement } from "../core/announcement.ts";

/** In a live region. One that changes nothing in it is silent, so each sentence is an element of its own, also one that was said just before. */
export function Announced({ text, count }: Announcement) {
  return text === "" ? null : <span key={count}>{text}</span>;
}
