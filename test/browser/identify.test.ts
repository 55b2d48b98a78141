/** The page of identification: made-up tosses give their cube back, and in a real browser recordings are dropped and refused. Pictures go to artefacts/. */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FitReport } from "../../apps/playground/identify/protocol.ts";
import { TossFit } from "../../apps/playground/identify/tossFit.ts";
import { syntheticTosses, tossParameters } from "../../src/index.ts";
import { pictures } from "./lensServer.ts";
import { describePage } from "./pageSuite.ts";

const names = ["friction", "halfWidth", "inertia"];

/** A toss that the page has not made up itself, as a table. */
function tossTable(): string {
  const truth = { friction: 0.25, halfWidth: 0.0513, inertia: 9e-4 };
  const [toss] = syntheticTosses(tossParameters(names), truth, { count: 1, seed: 7 });
  const rows = Array.from({ length: toss.frames }, (_, k) => toss.poses.cube.subarray(7 * k, 7 * k + 7).join(","));
  return ["x,y,z,qw,qx,qy,qz", ...rows].join("\n");
}

test("a fit of made-up tosses finds the cube, and predicts the toss that is shown better than at the start", async () => {
  const fit = new TossFit(names);
  const reports: FitReport[] = [fit.first()];
  const { converged, parameters } = await fit.go((report) => reports.push(report), new AbortController().signal);
  expect(converged).toBe(true);
  const [first, last] = [reports[0], reports[reports.length - 1]];
  // one step per seven frames of tosses that were made in four steps per frame: the model's own error
  expect(Math.abs(parameters.halfWidth.value / 0.0513 - 1)).toBeLessThan(0.02);
  expect(Math.abs(parameters.friction.value / 0.17 - 1)).toBeLessThan(0.1);
  expect(last.toss.position).toBeLessThan(0.5 * first.toss.position);
  expect(last.toss.recorded.length).toBe(last.toss.predicted.length);
});

test("what is no recording is refused with its file and line", () => {
  const broken = tossTable().replace(/\n[^\n]*$/, "\n1,2,x,1,0,0,0");
  expect(() => new TossFit(names, [{ name: "toss.csv", text: broken }])).toThrow(/toss\.csv.*81/);
  const sunk = tossTable().replace(/^(-?[\d.e-]+,-?[\d.e-]+),/gm, "$1,-");
  expect(() => new TossFit(names, [{ name: "toss.csv", text: sunk }])).toThrow(/toss\.csv/);
});

describePage("identify", (suite) => {
  test("parameters of made-up tosses converge, then those of a recording that is opened; a broken one is named", async () => {
    const { page, complaints } = await suite.open("#parameters=friction,halfWidth");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".progress")?.dataset.done === "true");
    const value = (name: string): Promise<number> =>
      page.$eval(`[data-parameter=${name}]`, (row) => Number((row as HTMLElement).dataset.value));
    expect(Math.abs((await value("halfWidth")) / 0.0513 - 1)).toBeLessThan(0.02);
    expect(await page.textContent(".progress")).toMatch(/^12 recordings, .*converged/);
    // what is known about the intervals stands beside them; nothing is amiss, so nothing complains
    expect(await page.textContent("[aria-label=Parameters] .caution")).toContain("too narrow");
    expect(await page.textContent(".complaint")).toBe("");
    expect(await page.textContent("[data-parameter=halfWidth] th")).toBe("half the width, m");
    await page.screenshot({ path: join(pictures, "identify.png"), fullPage: true });

    const file = (text: string) => ({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.setInputFiles("input[type=file]", file(tossTable()));
    await page.waitForFunction(() => document.querySelector(".progress")?.textContent?.startsWith("1 recording,"));
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".progress")?.dataset.done !== undefined);
    expect(await page.textContent(".error")).toContain("mine.csv");

    await page.setInputFiles("input[type=file]", file("x,y\n1,2\n"));
    await page.waitForFunction(() => document.querySelector(".complaint")?.textContent?.includes("mine.csv"));
    expect(complaints).toEqual([]);
  });

  test("fits a phone, and works by the keyboard", async () => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
    const { page, complaints } = await suite.open("#parameters=friction", { ...phone, colorScheme: "dark" });
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".progress")?.dataset.done !== undefined);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.focus("[data-parameter-choice=friction]");
    await page.keyboard.press("Space");
    await page.focus("[data-action=fit]");
    await page.keyboard.press("Enter");
    expect(await page.textContent(".complaint")).toContain("Choose something");
    await page.screenshot({ path: join(pictures, "identifyPhone.png"), fullPage: true });
    expect(complaints).toEqual([]);
  });
});
