/** Files that the playground is given in a real browser, links that it copies and follows, and what it saves. */
import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import type { Download } from "playwright-core";
import { expect, test } from "vitest";
import { describePlayground, pause, playing, said, sceneName, snapshot, still, until } from "./playgroundSuite.ts";
import { cartUrdf, meshRobot } from "./robots.ts";

describePlayground("files and links of the page", (suite) => {
  test("takes files that are dropped or chosen, and says what is wrong with others", async () => {
    const { page, complaints } = await suite.open("#model=pendulum", still);
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
    // notes that are being read stay, but not beside another robot
    await page.click(".notes summary");
    await page.evaluate("dojoPlayground.open({ source: { kind: 'model', name: 'block' } })");
    expect(await page.textContent(".notes")).toBe("");
    await drop("cart.urdf", cartUrdf);
    await until(page, "dojoPlayground.info.name === 'cart'");

    // what cannot be read changes nothing
    await drop("broken.urdf", "<robot name='x'><link name='a'></robot>");
    await expect.poll(() => said(page)).toMatch(/broken\.urdf:1:.*cart stays/s);
    await drop("heavy.urdf", cartUrdf.replace('mass value="1"', 'mass value="NaN"'));
    await expect.poll(() => said(page)).toMatch(/heavy\.urdf:\d+:.*NaN/s);
    await drop("picture.png", "no robot");
    await expect.poll(() => said(page)).toMatch(/no robot in picture\.png/);
    expect(await sceneName(page)).toBe("cart");

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
    const { page } = await suite.open("#model=block", still);
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
    const { page, complaints } = await suite.open("#model=hopper&drive=motor&friction=0.4&gravity=-3");
    await until(page, "dojoPlayground.frame.time > 0.2");
    await pause(page);
    await page.click("[data-action=link]");
    await expect.poll(() => page.textContent(".notes")).toContain("was copied");
    expect(await page.textContent(".notes")).toContain("opens on this machine");
    const link = (await page.evaluate("navigator.clipboard.readText()")) as string;
    const there = await snapshot(page);
    const { page: other, complaints: more } = await suite.openAt(link);
    expect(await sceneName(other)).toBe("hopper");
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
    const { page } = await suite.open("#model=atlsa", still);
    expect(await said(page)).toContain('did you mean "atlas"?');
    expect(await sceneName(page)).toBe("a1");
    const follow = (hash: string): Promise<void> => page.evaluate((to) => location.replace(to), hash);
    await follow("#model=block&h=fast");
    await expect.poll(() => said(page)).toContain("h=fast is no number");
    await follow("#model=block&h=-1");
    await expect.poll(() => said(page)).toContain("timestep = -1 is not between");
    await follow("#model=block&state=AAAA");
    await expect.poll(() => said(page)).toMatch(/state cannot be read.*a1 stays/);
    await follow("#from=../secret.json");
    await expect.poll(() => said(page)).toContain("names no file beside the page");
    expect(await sceneName(page)).toBe("a1");
    expect(await page.evaluate("location.hash")).toContain("model=a1");
    await follow("#model=block");
    await expect.poll(() => sceneName(page)).toBe("block");
    expect(await said(page)).toBe("");
  });

  test("a scene that is loaded late leaves the address of another entry of the history alone", async () => {
    const { page } = await suite.open("#model=pendulum", still);
    // answers come when they are let through
    await page.evaluate(`{
      const { engine } = dojoPlayground;
      const ask = engine.ask.bind(engine);
      window.gates = [];
      engine.ask = async (request) => {
        const answer = await ask(request);
        if (request.kind === "load") await new Promise((open) => gates.push(open));
        return answer;
      };
    }`);
    await page.evaluate("location.hash = '#model=block'");
    await until(page, "gates.length === 1");
    await page.evaluate("history.back()");
    await until(page, "gates.length === 2");
    await page.evaluate("gates[0]()");
    await until(page, "dojoPlayground.info.name === 'block'");
    expect(await page.evaluate("location.hash")).toContain("model=pendulum");
    await page.evaluate("gates[1]()");
    await until(page, "dojoPlayground.info.name === 'pendulum'");
    expect(await page.evaluate("location.hash")).toContain("model=pendulum");
  });

  test("saves replays and trajectories", async () => {
    const { page, complaints } = await suite.open("#model=sphere", still);
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

    // the server may be gone, or be one that lacks the file
    for (const [answer, why] of [
      [{ status: 404, body: "not here" }, "the server answers 404"],
      [undefined, "the server does not answer"],
    ] as const) {
      await page.route("**/replayViewer.js", (route) => (answer ? route.fulfill(answer) : route.abort()), { times: 1 });
      await page.click(".menu-title");
      await page.click("[data-export=html]");
      await expect.poll(() => said(page)).toContain(why);
    }
  });
});
