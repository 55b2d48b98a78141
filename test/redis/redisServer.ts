/** A real Redis for tests, on a free port of this machine. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether there is one; without it tests are skipped. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

export class RedisServer {
  readonly port: number;
  private readonly options: readonly string[];
  private readonly folder = mkdtempSync(join(tmpdir(), "dojo-redis-"));
  private child: ChildProcess | undefined;

  private readonly isEncrypted: boolean;

  private constructor(port: number, options: readonly string[], isEncrypted: boolean) {
    this.isEncrypted = isEncrypted;
    this.port = port;
    this.options = options;
  }

  static async start(options: readonly string[] = [], { tls = false } = {}): Promise<RedisServer> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const server = new RedisServer(await freePort(), options, tls);
      if (await server.listens()) return server;
      // somebody was faster with the port
      await server.remove();
    }
    throw new Error("redis-server does not start");
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Again, after `stop`. */
  async start(): Promise<void> {
    if (!(await this.listens())) throw new Error(`redis-server does not start on port ${this.port}`);
  }

  /** Whether it has come to listen; it ends where the port is taken. */
  private async listens(): Promise<boolean> {
    const own = [
      ...(this.isEncrypted ? ["--tls-auth-clients", "no", "--port", "0", "--tls-port"] : ["--port"]),
      String(this.port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      "--dir",
      this.folder,
    ];
    const child = spawn("redis-server", [...own, ...this.options], { stdio: ["ignore", "pipe", "ignore"] });
    this.child = child;
    return new Promise((resolve) => {
      child.once("exit", () => resolve(false));
      let said = "";
      child.stdout.on("data", (text) => {
        said += text;
        if (said.includes("Ready to accept connections")) resolve(true);
      });
    });
  }

  /** All that it holds is lost. */
  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What the last of some commands answers, in Redis' own words. */
  async ask(...commands: readonly (readonly string[])[]): Promise<string> {
    const socket = connect(this.port, "127.0.0.1");
    let answer = "";
    for (const words of commands) {
      const text = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("");
      const answered = new Promise<Buffer>((resolve) => socket.once("data", resolve));
      socket.write(`*${words.length}\r\n${text}`);
      answer = (await answered).toString();
    }
    socket.destroy();
    return answer;
  }
}

/** Below those that systems hand out by themselves, to connections of clients too, which could take it while a server is away. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(20_000 * Math.random());
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
