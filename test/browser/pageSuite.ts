/** What the tests of the playground's smaller pages have in common: one page served, one browser, and nothing left open. */
import { join } from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { findBrowser, launchBrowser } from "../../scripts/browser.ts";
import { builtPackage } from "../built.ts";
import { type OpenedPage, openPage, type ServedPage, servePage } from "./lensServer.ts";

export interface PageSuite {
  readonly browser: Browser;
  readonly served: ServedPage;
  /** Of the built pages. */
  readonly folder: string;
  /** Opens the page at this part of its address. */
  open(hash?: string, options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** Tests of the page with this name; left out, with a word, where there is no browser. */
export function describePage(name: string, tests: (suite: PageSuite) => void): void {
  const executable = findBrowser();
  if (!executable) console.log(`no browser: the tests of the page ${name} are left out (apt-get install chromium)`);
  describe.skipIf(!executable)(`the page ${name} in a browser`, { timeout: 180_000 }, () => {
    let browser: Browser;
    let served: ServedPage;
    let folder: string;
    beforeAll(async () => {
      folder = join(builtPackage(), "playground");
      served = await servePage(folder, name);
      browser = await launchBrowser(executable as string);
    });
    // a page left open goes on computing
    afterEach(async () => {
      for (const context of browser.contexts()) await context.close();
    });
    afterAll(async () => {
      await browser?.close();
      await served?.close();
    });
    tests({
      get browser() {
        return browser;
      },
      get served() {
        return served;
      },
      get folder() {
        return folder;
      },
      open: (hash = "", options = {}) => openPage(browser, `${served.address}${hash}`, options),
    });
  });
}
