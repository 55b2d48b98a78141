/** The balance page: its two workers make the run that control in a loop makes in Node, and in a real browser it does what its controls say. Pictures go to artefacts/. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { BalancePlanner } from "../../apps/playground/balance/balancePlanner.ts";
import { BalanceRun } from "../../apps/playground/balance/balanceRun.ts";
import type { PlanRequest } from "../../apps/playground/balance/protocol.ts";
import { defaultsOf, hashOf, settingsOf, taskNames, taskSummaries } from "../../apps/playground/balance/settings.ts";
import { controlTasks, runControl } from "../../src/index.ts";
import { builtPackage } from "../built.ts";
import { pictures } from "./lensServer.ts";
import { pageFiles } from "./pageFiles.ts";
import { describePage } from "./pageSuite.ts";

test("settings go through the address, and back into their ranges", () => {
  for (const task of taskNames) {
    expect(settingsOf(hashOf(defaultsOf(task)))).toEqual(defaultsOf(task));
    const chosen = { task, horizon: 12, budget: 7.5, kappa: 0.2, impulse: 1.5, goalX: -1.25, goalY: 0.5 };
    expect(settingsOf(hashOf(chosen))).toEqual(chosen);
  }
  expect(settingsOf("#task=spider&horizon=900&kappa=no")).toEqual({ ...defaultsOf("a1-walk"), horizon: 40 });
});

test("tasks are in the words of the library, and the page itself has no engine", () => {
  for (const task of taskNames) expect(taskSummaries[task]).toBe(controlTasks[task].summary);
  const page = pageFiles(join(builtPackage(), "playground"), "balance").filter(({ name }) =>
    /^balance.*\.js$/.test(name),
  );
  expect(page).toHaveLength(1);
  expect(page[0].text.length).toBeLessThan(60_000);
});

test("a run whose plans come late waits for them, and is that of a fixed latency to the bit", () => {
  // a budget that is used up by the first pass
  const settings = { ...defaultsOf("hopper"), budget: 1, goalX: 0.4, goalY: 0.2 };
  const planner = new BalancePlanner(settings);
  const requests: PlanRequest[] = [];
  const run = new BalanceRun(settings, (request) => requests.push(request));
  const steps = 60;
  let waited = 0;
  while (run.steps < steps) {
    if (run.step() !== "waiting") continue;
    waited++;
    const request = requests.shift();
    if (!request) throw new Error("it waits for a plan that it has not asked for");
    run.take(planner.answer(request), 0);
  }
  // every plan was waited for: one at the start, then one per period
  expect(waited).toBe(1 + steps / 2 - 1);
  const task = { ...controlTasks.hopper.make(), seconds: 0.6 };
  const { trajectory } = runControl(task, { impulse: 0, latency: 0.02, goal: [0.4, 0.2] });
  const poses = trajectory.states[steps];
  const expected = [0, 1].flatMap((body) => Array.from(poses.subarray(13 * body, 13 * body + 7), Math.fround));
  expect(Array.from(run.frame(0).poses)).toEqual(expected);
});

describePage("balance", (suite) => {
  const reading = (page: Page, of: "rate" | "state", name: string): Promise<string | undefined> =>
    page.$eval(`.${of}`, (output, key) => (output as HTMLElement).dataset[key], name);
  /** Until so many seconds have passed in the run. */
  const passed = (page: Page, seconds: number): Promise<unknown> =>
    page.waitForFunction(
      (least) => Number(document.querySelector<HTMLElement>(".rate")?.dataset.time) >= least,
      seconds,
    );
  const settings = (page: Page) => settingsOf(new URL(page.url()).hash);

  test("the hopper stands again after a push, its horizon is drawn, and the planner can be changed", async () => {
    const { page, complaints } = await suite.open("#task=hopper");
    await passed(page, 0.3);
    expect(await reading(page, "state", "kept")).toBe("true");
    await page.click("[data-action=push]");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".state")?.dataset.pushes === "1");
    // from when it was pushed: the page goes on while we ask
    await passed(page, Number(await reading(page, "rate", "time")) + 2.5);
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

  test("the cart goes to where the floor is clicked, and where arrow keys say", async () => {
    const { page, complaints } = await suite.open("#task=cartpole");
    await passed(page, 0.2);
    const { x, y, width, height } = (await (await page.waitForSelector("canvas")).boundingBox()) as {
      [name in "x" | "y" | "width" | "height"]: number;
    };
    // a drag turns the view and is no click
    await page.mouse.move(x + 0.2 * width, y + 0.8 * height);
    await page.mouse.down();
    await page.mouse.move(x + 0.25 * width, y + 0.8 * height, { steps: 3 });
    await page.mouse.up();
    await page.waitForTimeout(300);
    expect(settings(page).goalX).toBe(0);
    // the view is from ahead: what is near is ahead
    await page.mouse.click(x + 0.85 * width, y + 0.8 * height);
    await page.waitForFunction(() => location.hash.includes("goalX="));
    const clicked = settings(page).goalX;
    expect(clicked).not.toBe(0);
    await page.focus("canvas");
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction((before) => !location.hash.includes(`goalX=${before}&`), clicked);
    expect(settings(page).goalX).toBeCloseTo(clicked + 0.25, 9);
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".state")?.dataset.kept === "true");
    expect(complaints).toEqual([]);
  });

  test("A1 walks to its goal, and the page says how many plans it makes", async () => {
    const { page, complaints } = await suite.open("#task=a1-walk&goalX=0.6");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".state")?.dataset.kept === "false");
    await passed(page, 0.6);
    await page.screenshot({ path: join(pictures, "balance.png"), fullPage: true });
    expect(Number(await reading(page, "rate", "perSecond"))).toBeGreaterThan(0);
    // one at the start, and one every second step
    expect(Number(await reading(page, "rate", "plans"))).toBeGreaterThanOrEqual(30);
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".state")?.dataset.kept === "true");
    await page.click("[data-action=play]");
    expect(await page.textContent(".complaint")).toBe("");
    expect(complaints).toEqual([]);
  });

  test("fits a phone", async () => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
    const { page, complaints } = await suite.open("#task=hopper", { ...phone, colorScheme: "dark" });
    await passed(page, 0.2);
    await page.tap("[data-action=play]");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.screenshot({ path: join(pictures, "balancePhone.png"), fullPage: true });
    expect(complaints).toEqual([]);
  });
});
