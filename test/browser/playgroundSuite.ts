/** The playground as built, served on loopback with its policy as a header too, and open in a browser: what its tests have in common. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { models, toJson } from "dojo-sim";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { findBrowser, launchBrowser } from "../../scripts/browser.ts";
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

interface OpenPage {
  readonly page: Page;
  /** What the console said in anger, and every request that leaves this machine. */
  readonly complaints: readonly string[];
}

/** Draws a few times per second, unless it is to draw `often`. */
async function openPlayground(
  browser: Browser,
  address: string,
  { often = false, ...options }: PageOptions = {},
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

type PageOptions = BrowserContextOptions & { readonly often?: boolean };

interface PlaygroundSuite {
  /** Opens the page at this part of its address. */
  open(hash?: string, options?: PageOptions): Promise<OpenPage>;
  openAt(address: string): Promise<OpenPage>;
}

/** Tests of the page, with a robot beside it; left out, with a word, where there is no browser. */
export function describePlayground(title: string, tests: (suite: PlaygroundSuite) => void): void {
  const executable = findBrowser();
  if (!executable) console.log(`no browser: tests of ${title} are left out (apt-get install chromium)`);
  // pictures are drawn by software, on machines that have other things to do
  describe.skipIf(!executable)(title, { timeout: 180_000 }, () => {
    let built: ServedPlayground;
    let browser: Browser;
    beforeAll(async () => {
      built = await servePlayground({ "robot.json": toJson({ ...models.cartpole(), name: "served" }) });
      browser = await launchBrowser(executable as string);
    });
    // a page that is left open goes on drawing
    afterEach(async () => {
      for (const context of browser.contexts()) await context.close();
    });
    afterAll(async () => {
      await browser?.close();
      await built?.close();
    });
    tests({
      open: (hash = "", options = {}) => openPlayground(browser, `${built.server.address}${hash}`, options),
      openAt: (address) => openPlayground(browser, address),
    });
  });
}

export const still = { reducedMotion: "reduce" } as const;
export const sceneName = (page: Page): Promise<string> => page.evaluate("dojoPlayground.info.name");
export const time = (page: Page): Promise<number> => page.evaluate("dojoPlayground.frame.time");
export const playing = (page: Page): Promise<boolean> => page.evaluate("dojoPlayground.frame.playing");
export const said = (page: Page): Promise<string | null> => page.textContent(".errors");

/** Evaluated by the tool, since the page's policy lets no text be code. */
export const until = (page: Page, condition: string): Promise<void> =>
  expect.poll(() => page.evaluate(condition)).toBe(true);

export async function pause(page: Page): Promise<void> {
  if (await playing(page)) await page.press("[data-action=play]", "Enter");
  await until(page, "!dojoPlayground.frame.playing");
}

export const snapshot = (page: Page): Promise<{ state: number[]; input: number[]; settings: unknown }> =>
  page.evaluate(`dojoPlayground.engine.ask({ kind: "snapshot" }).then(({ state, input, settings }) =>
    ({ state: [...state], input: [...input], settings }))`);
