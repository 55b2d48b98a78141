/** The replay in a real browser without a network. Pictures go to artefacts/, for people to look at. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { replayData, replayHtml } from "dojo-sim";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, launchBrowser } from "../../scripts/browser.ts";
import { calm, complaintsOf } from "../browser/calm.ts";
import { builtPackage } from "../built.ts";
import { barePendulum, type Scene, thrownBox } from "../replay/scenes.ts";

const root = join(import.meta.dirname, "../..");
const executable = findBrowser();
if (!executable) console.log("no browser: the replay's browser tests are left out (apt-get install chromium)");

mkdirSync(join(root, ".tmp"), { recursive: true });
const folder = mkdtempSync(join(root, ".tmp/replay-"));
const pictures = join(root, "artefacts");
mkdirSync(pictures, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let viewer = "";
beforeAll(() => {
  viewer = readFileSync(join(builtPackage(), "replay/viewer.js"), "utf8");
});

function pageOf(name: string, { simulation, trajectory }: Scene): string {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, replayHtml(replayData(trajectory, { simulation, title: name }), viewer));
  return pathToFileURL(file).href;
}

describe("the viewer", () => {
  test("names no address but those of XML namespaces", () => {
    const addresses = viewer.match(/https?:\/\/[^"'`\s)]*/g) ?? [];
    expect(addresses.filter((address) => !address.startsWith("http://www.w3.org/"))).toEqual([]);
  });

  test("is under 700 kB and evaluates no text", () => {
    expect(viewer.length).toBeLessThan(700_000);
    expect(viewer).not.toMatch(/\beval\(|new Function\(|new Worker\(|importScripts/);
  });
});

/** Pictures are drawn by software, on machines that have other things to do. */
const patience = 180_000;

describe.skipIf(!executable)("the page in a browser", { timeout: patience }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(executable as string);
  });
  // a page that is left open goes on drawing
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(() => browser?.close());

  /** Opens a page without a network; what the console says in anger is collected. */
  async function open(
    address: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const context = await calm(await browser.newContext({ offline: true, reducedMotion: "reduce", ...options }));
    const page = await context.newPage();
    // machines have other things to do
    page.setDefaultTimeout(100_000);
    const complaints = complaintsOf(page);
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForFunction(() => "dojoReplay" in window);
    return { page, complaints };
  }

  const time = (page: Page): Promise<number> => page.evaluate("dojoReplay.playback.time");
  const playing = (page: Page): Promise<boolean> => page.evaluate("dojoReplay.playback.playing");
  /** Number of different colours in the view. */
  const colors = (page: Page): Promise<number> =>
    page.evaluate(async () => {
      const image = new Image();
      image.src = window.dojoReplay?.picture() ?? "";
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
      context.drawImage(image, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    });

  test("shows a motion, plays, pauses, steps and seeks", async () => {
    const { page, complaints } = await open(pageOf("thrownBox", thrownBox(150)), {
      viewport: { width: 900, height: 640 },
    });
    expect(await page.textContent("h1")).toBe("thrownBox");
    expect(await colors(page)).toBeGreaterThan(200);
    expect(await page.locator(".plot").count()).toBe(4);

    // play runs
    await page.click("[data-action=play]");
    await page.waitForFunction(() => (window.dojoReplay?.playback.time ?? 0) > 0.1);
    // the space bar stops and starts
    await page.keyboard.press(" ");
    expect(await playing(page)).toBe(false);
    await page.keyboard.press(" ");
    expect(await playing(page)).toBe(true);
    await page.keyboard.press(" ");

    // the timeline and the arrows
    await page.fill(".timeline", "0.5");
    expect(await time(page)).toBeCloseTo(0.5);
    await page.keyboard.press("ArrowRight");
    expect(await time(page)).toBeCloseTo(0.51);
    await page.keyboard.press("Shift+ArrowLeft");
    expect(await time(page)).toBeCloseTo(0.41);
    await page.keyboard.press("End");
    expect(await time(page)).toBeCloseTo(1.5);
    await page.waitForFunction(() => document.querySelector(".clock")?.textContent?.startsWith("1.50 s"));

    // at the end, play begins again, at the speed chosen
    await page.selectOption("[data-action=speed]", "4");
    await page.click("[data-action=play]");
    await page.waitForFunction(
      () => window.dojoReplay?.playback.playing === false && window.dojoReplay.playback.time > 1.49,
    );
    await page.screenshot({ path: join(pictures, "replayDesktop.png") });
    expect(complaints).toEqual([]);
  });

  test("lets contacts, camera, loop and colours be changed", async () => {
    const { page, complaints } = await open(pageOf("thrownBox", thrownBox(150)), {
      viewport: { width: 900, height: 640 },
    });
    await page.keyboard.press("End");
    const picture = (): Promise<string> => page.evaluate("dojoReplay.picture()");
    const before = await picture();
    await page.click("[data-action=contacts]");
    expect(await page.getAttribute("[data-action=contacts]", "aria-pressed")).toBe("false");
    const without = await picture();
    expect(without).not.toBe(before);
    await page.keyboard.press("c");
    expect(await picture()).toBe(before);

    // turned by the mouse, and back
    const view = (await page.locator(".stage canvas").boundingBox()) as { x: number; y: number };
    await page.mouse.move(view.x + 300, view.y + 200);
    await page.mouse.down();
    await page.mouse.move(view.x + 450, view.y + 230, { steps: 4 });
    await page.mouse.up();
    expect(await picture()).not.toBe(before);
    await page.click("[data-action=reset]");
    expect(await picture()).toBe(before);

    await page.click("[data-action=theme]");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    expect(await picture()).not.toBe(before);
    for (const key of ["loop", "follow"] as const) {
      const pressed = (): Promise<string | null> => page.getAttribute(`[data-action=${key}]`, "aria-pressed");
      const first = await pressed();
      await page.click(`[data-action=${key}]`);
      expect(await pressed()).toBe(first === "true" ? "false" : "true");
    }
    expect(complaints).toEqual([]);
  });

  test("fits a phone, and follows its colours", async () => {
    const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
    const { page, complaints } = await open(pageOf("thrownBox", thrownBox(150)), { ...phone, colorScheme: "dark" });
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await colors(page)).toBeGreaterThan(200);
    await page.tap("[data-action=play]");
    await page.waitForFunction(() => (window.dojoReplay?.playback.time ?? 0) > 0);
    await page.screenshot({ path: join(pictures, "replayPhone.png"), fullPage: true });
    expect(complaints).toEqual([]);
  });

  test("plays by itself unless the reader asks for little motion", async () => {
    const { page } = await open(pageOf("pendulum", barePendulum(50)), { reducedMotion: "no-preference" });
    await page.waitForFunction(() => (window.dojoReplay?.playback.time ?? 0) > 0);
    const { page: still } = await open(pageOf("pendulum", barePendulum(50)));
    expect(await playing(still)).toBe(false);
  });

  test("shows one frame, and bodies without shapes", async () => {
    const { page, complaints } = await open(pageOf("pendulum", barePendulum(0)));
    expect(await colors(page)).toBeGreaterThan(50);
    expect(complaints).toEqual([]);
  });
});
