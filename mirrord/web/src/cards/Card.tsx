import type { CardProps } from "./contract.ts";

/** The card of one prompt. */
export function Card({ prompt }: CardProps) {
  return <h2 dir="auto">{prompt.title}</h2>;
}
