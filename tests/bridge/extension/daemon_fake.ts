// A daemon's socket in a folder of its own, which keeps what it hears and says what it is told to.
import { chmodSync, mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Paths } from "../../../bridge/extension/paths.ts";
import type { Message } from "./fixtures.ts";

export class FakeDaemon {
  readonly paths: Paths;
  readonly heard: Message[] = [];
  readonly links: Socket[] = [];
  welcomes = true;
  private readonly root = mkdtempSync(join(tmpdir(), "mirrord-daemon-"));
  private server: Server | undefined;
  private readonly waiting = new Set<() => void>();
  private readonly said = new WeakMap<Socket, number>();

  constructor() {
    const runtimeDir = join(this.root, "run");
    mkdirSync(runtimeDir, { mode: 0o700 });
    this.paths = { runtimeDir, bridgeSocket: join(runtimeDir, "bridge.sock"), configFile: join(this.root, "config.toml") };
  }

  async listen(): Promise<this> {
    this.server = createServer((socket) => this.accept(socket));
    await new Promise<void>((resolve) => this.server?.listen(this.paths.bridgeSocket, resolve));
    chmodSync(this.paths.bridgeSocket, 0o600);
    return this;
  }

  /** Ends every link and stops listening. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const link of this.links) link.destroy();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  say(message: object): void {
    const link = this.links.at(-1);
    if (link === undefined) throw new Error("nobody is connected");
    const seq = (this.said.get(link) ?? 0) + 1;
    this.said.set(link, seq);
    link.write(`${JSON.stringify({ seq, ...message })}\n`);
  }

  of(type: string): Message[] {
    return this.heard.filter((message) => message.type === type);
  }

  get live(): number {
    return this.links.filter((link) => !link.destroyed).length;
  }

  /** Until `holds` is true; it is looked at whenever something happens on a link. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  private accept(socket: Socket): void {
    this.links.push(socket);
    let held = "";
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("close", () => this.wake());
    socket.on("data", (chunk: string) => {
      held += chunk;
      const lines = held.split("\n");
      held = lines.pop() ?? "";
      for (const line of lines) this.hear(JSON.parse(line) as Message);
      this.wake();
    });
    this.wake();
  }

  private hear(message: Message): void {
    this.heard.push(message);
    if (message.type === "hello" && this.welcomes) {
      this.say({ type: "welcome", protocol: 1, daemon: { version: "9.9", instance: "i", pid: 1 }, now: 0 });
    }
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
