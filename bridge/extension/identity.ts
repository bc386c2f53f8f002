// Who this process is. Its pid and start time together are never those of another process.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

const STAT = "/proc/self/stat";
const START_TIME = 22;

export interface Identity {
  readonly terminalId: string;
  /** Field 22 of /proc/self/stat as text; null where there is no such file. */
  readonly startTime: string | null;
}

export function identify(pid: number, readStat: () => string = () => readFileSync(STAT, "utf8")): Identity {
  const startTime = startTimeIn(attempt(readStat));
  return { terminalId: `${pid}-${startTime ?? randomBytes(6).toString("hex")}`, startTime };
}

/** The name of the program may hold spaces and parentheses, so the fields are counted from behind it. */
function startTimeIn(stat: string): string | null {
  const behind = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const found = behind[START_TIME - 3];
  return found !== undefined && /^\d+$/.test(found) ? found : null;
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
