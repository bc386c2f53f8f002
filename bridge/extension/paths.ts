// Where mirrord's files are: the same rules as bridge/paths.py, checked against the same fixtures/paths.json.
import { createHash } from "node:crypto";

const APP = "mirrord";
const SOCKET_PATH_BYTES = 107;
const SOCKET_PATH_BYTES_DARWIN = 103;
const LONGEST_SOCKET = "control.sock";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Paths {
  readonly runtimeDir: string;
  readonly bridgeSocket: string;
  readonly configFile: string;
}

/** The places the extension needs. `home` is absolute, `platform` is Node's word. Reads no file. */
export function locate(env: Environment, platform: string, uid: number, home: string): Paths {
  const darwin = platform === "darwin";
  const ownState = join(home, darwin ? `Library/Application Support/${APP}/state` : `.local/state/${APP}`);
  const runtime = shortened(
    xdg(env, "XDG_RUNTIME_DIR") ?? `${xdg(env, "XDG_STATE_HOME") ?? ownState}/run`,
    darwin ? SOCKET_PATH_BYTES_DARWIN : SOCKET_PATH_BYTES,
    uid,
  );
  const config = xdg(env, "XDG_CONFIG_HOME") ?? join(home, `.config/${APP}`);
  return { runtimeDir: runtime, bridgeSocket: `${runtime}/bridge.sock`, configFile: `${config}/config.toml` };
}

function shortened(runtime: string, limit: number, uid: number): string {
  if (Buffer.byteLength(`${runtime}/${LONGEST_SOCKET}`, "utf8") <= limit) return runtime;
  return `/tmp/${APP}-${uid}/${createHash("sha256").update(runtime, "utf8").digest("hex").slice(0, 16)}`;
}

function xdg(env: Environment, name: string): string | undefined {
  const base = env[name] ?? "";
  return base.startsWith("/") ? join(base, APP) : undefined;
}

function join(base: string, name: string): string {
  return `${base.replace(/\/+$/, "")}/${name}`;
}
