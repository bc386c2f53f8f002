// Pi's session as far as a conversation goes: entries in a tree, listeners, a queue, and turns that a test takes further by hand.
import { EventEmitter } from "node:events";

export interface Entry {
  type: string;
  id: string;
  parentId: string | null;
  timestamp: string;
  [field: string]: unknown;
}

export interface Message {
  role: string;
  [field: string]: unknown;
}

export const text = (value: string): object[] => [{ type: "text", text: value }];

export function user(value: string): Message {
  return { role: "user", content: text(value), timestamp: 1_000 };
}

export function assistant(content: object[], fields: object = {}): Message {
  return { role: "assistant", content, timestamp: 2_000, stopReason: "stop", ...fields };
}

/** Entries as Pi's session manager keeps them. */
export class FakeManager {
  private readonly byId = new Map<string, Entry>();
  private count = 0;
  leaf: string | null = null;
  /** How often an entry was looked up. */
  looks = 0;

  append(type: string, fields: object): string {
    const id = `e${(this.count += 1)}`;
    this.byId.set(id, { type, id, parentId: this.leaf, timestamp: new Date(5_000).toISOString(), ...fields });
    this.leaf = id;
    return id;
  }

  appendMessage(message: Message): string {
    return this.append("message", { message });
  }

  getLeafId(): string | null {
    return this.leaf;
  }

  getEntry(id: string): Entry | undefined {
    this.looks += 1;
    return this.byId.get(id);
  }

  getSessionId(): string {
    return "session";
  }
}

/** How a call of `prompt` goes on, by the test's hand. */
export interface Given {
  readonly text: string;
  readonly options: { expandPromptTemplates?: boolean; streamingBehavior?: string; preflightResult?: (word: unknown) => void };
  resolve(): void;
  reject(error: Error): void;
}

/** Pi's AgentSession. `refuses` is what `prompt` throws; the rest is as Pi has it. */
export class FakeSession extends EventEmitter {
  readonly sessionManager = new FakeManager();
  isStreaming = false;
  isCompacting = false;
  isBashRunning = false;
  hasPendingBashMessages = false;
  refuses: string | undefined;
  readonly given: Given[] = [];
  readonly done: string[] = [];
  readonly promptTemplates = [{ name: "review" }];
  readonly agent = { steeringQueue: { messages: [] as Message[] }, followUpQueue: { messages: [] as Message[] } };
  readonly extensionRunner = {
    getCommand: (name: string): object | undefined => (name === "mirrord" ? {} : undefined),
    createCommandContext: () => ({
      navigateTree: async (id: string) => {
        this.done.push(`navigate ${id}`);
        return { cancelled: false };
      },
      reload: async () => void this.done.push("reload"),
    }),
  };
  model: object | undefined = { provider: "loopback", id: "one", name: "One" };
  readonly modelRegistry = { getAvailable: () => [this.model], hasConfiguredAuth: (): boolean => this.hasKey };
  hasKey = true;
  thinkingLevel = "off";

  subscribe(listener: (event: object) => void): () => void {
    this.on("event", listener);
    return () => this.off("event", listener);
  }

  tell(type: string, fields: object = {}): void {
    this.emit("event", { type, ...fields });
  }

  /** As Pi does it: the listeners hear of the end, then the entry is appended. */
  end(message: Message): string {
    this.tell("message_end", { message });
    return this.sessionManager.appendMessage(message);
  }

  say(message: Message): string {
    this.tell("message_start", { message });
    return this.end(message);
  }

  prompt(value: string, options: Given["options"] = {}): Promise<void> {
    if (this.refuses !== undefined) return Promise.reject(new Error(this.refuses));
    if (options.streamingBehavior !== undefined && this.isStreaming) {
      const { steeringQueue, followUpQueue } = this.agent;
      const queue = options.streamingBehavior === "steer" ? steeringQueue : followUpQueue;
      this.tell("queue_update");
      queue.messages.push(user(value));
      options.preflightResult?.("queued");
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.given.push({ text: value, options, resolve, reject });
      options.preflightResult?.("started");
    });
  }

  getSteeringMessages(): string[] {
    return this.agent.steeringQueue.messages.map(textOf);
  }

  getFollowUpMessages(): string[] {
    return this.agent.followUpQueue.messages.map(textOf);
  }

  getAvailableThinkingLevels(): string[] {
    return ["off", "high"];
  }

  getContextUsage(): object {
    return { tokens: 10, contextWindow: 100, percent: 10 };
  }

  _getRequiredRequestAuth(): Promise<never> {
    return Promise.reject(new Error("No API key found for loopback.\n\nUse /login."));
  }

  setThinkingLevel(level: string): void {
    this.thinkingLevel = level;
  }

  async setModel(): Promise<void> {
    throw new Error("No API key for loopback/one");
  }

  setSessionName(name: string): void {
    this.done.push(`name ${name}`);
  }

  abortBash(): void {
    this.done.push("abortBash");
  }

  navigateTree(): void {}
}

/** Pi's terminal: a shell command goes by the extensions, one after the other, then runs, and its result is kept if it has one. */
export class FakeTerminal {
  readonly session: FakeSession;
  /** The extensions' handlers in the order in which Pi asks them: the first that answers ends it, and one that throws ends all. */
  handlers: ((event: { command: string; excludeFromContext: boolean }) => unknown)[] = [];
  /** What runs the command. What it throws is shown, and no result is kept. */
  runs: () => Promise<string> = async () => "done";
  readonly ran: string[] = [];
  private readonly pending: Message[] = [];

  constructor(session: FakeSession) {
    this.session = session;
  }

  async handleBashCommand(command: string, excludeFromContext = false): Promise<void> {
    const { session } = this;
    try {
      for (const handler of this.handlers) if ((await handler({ command, excludeFromContext })) !== undefined) break;
    } catch {
      return;
    }
    session.isBashRunning = true;
    this.ran.push(`${command} ${excludeFromContext}`);
    try {
      const output = await this.runs();
      const message = { role: "bashExecution", command, output, exitCode: 0, timestamp: 3, excludeFromContext };
      if (session.isStreaming) this.pending.push(message);
      else session.sessionManager.appendMessage(message);
      session.hasPendingBashMessages = this.pending.length > 0;
    } catch {
      // The terminal shows it.
    } finally {
      session.isBashRunning = false;
    }
  }

  /** The turn is over: what ran within it is appended. */
  flush(): void {
    for (const message of this.pending.splice(0)) this.session.sessionManager.appendMessage(message);
    this.session.hasPendingBashMessages = false;
  }
}

function textOf(message: Message): string {
  const [block] = message["content"] as { text: string }[];
  return block?.text ?? "";
}
