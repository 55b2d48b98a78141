/** The creep test in a real browser, and its figures against both engines called here. Pictures go to artefacts/. */
import { cpSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Block, EngineBlock, MujocoBlock } from "../../apps/playground/creep/blocks.ts";
import { type CreepSettings, defaults, hashOf, presets, settingsOf } from "../../apps/playground/creep/settings.ts";
import { slopeDescription } from "../../apps/playground/creep/slope.ts";
import { creepTheory } from "../../apps/playground/creep/theory.ts";
import { loadMujoco, MujocoPeer } from "../../experiments/peers/mujoco.ts";
import { workFolder } from "../cli/runCli.ts";
import { contrasts } from "./lensContrast.ts";
import { openPage, pictures, servePage } from "./lensServer.ts";
import { describePage } from "./pageSuite.ts";

const micron = 1e-6;
/** The formula has all corners carry the same; the lower ones carry more. */
const uneven = 0.02;

function readingAfter(block: Block, steps: number): ReturnType<Block["reading"]> {
  for (let i = 0; i < steps; i++) block.step();
  const reading = block.reading();
  block.dispose();
  return reading;
}

async function mujocoAfter(settings: CreepSettings, steps: number): Promise<ReturnType<Block["reading"]>> {
  const { cone, integrator } = settings;
  const peer = new MujocoPeer(await loadMujoco(), slopeDescription(settings), { cone, integrator });
  return readingAfter(new MujocoBlock(settings, peer), steps);
}

describe("the block", () => {
  test("creeps as theory says at a κ that is given, and less by default", () => {
    for (const kappa of [1e-8, 1e-6]) {
      for (const [angle, friction] of [
        [10, 1],
        [20, 0.6],
      ]) {
        const settings = { ...defaults, kappa, angle, friction };
        const { drift } = readingAfter(new EngineBlock(settings), 200);
        expect(Math.abs(drift / creepTheory(settings).creep! - 1)).toBeLessThan(uneven);
      }
    }
    for (const timestep of [0.001, 0.01, 0.05]) {
      const settings = { ...defaults, timestep };
      const { drift, height } = readingAfter(new EngineBlock(settings), 200);
      expect(drift).toBeLessThan(creepTheory(settings).creep!);
      expect(height).toBeGreaterThan(0);
    }
  });

  test("creeps less in MuJoCo with each means against it", async () => {
    const drift = async (part: Partial<CreepSettings>): Promise<number> =>
      (await mujocoAfter({ ...defaults, ...part }, 300)).drift / micron;
    const asItComes = await drift({});
    const elliptic = await drift({ cone: "elliptic" });
    const stiff = await drift({ cone: "elliptic", impratio: 100 });
    const careful = await drift(presets.careful);
    expect(asItComes).toBeGreaterThan(500);
    expect(elliptic).toBeLessThan(0.6 * asItComes);
    expect(stiff).toBeLessThan(0.02 * elliptic);
    expect(careful).toBeLessThan(0.01 * stiff);
    expect(await drift({ integrator: "discrete" })).toBeGreaterThan(100);
  });

  test("keeps its settings through the address", () => {
    const chosen: CreepSettings = {
      ...{ angle: 12.5, friction: 0.7, timestep: 0.02, kappa: 1e-6 },
      ...{ cone: "elliptic", impratio: 50, integrator: "discrete", noslip: 4 },
    };
    expect(settingsOf(hashOf(chosen))).toEqual(chosen);
    expect(hashOf(defaults)).toBe("#");
    expect(settingsOf("#angle=900&cone=square&integrator=&noslip=1.4&kappa=-3")).toEqual({
      ...defaults,
      angle: 40,
      noslip: 1,
    });
  });
});

describePage("creep", (suite) => {
  const value = (page: Page, what: "drift" | "moved" | "height", engine: "engine" | "mujoco"): Promise<number> =>
    page.$eval(`[data-${what}=${engine}] data`, (cell) => Number((cell as HTMLDataElement).value));
  /** All that one frame shows, with its time: a frame is drawn at once, and others may follow. */
  const shown = (page: Page) =>
    page.evaluate(() => {
      const value = (what: string, engine: string): number =>
        Number(document.querySelector<HTMLDataElement>(`[data-${what}=${engine}] data`)?.value);
      const readings = (engine: string) => ({
        drift: value("drift", engine),
        moved: value("moved", engine),
        height: value("height", engine),
      });
      const seconds = Number(document.querySelector<HTMLElement>(".clock")?.dataset.seconds);
      return { seconds, engine: readings("engine"), mujoco: readings("mujoco") };
    });
  /** Until both run and so many seconds have passed in them. */
  const passed = (page: Page, time: number): Promise<unknown> =>
    page.waitForFunction(
      (least) =>
        document.querySelector("[data-drift=mujoco] data") !== null &&
        Number(document.querySelector<HTMLElement>(".clock")?.dataset.seconds) >= least,
      time,
    );

  test("shows both drifts, each as its engine has it", async () => {
    const { page, complaints } = await suite.open();
    await passed(page, 2);
    const there = await shown(page);
    expect(Math.abs(there.engine.drift)).toBeLessThan(0.001 * micron);
    expect(there.mujoco.drift).toBeGreaterThan(100 * micron);
    const steps = Math.round(there.seconds / defaults.timestep);
    const here = { engine: readingAfter(new EngineBlock(defaults), steps), mujoco: await mujocoAfter(defaults, steps) };
    for (const engine of ["engine", "mujoco"] as const) {
      for (const what of ["drift", "moved", "height"] as const) {
        expect(there[engine][what], `${what} of ${engine}`).toBe(here[engine][what]);
      }
    }
    await page.click("[data-action=play]");
    expect(await page.textContent(".card.engine")).toContain("theory: at most 0.00073 µm/s");
    expect(await page.textContent(".card.mujoco figcaption")).toMatch(/^Drift drawn × 10+$/);
    await page.screenshot({ path: join(pictures, "creep.png"), fullPage: true });
    expect(complaints).toEqual([]);
  });

  test("follows its controls and its address", async () => {
    const { page, complaints } = await suite.open();
    await page.selectOption("[data-setting=speed]", "10×");
    await page.selectOption("[data-setting=cone]", "elliptic");
    await page.fill("input[type=number][data-setting=impratio]", "100");
    await page.keyboard.press("Enter");
    await page.selectOption("[data-setting=kappa]", "1e-6");
    await passed(page, 3);
    expect(await value(page, "drift", "mujoco")).toBeLessThan(10 * micron);
    const theory = creepTheory({ ...defaults, kappa: 1e-6 }).creep!;
    expect(Math.abs((await value(page, "drift", "engine")) / theory - 1)).toBeLessThan(uneven);
    await page.selectOption("[data-setting=integrator]", "discrete");
    await page.waitForFunction(() => location.hash.includes("integrator=discrete"));
    expect(settingsOf(new URL(page.url()).hash)).toEqual({
      ...defaults,
      ...{ cone: "elliptic", impratio: 100, integrator: "discrete", kappa: 1e-6 },
    });
    await page.click("[data-action=preset-default]");
    await passed(page, 2);
    expect(await value(page, "drift", "mujoco")).toBeGreaterThan(100 * micron);

    // a slope that friction cannot hold, by the keyboard
    await page.focus("input[type=range][data-setting=friction]");
    await page.keyboard.press("Home");
    await passed(page, 1);
    expect(await page.textContent(".situation")).toContain("cannot hold");
    expect(await value(page, "drift", "engine")).toBeGreaterThan(0.1);
    expect(complaints).toEqual([]);
  });

  test("says so when MuJoCo may not run, and goes on without it", async () => {
    const strict = await servePage(suite.folder, "creep", suite.served.policy.replace("'unsafe-eval' ", ""));
    const { page } = await openPage(suite.browser, strict.address);
    await page.waitForSelector(".card.mujoco [role=alert]:not([hidden])");
    expect(await page.textContent(".card.mujoco [role=alert]")).toContain("MuJoCo cannot run here");
    await page.waitForFunction(() => Number(document.querySelector<HTMLElement>(".clock")?.dataset.seconds) > 0.5);
    expect(Math.abs(await value(page, "drift", "engine"))).toBeLessThan(0.001 * micron);
    await strict.close();
  });

  test("says so when MuJoCo is not there, as in the package", async () => {
    const packed = workFolder();
    cpSync(suite.folder, packed, { recursive: true, filter: (path) => !basename(path).startsWith("mujoco") });
    const bare = await servePage(packed, "creep");
    const { page } = await openPage(suite.browser, bare.address);
    await page.waitForSelector(".card.mujoco [role=alert]:not([hidden])");
    expect(await page.textContent(".card.mujoco [role=alert]")).toContain("the npm package leaves it out");
    await bare.close();
    rmSync(packed, { recursive: true });
  });

  test("fits a phone and is readable", async () => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const { page, complaints } = await suite.open("", { ...phone, colorScheme: "dark" });
    await passed(page, 0.5);
    await page.tap("[data-action=play]");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.screenshot({ path: join(pictures, "creepPhone.png"), fullPage: true });
    for (const theme of ["dark", "light"]) {
      const found = await contrasts(page, ["--text", "--soft", "--accent", "--alarm"], ["--engine", "--mujoco"]);
      expect(found.text, theme).toBeGreaterThanOrEqual(4.5);
      expect(found.curves, theme).toBeGreaterThanOrEqual(3);
      await page.click("[data-action=theme]");
    }
    expect(complaints).toEqual([]);
  });
});
