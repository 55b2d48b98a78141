/** Serves one page of the built playground on loopback with its own policy on every file, so that workers obey it too. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { servePages } from "../../src/cli/pageServer.ts";
import { calm, complaintsOf } from "./calm.ts";

const root = join(import.meta.dirname, "../..");
export const pictures: string = join(root, "artefacts");
mkdirSync(pictures, { recursive: true });

export interface ServedPage {
  readonly address: string;
  /** The policy that the page states. */
  readonly policy: string;
  close(): Promise<void>;
}

/** The policy on the wire is the page's own unless another is given. */
export async function servePage(folder: string, name: string, policy?: string): Promise<ServedPage> {
  const page = readFileSync(join(folder, `${name}.html`), "utf8");
  const stated = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)?.[1] ?? "";
  const headers = { "Content-Security-Policy": policy ?? stated };
  const { address, close } = await servePages({ folder, host: "127.0.0.1", port: 0, headers });
  return { address: `${address}${name}.html`, policy: stated, close };
}

export interface OpenedPage {
  readonly page: Page;
  /** What the console said in anger, and errors that nobody caught. */
  readonly complaints: string[];
}

/** Opens an address; what the console says in anger is collected. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 960, height: 760 },
    ...options,
  });
  await calm(context);
  const page = await context.newPage();
  // machines have other things to do
  page.setDefaultTimeout(100_000);
  const complaints = complaintsOf(page);
  await page.goto(address);
  return { page, complaints };
}
