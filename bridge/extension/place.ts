// Whether the daemon's socket may be spoken to: the file system is the authentication, so it is looked at before a byte is written.
import { lstat, stat, type Stats } from "node:fs";
import { dirname } from "node:path";

import { guarded } from "./guard.ts";
import type { Paths } from "./paths.ts";

const OTHERS = 0o077;
const OTHERS_WRITE = 0o002;

/** Calls `done` with what is wrong, as a sentence, or with undefined when the socket is ours and nobody else's. */
export function examine(paths: Paths, uid: number, done: (problem: string | undefined) => void): void {
  look(paths.runtimeDir, (directory) => {
    const problem = directoryProblem(paths.runtimeDir, directory, uid);
    if (problem !== undefined) return done(problem);
    examineParent(dirname(paths.runtimeDir), uid, (wrong) => {
      if (wrong !== undefined) return done(wrong);
      look(paths.bridgeSocket, (socket) => done(socketProblem(paths.bridgeSocket, socket, uid)));
    });
  });
}

/** A parent that lies in a directory where others may write (`/tmp`) has to be ours too: its owner could exchange what is in it. */
function examineParent(parent: string, uid: number, done: (problem: string | undefined) => void): void {
  stat(
    dirname(parent),
    guarded("link.place", (error: Error | null, above: Stats) => {
      if (error !== null || (above.mode & OTHERS_WRITE) === 0) return done(undefined);
      look(parent, (found) => done(directoryProblem(parent, found, uid)));
    }),
  );
}

function look(path: string, done: (found: Stats | undefined) => void): void {
  lstat(
    path,
    guarded("link.place", (error: Error | null, found: Stats) => done(error === null ? found : undefined)),
  );
}

function directoryProblem(path: string, found: Stats | undefined, uid: number): string | undefined {
  if (found === undefined) return noDaemon(path);
  if (!found.isDirectory()) return `${path} is not a directory`;
  if (found.uid !== uid) return `${path} belongs to user ${found.uid}, not to you`;
  if ((found.mode & OTHERS) !== 0) return `${path} is open to other users; run: chmod 700 '${path}'`;
  return undefined;
}

function socketProblem(path: string, found: Stats | undefined, uid: number): string | undefined {
  if (found === undefined) return noDaemon(path);
  if (!found.isSocket()) return `${path} is not a socket`;
  if (found.uid !== uid) return `the socket ${path} belongs to user ${found.uid}, not to you`;
  if ((found.mode & OTHERS) !== 0) return `the socket ${path} is open to other users`;
  return undefined;
}

export function noDaemon(path: string): string {
  return `no daemon listens at ${path}; start one with: mirrord serve`;
}
