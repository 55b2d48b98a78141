/** The playground as built, served on loopback with its policy as a header too, and open in a browser. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type PageServer, servePages } from "../../src/cli/pageServer.ts";
import { builtPackage } from "../built.ts";
import { calm, complaintsOf } from "./calm.ts";

const root = join(import.meta.dirname, "../..");
export const pictures: string = join(root, "artefacts");
mkdirSync(pictures, { recursive: true });

export interface ServedPlayground {
  readonly folder: string;
  /** The policy that the page states. */
  readonly policy: string;
  readonly server: PageServer;
  close(): Promise<void>;
}

export async function servePlayground(texts: Readonly<Record<string, string>> = {}): Promise<ServedPlayground> {
  const folder = join(builtPackage(), "playground");
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(html)?.[1] ?? "";
  const headers = { "Content-Security-Policy": policy };
  const server = await servePages({ folder, host: "127.0.0.1", port: 0, headers, texts });
  return { folder, policy, server, close: () => server.close() };
}

export interface OpenPage {
  readonly page: Page;
  /** What the console said in anger, and every request that leaves this machine. */
  readonly complaints: readonly string[];
}

/** Draws a few times per second, unless it is to draw `often`. */
export async function openPlayground(
  browser: Browser,
  address: string,
  { often = false, ...options }: BrowserContextOptions & { readonly often?: boolean } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 900, height: 620 },
    permissions: ["clipboard-read", "clipboard-write"],
    acceptDownloads: true,
    ...options,
  });
  if (!often) await calm(context);
  const page = await context.newPage();
  // machines have other things to do
  page.setDefaultTimeout(100_000);
  const complaints = complaintsOf(page);
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|blob:)/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => "dojoPlayground" in window);
  return { page, complaints };
}
