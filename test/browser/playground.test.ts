/** The playground in a real browser. Pictures go to artefacts/, for people to look at. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { modelNames, sceneNames } from "dojo-sim";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type ReadChoice, Scene } from "../../apps/playground/engine/scene.ts";
import { contrasts } from "./lensContrast.ts";
import { describePlayground, pause, pictures, playing, said, snapshot, still, time, until } from "./playgroundSuite.ts";

/** Controls that a screen reader could not name. */
const nameless = (page: Page): Promise<string[]> =>
  page.$$eval("button, select, input:not([type=file]), summary, canvas:not([aria-hidden] *)", (all) =>
    all
      .filter((one) => !(one as HTMLInputElement).labels?.length)
      .filter((one) => !one.textContent?.trim() && !one.getAttribute("aria-label"))
      .map((one) => one.outerHTML.slice(0, 80)),
  );

describePlayground("the page in a browser", (suite) => {
  test("runs A1 on the clock, at a cost that leaves 30 updates per second and real time to spare", async () => {
    const { page, complaints } = await suite.open("#model=a1", { often: true });
    await until(page, "dojoPlayground.frame.time > 0.5");
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Performance.enable");
    /** The worker's clock, simulated time and processor time of the page's own thread, s, and updates so far. */
    const now = async () => {
      const [{ metrics }, page_] = await Promise.all([
        cdp.send("Performance.getMetrics"),
        page.evaluate(() => ({
          wall: window.dojoPlayground!.frame!.wall / 1000,
          updates: window.dojoPlayground!.rate.frames,
          time: window.dojoPlayground!.frame!.time,
        })),
      ]);
      return { ...page_, thread: metrics.find((metric) => metric.name === "ThreadTime")?.value ?? Number.NaN };
    };
    const first = await now();
    await until(page, `dojoPlayground.frame.time > ${first.time + 2}`);
    const last = await now();
    const time = last.time - first.time;
    const updates = last.updates - first.updates;
    const realTime = time / (last.wall - first.wall);
    const cost = (last.thread - first.thread) / updates;
    console.log(
      `A1 in the page: ${(updates * (realTime / time)).toFixed(0)} updates/s, ${realTime.toFixed(2)} times real time, ` +
        `${(1000 * cost).toFixed(1)} ms of the page's thread per update`,
    );
    // how fast both are goes by what else the machine does; by its clock time never runs ahead, and comes in pieces of 0.05 s at most
    expect(realTime).toBeLessThan(1.05);
    expect(updates / time).toBeGreaterThan(19);
    // what they cost does not: of a processor's time
    expect(cost).toBeLessThan(1 / 30);
    const scene = new Scene({ source: { kind: "model", name: "a1" } });
    const begin = process.cpuUsage().user;
    for (let k = 0; k < 200; k++) expect(scene.step().status).toBe("solved");
    expect((process.cpuUsage().user - begin) / 1e6).toBeLessThan(0.25 * scene.time);
    // it stands
    expect(await page.evaluate("dojoPlayground.frame.poses[2]")).toBeGreaterThan(0.25);
    await page.screenshot({ path: join(pictures, "playgroundA1.png") });
    expect(complaints).toEqual([]);
  });

  test("ends 1,000 steps of A1, and then of Atlas, with the bits that Node has", async () => {
    const { page, complaints } = await suite.open("#model=block", still);
    for (const model of ["a1", "atlas"]) {
      const choice: ReadChoice = { source: { kind: "model", name: model }, drive: "motor" };
      const scene = new Scene(choice);
      const input = scene.input.map((_, i) => 3 * Math.fround(Math.cos(i)));
      const here = new Scene({ ...choice, input });
      for (let k = 0; k < 1000; k++) expect(here.step().status).toBe("solved");
      const there = (await page.evaluate(
        async ({ name: wanted, input: numbers }) => {
          const { engine } = window.dojoPlayground!;
          await engine.ask({
            kind: "load",
            choice: { source: { kind: "model", name: wanted }, drive: "motor", input: Float64Array.from(numbers) },
          });
          await engine.ask({ kind: "step", steps: 1000 });
          const { state, time: seconds } = await engine.ask({ kind: "snapshot" });
          const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", state.buffer as ArrayBuffer));
          return { hash: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""), seconds };
        },
        { name: model, input: Array.from(input) },
      )) as { hash: string; seconds: number };
      expect(there.seconds).toBeCloseTo(10, 6);
      expect(there.hash).toBe(createHash("sha256").update(here.state).digest("hex"));
    }
    expect(complaints).toEqual([]);
  });

  test("lets Atlas be found, pulled with the mouse, and its h and κ be changed", async () => {
    const { page, complaints } = await suite.open();
    await page.click("[data-action=models]");
    await page.keyboard.type("boston");
    await page.keyboard.press("Enter");
    await until(page, "dojoPlayground.info.name === 'atlas' && dojoPlayground.frame.time > 0.05");
    const place = async (): Promise<number[]> =>
      page.evaluate(
        "[...dojoPlayground.frame.poses.slice(7 * dojoPlayground.info.base, 7 * dojoPlayground.info.base + 3)]",
      );
    const before = await place();
    const { x, y } = (await page.evaluate("dojoPlayground.stage.screenPlace(dojoPlayground.info.base)")) as {
      x: number;
      y: number;
    };
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 90, y - 20, { steps: 2 });
    await until(page, "dojoPlayground.frame.pull !== null");
    const far = ([a, b, c]: number[]): number => Math.hypot(a - before[0], b - before[1], c - before[2]);
    await expect.poll(async () => far(await place())).toBeGreaterThan(0.05);
    await page.screenshot({ path: join(pictures, "playgroundAtlasPulled.png") });
    await page.mouse.up();
    await until(page, "dojoPlayground.frame.pull === null");
    expect(await page.inputValue("[name=pushBody]")).toMatch(/^\d+$/);

    // sliders, by keyboard
    await page.focus("[name=timestep]");
    await page.keyboard.press("ArrowRight");
    await page.focus("[name=kappa]");
    // the first leaves the engine's own value
    for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowRight");
    const kappa = Number((10 ** (-8 + 2 * 0.035)).toPrecision(3));
    await expect.poll(async () => (await snapshot(page)).settings).toMatchObject({ kappa });
    const { settings } = (await snapshot(page)) as { settings: { timestep: number } };
    expect(settings.timestep).toBeGreaterThan(0.01);
    expect(await page.evaluate("location.hash")).toContain(`kappa=${kappa}`);
    expect(await page.evaluate("location.hash")).toContain(`h=${settings.timestep}`);
    const steps = await time(page);
    await until(page, `dojoPlayground.frame.time > ${steps}`);
    expect(complaints).toEqual([]);
  });

  test("shows gradient arrows, which depend on κ", async () => {
    const { page, complaints } = await suite.open("#model=a1", still);
    await page.keyboard.press("g");
    await until(page, "dojoPlayground.frame.arrows !== null");
    const arrows = (): Promise<number[]> => page.evaluate("[...dojoPlayground.frame.arrows]");
    const sharp = await arrows();
    expect(sharp).toHaveLength(36);
    // the key brings the panel that explains them
    expect(await page.isVisible("[name=arrowKappa]")).toBe(true);
    expect(await page.textContent(".strongest")).toMatch(/^Strongest: .* m\/s per rad/);
    await page.fill("[name=arrowKappa]", "-1");
    await expect.poll(arrows).not.toEqual(sharp);
    await page.screenshot({ path: join(pictures, "playgroundArrows.png") });
    expect(complaints).toEqual([]);
  });

  test("is used with the keyboard alone", async () => {
    const { page, complaints } = await suite.open("#model=block", still);
    const h = 0.01;
    expect(await playing(page)).toBe(false);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => time(page)).toBeCloseTo(h);
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(() => time(page)).toBeCloseTo(11 * h);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => time(page)).toBeCloseTo(10 * h);
    await page.keyboard.press(" ");
    await until(page, "dojoPlayground.frame.playing && dojoPlayground.frame.time > 0.2");
    await page.keyboard.press("-");
    expect(await page.inputValue("[data-action=speed]")).toBe("0.5");
    await page.keyboard.press("+");
    expect(await page.inputValue("[data-action=speed]")).toBe("1");
    await pause(page);
    await page.keyboard.press("Backspace");
    await expect.poll(() => time(page)).toBe(0);

    // help opens and closes
    await page.keyboard.press("?");
    expect(await page.isVisible("dialog.help")).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.isVisible("dialog.help")).toBe(false);

    // a push moves the block sideways
    const before = (await snapshot(page)).state[0];
    await page.focus("[name=pushDirection]");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.dataset.action")).toBe("push");
    await page.keyboard.press("Enter");
    await until(page, "dojoPlayground.frame.time > 0.3");
    expect((await snapshot(page)).state[0]).toBeLessThan(before - 0.05);
    await pause(page);

    // the list of models, by arrows
    await page.keyboard.press("m");
    await page.keyboard.type("pend");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until(page, "dojoPlayground.info.name === 'nPendulum'");

    // what was chosen is played by the next key, and the list stays closed
    await page.keyboard.press(" ");
    await until(page, "dojoPlayground.frame.playing");
    expect(await page.isVisible("dialog.models")).toBe(false);
    await pause(page);

    // joints are posed by arrows
    await page.click(".section-title:text-is('Joints')");
    await page.check("[name=jointMode][value=pose]");
    await page.locator(".joints input").first().focus();
    const shown = async (): Promise<number> =>
      Number.parseFloat((await page.locator(".joints output").first().textContent()) ?? "");
    await expect.poll(shown).not.toBeNaN();
    const unmoved = await shown();
    for (let k = 0; k < 5; k++) await page.keyboard.press("ArrowRight");
    // the label and the pose follow the last key, each in its own time
    await expect
      .poll(async () => {
        const label = await shown();
        const pose = (await page.evaluate("dojoPlayground.frame.coordinates[0]")) as number;
        return label !== unmoved && Math.abs(label - pose) < 0.005 ? "both" : { unmoved, label, pose };
      })
      .toBe("both");
    expect(complaints).toEqual([]);
  });

  test("names joints in full, on a phone too, and says how fast it draws", async () => {
    const { page, complaints } = await suite.open("#model=atlas");
    await page.click(".section-title:text-is('Joints')");
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(viewport);
      const cut = await page
        .locator(".joints label")
        .evaluateAll((labels) => labels.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
      expect([await page.locator(".joints label").count(), cut]).toEqual([30, 0]);
      await expect.poll(() => page.textContent(".rate")).toMatch(/^[1-9][\d.]* frames\/s, |^0\.[1-9] f/);
      await page.screenshot({ path: join(pictures, `playgroundJoints${viewport.width}.png`) });
    }
    expect(complaints).toEqual([]);
  });

  test("fits into small and low windows, with nothing over anything else", async () => {
    const { page } = await suite.open("#model=a1", still);
    const edges = (selector: string): Promise<DOMRect> =>
      page.$eval(selector, (one) => one.getBoundingClientRect().toJSON());
    for (const [width, height] of [
      [320, 568],
      [390, 800],
      [812, 375],
      [1280, 800],
    ]) {
      await page.setViewportSize({ width, height });
      const [stage, transport, plots] = await Promise.all([".stage", ".transport", ".plots"].map(edges));
      expect(transport.left).toBeGreaterThanOrEqual(stage.left);
      expect(transport.right).toBeLessThanOrEqual(stage.right);
      expect(transport.bottom).toBeLessThanOrEqual(stage.bottom);
      expect(plots.top).toBeGreaterThanOrEqual(stage.bottom - 1);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
  });

  test("says so when its worker fails while nobody asks it anything", async () => {
    const { page } = await suite.open("#model=block", still);
    await until(page, "dojoPlayground.info !== undefined");
    const [worker] = page.workers();
    await worker.evaluate(() => {
      setTimeout(() => {
        throw new Error("no memory is left");
      });
    });
    await expect.poll(() => said(page)).toContain("The engine failed: Uncaught Error: no memory is left.");
  });

  test("can be read in both themes and on a phone, and names every control", async () => {
    const texts = ["--text", "--soft", "--accent", "--alarm"];
    const phone = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, complaints } = await suite.open("#model=a1", {
        ...phone,
        ...still,
        colorScheme,
      });
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe(colorScheme);
      const { text, curves } = await contrasts(page, texts, ["--line0", "--line1", "--line2"]);
      expect(text).toBeGreaterThan(4.5);
      expect(curves).toBeGreaterThan(3);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      expect(await nameless(page)).toEqual([]);
      expect(await page.$$eval("[data-model]", (all) => all.map((one) => (one as HTMLElement).dataset.model))).toEqual([
        ...modelNames,
        ...sceneNames,
      ]);
      expect(await page.textContent(".limits")).toContain("meshes are drawn as their bounding boxes");
      await page.tap("[data-action=step-forth]");
      await expect.poll(() => time(page)).toBeGreaterThan(0);
      await page.screenshot({ path: join(pictures, `playgroundPhone-${colorScheme}.png`) });
      expect(complaints).toEqual([]);
    }
  });
});
