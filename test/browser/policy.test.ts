/** The page of policies: what it comes with runs, what it trains is what the library trains, and in a real browser it does what its controls say. Pictures go to artefacts/. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { keptPolicies } from "../../apps/playground/policy/policies.ts";
import { PolicyRun } from "../../apps/playground/policy/policyRun.ts";
import type { TrainingReport } from "../../apps/playground/policy/protocol.ts";
import { defaultsOf, hashOf, robotNames, settingsOf } from "../../apps/playground/policy/settings.ts";
import { Trainer } from "../../apps/playground/policy/trainer.ts";
import { executeSearch, inlineExecutor, namedEnvironment, policyJson, searchOf } from "../../src/index.ts";
import { pictures } from "./lensServer.ts";
import { describePage } from "./pageSuite.ts";

test("settings go through the address, and back into their ranges", () => {
  for (const robot of robotNames) {
    expect(settingsOf(hashOf(defaultsOf(robot)))).toEqual(defaultsOf(robot));
    const chosen = { robot, method: "ars", impulse: 1.5, updates: 12, seed: 7 } as const;
    expect(settingsOf(hashOf(chosen))).toEqual(chosen);
  }
  expect(settingsOf("#robot=spider&updates=9000&seed=no")).toEqual({ ...defaultsOf("half-cheetah"), updates: 200 });
});

describe("the robots that come trained", () => {
  const run = (robot: "half-cheetah" | "ant", impulse: number) => {
    const made = new PolicyRun(robot, keptPolicies[robot]);
    const places: number[] = [];
    for (let step = 0; step < 800; step++) {
      if (step === 400) made.push(impulse);
      made.step();
      places.push(made.frame().distance);
    }
    return { places, frame: made.frame() };
  };

  test.each([
    ["half-cheetah", 10],
    ["ant", 2],
  ] as const)(
    "the %s runs for eight seconds, pushed, and is drawn without a jump where it is moved back",
    (robot, impulse) => {
      const { places, frame } = run(robot, impulse);
      expect(frame.falls).toBe(0);
      expect(frame.pushes).toBe(1);
      // moved back every three metres
      expect(frame.distance).toBeGreaterThan(4);
      const jumps = places.slice(1).map((x, k) => Math.abs(x - places[k]));
      // 10 m/s over a step of 0.01 s
      expect(Math.max(...jumps)).toBeLessThan(0.1);
    },
  );

  test("a robot whose policy is gone falls, and starts anew", () => {
    const cart = new PolicyRun("cartpole");
    for (let step = 0; step < 400; step++) cart.step();
    expect(cart.frame().falls).toBeGreaterThan(0);
    cart.restart();
    expect(cart.frame().time).toBe(0);
    expect(cart.frame().hasFallen).toBe(false);
  });
});

test("a training that is stopped and continued is one that was not, to the bit", async () => {
  const settings = { ...defaultsOf("cartpole"), updates: 4 };
  const trainer = new Trainer(settings, inlineExecutor());
  const reports: TrainingReport[] = [];
  await trainer.go((report) => {
    reports.push(report);
    if (report.returns.length === 2) trainer.stop();
  });
  expect(reports.map(({ returns }) => returns.length)).toEqual([1, 2]);
  await trainer.go((report) => reports.push(report));
  const last = reports[reports.length - 1];
  expect(last.isDone).toBe(true);
  expect(last.score).toBeGreaterThan(0);
  const search = searchOf(namedEnvironment("cartpole"), { method: "ags", seed: 1, policy: "network", updates: 4 });
  const context = { environment: "cartpole", policy: search.shape };
  const { policy, returns } = await executeSearch(inlineExecutor(), context, search);
  expect(last.returns).toEqual(returns);
  expect(last.policy).toBe(policyJson(policy));
});

describePage("policy", (suite) => {
  test.each(["policy", "balance", "identify"])("where there is no WebGL, %s says so and leads on", async (name) => {
    const context = await suite.browser.newContext();
    await context.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    const page = await context.newPage();
    await page.goto(suite.served.address.replace("policy.html", `${name}.html`));
    await page.getByRole("alert").filter({ hasText: "It needs a browser with WebGL 2" }).waitFor();
    expect(await page.getByRole("link").count()).toBe(5);
  });

  const passed = (page: Page, seconds: number): Promise<unknown> =>
    page.waitForFunction(
      (least) => Number(document.querySelector<HTMLElement>(".reading")?.dataset.time) >= least,
      seconds,
    );
  const updates = (page: Page): Promise<number> =>
    page.$eval(".training", (output) => Number((output as HTMLElement).dataset.updates));
  const trained = (page: Page, least: number): Promise<unknown> =>
    page.waitForFunction(
      (count) => Number(document.querySelector<HTMLElement>(".training")?.dataset.updates) >= count,
      least,
    );

  test("the half-cheetah runs and is pushed, then the ant", async () => {
    const { page, complaints } = await suite.open();
    await passed(page, 2);
    expect(Number(await page.$eval(".reading", (output) => (output as HTMLElement).dataset.distance))).toBeGreaterThan(
      1,
    );
    await page.click("[data-action=push]");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".reading")?.dataset.pushes === "1");
    await page.screenshot({ path: join(pictures, "policy.png"), fullPage: true });
    await page.selectOption("[data-setting=robot]", "ant");
    await page.waitForFunction(() => location.hash.includes("robot=ant"));
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".reading")?.dataset.robot === "ant");
    await passed(page, 1.5);
    await page.screenshot({ path: join(pictures, "policyAnt.png") });
    expect(complaints).toEqual([]);
  });

  test("a cart learns to balance in the page, and then acts by what it has learnt", async () => {
    const { page, complaints } = await suite.open("#robot=cartpole&updates=30");
    await page.click("[data-action=train]");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".training")?.dataset.score !== undefined);
    expect(await updates(page)).toBe(30);
    // of 200: what seed 1 comes to, on every machine
    expect(Number(await page.$eval(".training", (output) => (output as HTMLElement).dataset.score))).toBeGreaterThan(
      195,
    );
    expect(await page.inputValue("[data-setting=shown]")).toBe("own");
    expect((await page.getAttribute(".chart .curve", "d"))?.match(/[ML]/g)?.length).toBe(30);
    const starts = (): Promise<number> =>
      page.$eval(".reading", (output) => Number((output as HTMLElement).dataset.starts));
    const before = await starts();
    await page.click("[data-action=restart]");
    await page.waitForFunction(
      (least) => Number(document.querySelector<HTMLElement>(".reading")?.dataset.starts) > least,
      before,
    );
    await passed(page, 2);
    await page.screenshot({ path: join(pictures, "policyTraining.png"), fullPage: true });
    expect(complaints).toEqual([]);
  });

  test("a training pauses and goes on by the keyboard", async () => {
    const { page, complaints } = await suite.open("#robot=half-cheetah&updates=200");
    const press = async (action: string): Promise<void> => {
      await page.waitForSelector(`[data-action=${action}]:not(:disabled)`);
      await page.focus(`[data-action=${action}]`);
      await page.keyboard.press("Enter");
    };
    await press("train");
    await trained(page, 1);
    await press("stop");
    await page.waitForSelector("[data-action=continue]:not(:disabled)");
    const paused = await updates(page);
    await page.waitForTimeout(500);
    expect(await updates(page)).toBe(paused);
    expect(paused).toBeLessThan(200);
    await press("continue");
    await trained(page, paused + 1);
    expect(complaints).toEqual([]);
  });

  test("random search runs on other workers", async () => {
    const { page, complaints } = await suite.open("#robot=cartpole&method=ars&updates=2");
    await page.click("[data-action=train]");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".training")?.dataset.score !== undefined);
    expect(await updates(page)).toBe(2);
    expect(complaints).toEqual([]);
  });

  test("fits a phone", async () => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
    const { page, complaints } = await suite.open("", { ...phone, colorScheme: "dark" });
    await passed(page, 0.2);
    await page.tap("[data-action=play]");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.screenshot({ path: join(pictures, "policyPhone.png"), fullPage: true });
    expect(complaints).toEqual([]);
  });
});
