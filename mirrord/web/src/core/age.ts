/** Times as people say them. Pure; milliseconds. */

/** "now", "12 s ago", "3 min ago", "2 h ago", "5 d ago"; a time in the future is now. */
export function ago(since: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  if (seconds < 2) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} d ago`;
}

/** The exact time in this browser's language and zone. */
export function exact(at: number): string {
  const date = new Date(at);
  // A number of a stranger may be no time at all.
  return Number.isNaN(date.getTime()) ? "unknown" : date.toLocaleString();
}

/** For `<time datetime>`. */
export function machineTime(at: number): string | undefined {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
