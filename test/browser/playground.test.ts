/** The playground in a real browser. Pictures go to artefacts/, for people to look at. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { modelNames, models, sceneNames, toJson } from "dojo-sim";
import { strToU8, zipSync } from "fflate";
import type { Browser, Download, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ReadChoice, Scene } from "../../apps/playground/engine/scene.ts";
import { findBrowser, launchBrowser } from "../../scripts/browser.ts";
import { contrasts } from "./lensContrast.ts";
import { type PageFile, pageFiles, withImports } from "./pageFiles.ts";
import { openPlayground, pictures, type ServedPlayground, servePlayground } from "./playgroundPage.ts";
import { cartUrdf, meshRobot } from "./robots.ts";
import { startWorker } from "./startWorker.ts";

const executable = findBrowser();
if (!executable) console.log("no browser: the playground's browser tests are left out (apt-get install chromium)");

let built: ServedPlayground;
beforeAll(async () => {
  built = await servePlayground({ "robot.json": toJson({ ...models.cartpole(), name: "served" }) });
});
afterAll(() => built?.close());

describe("the build", () => {
  const scripts = (): PageFile[] => pageFiles(built.folder, "index").filter(({ name }) => name.endsWith(".js"));

  test("has the engine in less than 300 kB, compressed; what reads files comes when one is given", () => {
    const compressed = ({ text }: PageFile): number => gzipSync(Buffer.from(text, "latin1")).length;
    const engine = withImports(scripts(), "worker");
    const readers = scripts().filter(({ name }) => name.startsWith("robotFiles"));
    expect(readers.length).toBe(1);
    const bytes = engine.reduce((sum, file) => sum + compressed(file), 0);
    console.log(
      `the engine's worker: ${(bytes / 1000).toFixed(0)} kB compressed, what reads files: ${(compressed(readers[0]) / 1000).toFixed(0)} kB`,
    );
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(300_000);
    expect(engine.some(({ text }) => text.includes("disable_collisions"))).toBe(false);
    expect(readers[0].text).toContain("disable_collisions");
  });

  test("has workers that need no document, and share one engine", async () => {
    const assets = join(built.folder, "assets");
    const workers = readdirSync(assets).filter((name) => /worker-.*\.js$/i.test(name));
    expect(workers.length).toBe(9);
    for (const name of workers) await startWorker(pathToFileURL(join(assets, name)).href);
    const all = readdirSync(assets)
      .filter((name) => name.endsWith(".js"))
      .map((name) => ({ name, text: readFileSync(join(assets, name), "latin1") }));
    const [first, ...others] = workers.map((name) => withImports(all, name));
    const shared = first.filter((file) => others.every((files) => files.includes(file)));
    // which packages leave out
    expect([first, ...others].flat().filter(({ name }) => name.startsWith("mujoco"))).toEqual([]);
    const size = (files: readonly PageFile[]): number => files.reduce((sum, { text }) => sum + text.length, 0);
    expect(size(shared)).toBeGreaterThan(400_000);
    expect(Math.max(...[first, ...others].map((files) => size(files) - size(shared)))).toBeLessThan(400_000);

    // pages leave it to them
    const pages = readdirSync(built.folder).filter((name) => name.endsWith(".html"));
    expect(pages.length).toBeGreaterThan(5);
    const [engine] = [...shared].sort((one, other) => other.text.length - one.text.length);
    for (const page of pages) expect(withImports(all, `${page.slice(0, -5)}-`)).not.toContain(engine);
  });

  test("has an engine that loads models, and files with what reads them", async () => {
    const [engine] = withImports(scripts(), "worker");
    const file = pathToFileURL(join(built.folder, "assets", engine.name)).href;
    const bytes = new TextEncoder().encode(cartUrdf);
    for (const source of [
      { kind: "model", name: "pendulum" },
      { kind: "files", files: [{ name: "cart.urdf", bytes }] },
    ]) {
      const answer = await startWorker(file, { id: 1, request: { kind: "load", choice: { source } } });
      expect(answer).toMatchObject({
        kind: "answer",
        id: 1,
        value: { info: { name: expect.stringMatching(/pendulum|cart/) } },
      });
    }
  });

  test("has a policy that allows WebAssembly, and no text to become code", () => {
    expect(built.policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(built.policy).not.toContain("'unsafe-eval'");
    expect(built.policy).not.toMatch(/script-src[^;]*unsafe-inline/);
  });

  test("names no address but those of XML namespaces and of licences", () => {
    const known = /^https?:\/\/(www\.w3\.org\/|localhost)/;
    const addresses = scripts().flatMap(({ text }) => text.match(/https?:\/\/[\w.-]+[^"'`\s)\\]*/g) ?? []);
    expect([...new Set(addresses)].filter((address) => !known.test(address))).toEqual([]);
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

  const address = (hash = ""): string => `${built.server.address}${hash}`;
  const name = (page: Page): Promise<string> => page.evaluate("dojoPlayground.info.name");
  const time = (page: Page): Promise<number> => page.evaluate("dojoPlayground.frame.time");
  const playing = (page: Page): Promise<boolean> => page.evaluate("dojoPlayground.frame.playing");
  /** Evaluated by the tool, since the page's policy lets no text be code. */
  const until = (page: Page, condition: string): Promise<void> =>
    expect.poll(() => page.evaluate(condition)).toBe(true);
  const pause = async (page: Page): Promise<void> => {
    if (await playing(page)) await page.press("[data-action=play]", "Enter");
    await until(page, "!dojoPlayground.frame.playing");
  };
  const snapshot = (page: Page): Promise<{ state: number[]; input: number[]; settings: unknown }> =>
    page.evaluate(`dojoPlayground.engine.ask({ kind: "snapshot" }).then(({ state, input, settings }) =>
      ({ state: [...state], input: [...input], settings }))`);
  const said = (page: Page): Promise<string | null> => page.textContent(".errors");
  /** Controls that a screen reader could not name. */
  const nameless = (page: Page): Promise<string[]> =>
    page.$$eval("button, select, input:not([type=file]), summary, canvas:not([aria-hidden] *)", (all) =>
      all
        .filter((one) => !(one as HTMLInputElement).labels?.length)
        .filter((one) => !one.textContent?.trim() && !one.getAttribute("aria-label"))
        .map((one) => one.outerHTML.slice(0, 80)),
    );
  const still = { reducedMotion: "reduce" } as const;

  test("runs A1 on the clock, at a cost that leaves 30 updates per second and real time to spare", async () => {
    const { page, complaints } = await openPlayground(browser, address("#model=a1"), { often: true });
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
    const { page, complaints } = await openPlayground(browser, address("#model=block"), still);
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
    const { page, complaints } = await openPlayground(browser, address());
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
    const { page, complaints } = await openPlayground(browser, address("#model=a1"), still);
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

  test("takes files that are dropped or chosen, and says what is wrong with others", async () => {
    const { page, complaints } = await openPlayground(browser, address("#model=pendulum"), still);
    const drop = (file: string, text: string): Promise<void> =>
      page.evaluate(
        ([fileName, content]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([content], fileName));
          window.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
        },
        [file, text],
      );
    await drop("cart.urdf", cartUrdf);
    await until(page, "dojoPlayground.info.name === 'cart'");
    expect(await page.evaluate("dojoPlayground.info.bodies.map(({ name }) => name)")).toEqual(["cart", "pole"]);
    expect(await page.textContent(".notes")).toContain("left out or changed");

    // what cannot be read changes nothing
    await drop("broken.urdf", "<robot name='x'><link name='a'></robot>");
    await expect.poll(() => said(page)).toMatch(/broken\.urdf:1:.*cart stays/s);
    await drop("heavy.urdf", cartUrdf.replace('mass value="1"', 'mass value="NaN"'));
    await expect.poll(() => said(page)).toMatch(/heavy\.urdf:\d+:.*NaN/s);
    await drop("picture.png", "no robot");
    await expect.poll(() => said(page)).toMatch(/no robot in picture\.png/);
    expect(await name(page)).toBe("cart");

    // an archive with a mesh, by the button
    const zip = zipSync({ "leg/robot.urdf": strToU8(meshRobot.urdf), "leg/meshes/foot.stl": strToU8(meshRobot.stl) });
    await page.setInputFiles("input[type=file]", {
      name: "leg.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(zip),
    });
    await until(page, "dojoPlayground.info.name === 'leg'");
    expect(await page.evaluate("dojoPlayground.info.contacts.length")).toBe(3);
    expect(await said(page)).toBe("");
    await page.setInputFiles("input[type=file]", {
      name: "torn.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(zip.slice(0, 40)),
    });
    await expect.poll(() => said(page)).toMatch(/torn\.zip is no zip archive/);
    expect(complaints).toEqual([]);
  });

  test("lets bodies of a file touch one another or the floor alone, and the view stays with them", async () => {
    const { page } = await openPlayground(browser, address("#model=block"), still);
    const falling = (name: string, z: number): string =>
      `<body name="${name}" pos="0 0 ${z}"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>`;
    const bodies = falling("low", 0.1) + falling("high", 0.4);
    const text = `<mujoco><worldbody><geom type="plane" size="1 1 1"/>${bodies}</worldbody></mujoco>`;
    await page.setInputFiles("input[type=file]", { name: "two.xml", mimeType: "text/xml", buffer: Buffer.from(text) });
    const heightAfter = async (collisions: string): Promise<number> => {
      await until(page, `dojoPlayground.info.collisions === "${collisions}"`);
      await page.evaluate("dojoPlayground.engine.ask({ kind: 'step', steps: 200 })");
      return page.evaluate("dojoPlayground.engine.ask({ kind: 'snapshot' }).then(({ state }) => state[13 + 2])");
    };
    expect(await heightAfter("shapes")).toBeCloseTo(0.3, 3);
    const camera = (): Promise<number> => page.evaluate("dojoPlayground.stage.view.camera.position.z");
    const before = await camera();
    await page.selectOption("select[name=collisions]", "floor");
    expect(await heightAfter("floor")).toBeCloseTo(0.1, 3);
    // bodies fall by 0.3 m at most, and the view with them
    expect(Math.abs((await camera()) - before)).toBeLessThan(0.31);
    expect(await page.isVisible("select[name=collisions]")).toBe(true);
  });

  test("copies a link that shows the same scene", async () => {
    const { page, complaints } = await openPlayground(
      browser,
      address("#model=hopper&drive=motor&friction=0.4&gravity=-3"),
    );
    await until(page, "dojoPlayground.frame.time > 0.2");
    await pause(page);
    await page.click("[data-action=link]");
    await expect.poll(() => page.textContent(".notes")).toContain("was copied");
    expect(await page.textContent(".notes")).toContain("opens on this machine");
    const link = (await page.evaluate("navigator.clipboard.readText()")) as string;
    const there = await snapshot(page);
    const { page: other, complaints: more } = await openPlayground(browser, link);
    expect(await name(other)).toBe("hopper");
    expect(await playing(other)).toBe(false);
    expect(await snapshot(other)).toEqual(there);
    expect(await other.evaluate("dojoPlayground.info.drive")).toBe("motor");
    // and goes on alike
    for (const each of [page, other]) await each.evaluate(`dojoPlayground.engine.ask({ kind: "step", steps: 50 })`);
    expect(await snapshot(other)).toEqual(await snapshot(page));

    // a robot from a file travels in the link
    const follow = (hash: string): Promise<void> => other.evaluate((to) => location.replace(to), hash);
    await follow("#from=robot.json");
    await until(other, "dojoPlayground.info.name === 'served' && location.hash.includes('robot=')");
    const hash = (await other.evaluate("location.hash")) as string;
    await follow("#model=block");
    await until(other, "dojoPlayground.info.name === 'block'");
    await follow(hash);
    await until(other, "dojoPlayground.info.name === 'served'");
    expect([...complaints, ...more]).toEqual([]);
  });

  test("answers links that are wrong, and keeps the scene it has", async () => {
    const { page } = await openPlayground(browser, address("#model=atlsa"), still);
    expect(await said(page)).toContain('did you mean "atlas"?');
    expect(await name(page)).toBe("a1");
    const follow = (hash: string): Promise<void> => page.evaluate((to) => location.replace(to), hash);
    await follow("#model=block&h=fast");
    await expect.poll(() => said(page)).toContain("h=fast is no number");
    await follow("#model=block&h=-1");
    await expect.poll(() => said(page)).toContain("timestep = -1 is not between");
    await follow("#model=block&state=AAAA");
    await expect.poll(() => said(page)).toMatch(/state cannot be read.*a1 stays/);
    await follow("#from=../secret.json");
    await expect.poll(() => said(page)).toContain("names no file beside the page");
    expect(await name(page)).toBe("a1");
    expect(await page.evaluate("location.hash")).toContain("model=a1");
    await follow("#model=block");
    await expect.poll(() => name(page)).toBe("block");
    expect(await said(page)).toBe("");
  });

  test("is used with the keyboard alone", async () => {
    const { page, complaints } = await openPlayground(browser, address("#model=block"), still);
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
    const { page, complaints } = await openPlayground(browser, address("#model=atlas"));
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

  test("saves replays and trajectories", async () => {
    const { page, complaints } = await openPlayground(browser, address("#model=sphere"), still);
    await page.evaluate(`dojoPlayground.engine.ask({ kind: "step", steps: 40 })`);
    const save = async (format: string): Promise<{ file: string; text: string }> => {
      await page.click(".menu-title");
      const waiting: Promise<Download> = page.waitForEvent("download");
      await page.click(`[data-export=${format}]`);
      const download = await waiting;
      return { file: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
    };
    const html = await save("html");
    expect(html.file).toBe("sphere.html");
    expect(html.text).toContain('"format":"dojo-replay"');
    expect(html.text.length).toBeGreaterThan(400_000);
    const csv = await save("csv");
    expect(csv.text.trim().split("\n")).toHaveLength(42);
    const json = JSON.parse((await save("json")).text);
    expect(json.states).toHaveLength(41);
    expect(json.summary).toEqual({ model: "sphere", timestep: 0.01, steps: 40 });
    expect(complaints).toEqual([]);
  });

  test("fits into small and low windows, with nothing over anything else", async () => {
    const { page } = await openPlayground(browser, address("#model=a1"), still);
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
    const { page } = await openPlayground(browser, address("#model=block"), still);
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
      const { page, complaints } = await openPlayground(browser, address("#model=a1"), {
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
