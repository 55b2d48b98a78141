/** The playground as built, served on loopback with its policy as a header too, and open in a browser. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { build, type UserConfig } from "vite";
import playground from "../../apps/playground/vite.config.ts";
import { type PageServer, servePages } from "../../src/cli/pageServer.ts";

const root = join(import.meta.dirname, "../..");
export const pictures: string = join(root, "artefacts");
mkdirSync(pictures, { recursive: true });

export interface BuiltPlayground {
  readonly folder: string;
  /** The policy that the page states. */
  readonly policy: string;
  readonly server: PageServer;
  close(): Promise<void>;
}

/** Of all pages the first: the others have tests of their own. */
export async function buildPlayground(texts: Readonly<Record<string, string>> = {}): Promise<BuiltPlayground> {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(root, ".tmp/playground-"));
  const config = playground as UserConfig;
  const input = [join(root, "apps/playground/index.html")];
  const settings = { ...config.build, outDir: folder, rolldownOptions: { ...config.build?.rolldownOptions, input } };
  await build({ ...config, configFile: false, logLevel: "error", build: settings });
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(html)?.[1] ?? "";
  const headers = { "Content-Security-Policy": policy };
  const server = await servePages({ folder, host: "127.0.0.1", port: 0, headers, texts });
  return {
    folder,
    policy,
    server,
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface OpenPage {
  readonly page: Page;
  /** What the console said in anger, and every request that leaves this machine. */
  readonly complaints: readonly string[];
}

export async function openPlayground(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 900, height: 620 },
    permissions: ["clipboard-read", "clipboard-write"],
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|blob:)/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => "dojoPlayground" in window);
  return { page, complaints };
}
