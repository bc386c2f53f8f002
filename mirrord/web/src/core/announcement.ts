/** What a screen reader is told, one sentence at a time. Pure. */

export interface Announcement {
  readonly text: string;
  /** How many there were. The same sentence again is another announcement. */
  readonly count: number;
}

export const SILENCE: Announcement = { text: "", count: 0 };

export function announced({ count }: Announcement, text: string): Announcement {
  return { text, count: count + 1 };
}
