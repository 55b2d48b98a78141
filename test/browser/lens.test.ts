/** The gradient lens in a real browser; its figures against the engine called here. Pictures go to artefacts/. */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BoxLens } from "../../apps/playground/lens/boxLens.ts";
import { defaults, hashOf, type LensSettings, settingsOf } from "../../apps/playground/lens/settings.ts";
import { exact } from "../../experiments/gradient-comparison/box.ts";
import { contrasts } from "./lensContrast.ts";
import { openPage, pictures } from "./lensServer.ts";
import { pageFiles } from "./pageFiles.ts";
import { describePage } from "./pageSuite.ts";

describe("settings in the address", () => {
  test("survive it", () => {
    const chosen: LensSettings = {
      ...{ direction: "friction", force: 7.31, kappa: 2e-5, shown: [1e-2, 1e-6] },
      ...{ smoothing: false, sigma: 0.35, samples: 40, seed: 2001 },
    };
    expect(settingsOf(hashOf(chosen))).toEqual(chosen);
    expect(settingsOf(hashOf(defaults))).toEqual(defaults);
    expect(settingsOf("")).toEqual(defaults);
  });

  test("are held within their ranges, and nonsense is passed over", () => {
    const read = settingsOf("#view=sideways&force=1e9&kappa=-1&show=7,x&sigma=abc&samples=2.6&seed=");
    expect(read).toEqual({ ...defaults, force: 20, kappa: 1e-9, shown: [], sigma: 1, samples: 10 });
  });
});

describePage("lens", (suite) => {
  const lens = new BoxLens();
  const settled = (page: Page): Promise<unknown> => page.waitForSelector("#lens-panel[aria-busy=false]");
  /** Next position and gradient of a row of the table, in full. */
  const row = (page: Page, key: string): Promise<number[]> =>
    page.$$eval(`tr[data-row=${key}] data`, (cells) => cells.map((cell) => Number((cell as HTMLDataElement).value)));
  const force = async (page: Page): Promise<number> =>
    Number(await page.inputValue("input[type=number][data-setting=force]"));
  const fill = async (page: Page, name: string, value: number): Promise<void> => {
    await page.fill(`input[type=number][data-setting=${name}]`, String(value));
    await page.keyboard.press("Enter");
    await settled(page);
  };

  test("shows what the engine computes, as the force is dragged and κ changed", async () => {
    const { page, complaints } = await suite.open("#samples=40");
    await settled(page);
    const expected = (kappa: number, at: number): number[] => {
      const { displacement, gradient } = lens.values("impact", at, kappa);
      return [displacement, gradient];
    };
    expect(await row(page, "own")).toEqual(expected(3e-4, 9));
    expect(await row(page, "kappa4")).toEqual(expected(1e-8, 9));
    expect(await row(page, "hard")).toEqual([0, 0]);
    await page.screenshot({ path: join(pictures, "lensLiftOff.png"), fullPage: true });

    // fewer samples: each change draws them all anew
    await fill(page, "samples", 20);
    // the arrow is pulled up through lift-off
    const handle = (await page.locator("[data-setting=force-arrow] .grip").boundingBox())!;
    const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 15, { steps: 5 });
    await page.mouse.up();
    await settled(page);
    const pulled = await force(page);
    expect(pulled).toBeGreaterThan(11);
    expect(pulled).toBeLessThan(14);
    expect(await row(page, "own")).toEqual(expected(3e-4, pulled));
    const hard = exact("impact", pulled);
    expect(await row(page, "hard")).toEqual([hard.displacement, hard.gradient]);
    // what is printed is what is in full beside it, rounded
    const printed = Number(await page.textContent("tr[data-row=own] td:nth-of-type(2)"));
    expect(printed).toBeCloseTo(1e3 * expected(3e-4, pulled)[1], 2);

    // another κ, by its field and by a chip
    await fill(page, "kappa", 0.002);
    expect(await row(page, "own")).toEqual(expected(0.002, pulled));
    expect(await row(page, "kappa1")).toEqual([]);
    await page.click("[data-chip=kappa1]");
    await settled(page);
    expect(await row(page, "kappa1")).toEqual(expected(1e-3, pulled));
    expect(await page.locator("[data-chart=gradient] .curve.kappa1").count()).toBe(1);
    expect(await page.locator("[data-chart=position] .tangent.own").count()).toBe(1);

    // a press on a chart goes to that force
    const chart = (await page.locator("[data-chart=position] svg").boundingBox())!;
    await page.mouse.click(chart.x + 0.5 * chart.width, chart.y + 60);
    await settled(page);
    expect(await force(page)).not.toBe(pulled);
    expect(await row(page, "own")).toEqual(expected(0.002, await force(page)));
    expect(complaints).toEqual([]);
  });

  test("estimates by randomised smoothing, and says what that costs", async () => {
    const { page, complaints } = await suite.open("#samples=30&force=10");
    await settled(page);
    const estimate = (sigma: number, samples: number, seed: number): number =>
      lens.smoothed("impact", 10, { sigma, samples, seed });
    expect((await row(page, "smoothed"))[1]).toBe(estimate(1, 30, 1));
    await fill(page, "sigma", 2.5);
    expect((await row(page, "smoothed"))[1]).toBe(estimate(2.5, 30, 1));
    await fill(page, "samples", 40);
    expect((await row(page, "smoothed"))[1]).toBe(estimate(2.5, 40, 1));
    expect(await page.textContent("tr[data-row=smoothed]")).toContain("41");
    expect(await page.textContent(".cost")).toContain("41 steps for a gradient and 3,321 for its curve");
    await page.click("[data-action=resample]");
    await settled(page);
    expect((await row(page, "smoothed"))[1]).toBe(estimate(2.5, 40, 1001));
    await page.click("[data-chip=smoothed]");
    await settled(page);
    expect(await row(page, "smoothed")).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("works by the keyboard alone, and its address reproduces it", async () => {
    const { page, complaints } = await suite.open("#samples=20");
    await settled(page);
    const focused = (selector: string): Promise<boolean> =>
      page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
    const tabTo = async (selector: string): Promise<void> => {
      for (let i = 0; i < 40 && !(await focused(selector)); i++) await page.keyboard.press("Tab");
      expect(await focused(selector), selector).toBe(true);
    };
    await tabTo("[role=tab]");
    await page.keyboard.press("ArrowRight");
    await tabTo("[data-setting=force-arrow]");
    await page.keyboard.press("Home");
    for (let i = 0; i < 7; i++) await page.keyboard.press("Shift+ArrowRight");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await tabTo("[data-chip=kappa0]");
    await page.keyboard.press(" ");
    await tabTo("input[type=range][data-setting=kappa]");
    await page.keyboard.press("ArrowLeft");
    await settled(page);
    expect(await force(page)).toBe(7.3);
    const kappa = Number(await page.inputValue("input[type=number][data-setting=kappa]"));
    expect(kappa).toBeLessThan(3e-4);
    const { displacement, gradient } = lens.values("friction", 7.3, kappa);
    expect(await row(page, "own")).toEqual([displacement, gradient]);

    await page.waitForFunction((own) => location.hash.includes(`force=7.3&kappa=${own}&`), kappa);
    const { page: other } = await openPage(suite.browser, page.url());
    await settled(other);
    expect(await row(other, "own")).toEqual([displacement, gradient]);
    expect(await other.getAttribute("[data-chip=kappa0]", "aria-pressed")).toBe("false");
    expect(await other.getAttribute("#tab-friction", "aria-selected")).toBe("true");
    expect(complaints).toEqual([]);
  });

  test("contains nothing of MuJoCo, and its engine is under 300 kB compressed", () => {
    const files = pageFiles(suite.folder, "lens");
    expect(files.filter(({ name }) => /mujoco|\.wasm$/.test(name))).toEqual([]);
    const sizes = files.map(({ text }) => gzipSync(Buffer.from(text, "latin1")).length);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(300_000);
  });

  test("fits a phone, is readable, and needs no unsafe-eval", async () => {
    expect(suite.served.policy).toContain("script-src 'self' 'wasm-unsafe-eval';");
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const { page, complaints } = await suite.open("#view=slip&force=8.4&samples=40", {
      ...phone,
      colorScheme: "dark",
    });
    await settled(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.screenshot({ path: join(pictures, "lensPhone.png"), fullPage: true });
    const curves = ["--own", "--smoothed", ...[0, 1, 2, 3, 4].map((i) => `--kappa${i}`)];
    for (const theme of ["dark", "light"]) {
      const found = await contrasts(page, ["--text", "--soft", "--accent", "--alarm"], curves);
      expect(found.text, theme).toBeGreaterThanOrEqual(4.5);
      expect(found.curves, theme).toBeGreaterThanOrEqual(3);
      await page.click("[data-action=theme]");
    }
    expect(complaints).toEqual([]);
  });
});
