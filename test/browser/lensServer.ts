/** Builds one page of the playground, and serves it on loopback with its own policy on every file, so that workers obey it too. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { build, type UserConfig } from "vite";
import playground from "../../apps/playground/vite.config.ts";

const root = join(import.meta.dirname, "../..");
export const pictures: string = join(root, "artefacts");
mkdirSync(pictures, { recursive: true });

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

export interface ServedPage {
  readonly address: string;
  /** The policy that the page states. */
  readonly policy: string;
  /** Every path asked for so far. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function buildPage(name: string): Promise<string> {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const outDir = mkdtempSync(join(root, `.tmp/${name}-`));
  const config = playground as UserConfig;
  const input = [join(root, `apps/playground/${name}.html`)];
  await build({
    ...config,
    configFile: false,
    logLevel: "error",
    // what other pages need
    plugins: [],
    build: { ...config.build, outDir, rolldownOptions: { ...config.build?.rolldownOptions, input } },
  });
  return outDir;
}

/** The policy on the wire is the page's own unless another is given. */
export async function servePage(folder: string, name: string, policy?: string): Promise<ServedPage> {
  const page = readFileSync(join(folder, `${name}.html`), "utf8");
  const stated = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)?.[1] ?? "";
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://loopback").pathname);
    requests.push(path);
    try {
      const content = readFileSync(join(folder, path));
      response.writeHead(200, {
        "Content-Type": types[extname(path)] ?? "application/octet-stream",
        "Content-Security-Policy": policy ?? stated,
      });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/${name}.html`,
    policy: stated,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Opens an address; what the console says in anger is collected. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 1000 },
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(address);
  return { page, complaints };
}

export function removeBuild(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
