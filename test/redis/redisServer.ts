/** A real Redis for tests, on a free port of this machine. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

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
    const server = new RedisServer(await freePort(), options, tls);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
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
    this.child = spawn("redis-server", [...own, ...this.options], { stdio: "ignore" });
    while (!(await isOpen(this.port))) await setTimeout(20);
  }

  /** All that it holds is lost. */
  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null) return;
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
