/** The balance page in a real browser: a hopper and A1 stand while they are pushed, and the controls do what they say. Pictures go to artefacts/. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { defaultsOf, hashOf, settingsOf, taskNames } from "../../apps/playground/balance/settings.ts";
import { findBrowser, launchBrowser } from "../../scripts/browser.ts";
import { buildPage, openPage, pictures, removeBuild, type ServedPage, servePage } from "./lensServer.ts";

test("settings go through the address, and back into their ranges", () => {
  for (const task of taskNames) {
    expect(settingsOf(hashOf(defaultsOf(task)))).toEqual(defaultsOf(task));
    const chosen = { task, horizon: 12, budget: 7.5, kappa: 0.2, impulse: 1.5 };
    expect(settingsOf(hashOf(chosen))).toEqual(chosen);
  }
  expect(settingsOf("#task=spider&horizon=900&kappa=no")).toEqual({ ...defaultsOf("a1-stand"), horizon: 40 });
});

const executable = findBrowser();
if (!executable) console.log("no browser: the tests of the balance page are left out (apt-get install chromium)");

describe.skipIf(!executable)("the page in a browser", { timeout: 180_000 }, () => {
  let browser: Browser;
  let served: ServedPage;
  let folder: string;
  beforeAll(async () => {
    folder = await buildPage("balance");
    served = await servePage(folder, "balance");
    browser = await launchBrowser(executable as string);
  });
  // a page left open goes on computing
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    removeBuild(folder);
  });

  const reading = (page: Page, of: "rate" | "state", name: string): Promise<string | undefined> =>
    page.$eval(`.${of}`, (output, key) => (output as HTMLElement).dataset[key], name);
  /** Until so many seconds have passed in the run. */
  const passed = (page: Page, seconds: number): Promise<unknown> =>
    page.waitForFunction(
      (least) => Number(document.querySelector<HTMLElement>(".rate")?.dataset.time) >= least,
      seconds,
    );

  test("the hopper stands again after a push, its horizon is drawn, and the planner can be changed", async () => {
    const { page, complaints } = await openPage(browser, `${served.address}#task=hopper`);
    await passed(page, 0.3);
    expect(await reading(page, "state", "kept")).toBe("true");
    await page.click("[data-action=push]");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".state")?.dataset.pushes === "1");
    await passed(page, 2.8);
    expect(await reading(page, "state", "kept")).toBe("true");
    // a path for each of two bodies
    expect(Number(await reading(page, "state", "segments"))).toBe(2 * 25);
    expect(await page.textContent(".rate")).toMatch(/^\d+ plans per second/);
    await page.fill("input[type=number][data-setting=horizon]", "15");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".state")?.dataset.segments === "30");
    await page.waitForFunction(() => location.hash.includes("horizon=15"));
    expect(complaints).toEqual([]);
  });

  test("A1 stands, and the page says how many plans it makes", async () => {
    const { page, complaints } = await openPage(browser, served.address);
    await passed(page, 0.2);
    await page.click("[data-action=push]");
    await passed(page, 0.4);
    await page.screenshot({ path: join(pictures, "balance.png"), fullPage: true });
    expect(Number(await reading(page, "rate", "perSecond"))).toBeGreaterThan(0);
    // a plan every second step
    expect(Number(await reading(page, "rate", "plans"))).toBeGreaterThanOrEqual(20);
    await page.click("[data-action=play]");
    expect(await page.textContent(".complaint")).toBe("");
    expect(complaints).toEqual([]);
  });
});
