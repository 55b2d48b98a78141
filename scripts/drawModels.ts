/**
 * Draws the sheets of all models and of all scenes for docs/models.md, as the replay viewer shows them: models in their rest state, scenes
 * some time after their start.
 *   npx tsx scripts/drawModels.ts [docs/figures]
 * Needs a Chromium (scripts/browser.ts) and ffmpeg: apt-get install chromium ffmpeg.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import {
  compile,
  type ModelName,
  maximalState,
  modelNames,
  models,
  replayData,
  replayHtml,
  type SceneName,
  Simulation,
  sceneNames,
  scenes,
  stateInput,
  type Trajectory,
} from "../src/index.ts";
import { findBrowser, launchBrowser } from "./browser.ts";
import { buildViewer } from "./buildViewer.ts";

/** Pixels of one picture, drawn at twice that size. */
const size = { width: 200, height: 170 };
const columns = 6;
/** Joints that are elsewhere than at rest, where that shows more: a named state, or positions on top of `rest`. */
const poses: Readonly<Partial<Record<ModelName, string | Readonly<Record<string, readonly number[]>>>>> = {
  pendulum: { hinge: [0.6] },
  nPendulum: { hinge1: [0.5], hinge2: [-0.3], hinge3: [0.6], hinge4: [-0.4], hinge5: [0.5] },
  cartpole: { hinge: [Math.PI - 0.3] },
  snake: { joint1: [0, 0.4], joint2: [0, -0.5], joint3: [0, 0.5], joint4: [0, -0.4] },
  rope: "swung",
  fourBar: "swung",
  walker: { thigh: [-0.35], leg: [-0.3], thigh_left: [0.15], leg_left: [-0.2] },
};
/** How far the camera goes round, in radians, for those that the usual half does not suit. */
const turns: Readonly<Partial<Record<ModelName | SceneName, number>>> = {
  cardHouse: -0.3,
  gripper: 0,
  dominoes: -0.4,
  cradle: -0.2,
  cartpole: 0,
  dzhanibekov: -0.6,
  fourBar: 0,
  humanoid: 0.2,
};

/** The view alone fills the page. */
const style = `
body main > :not(.stage, style) { display: none }
body main .stage { position: fixed; inset: 0; height: auto; border: 0; border-radius: 0 }`;

/** When scenes are drawn, in seconds from their start. */
const moments: Readonly<Record<SceneName, number>> = {
  stack: 0.5,
  pyramid: 0.3,
  cardHouse: 0.1,
  dominoes: 0.9,
  pile: 1.2,
  gripper: 0.3,
  cradle: 0.7,
  marbles: 0.7,
  pegInHole: 0.12,
};
const sceneColumns = 5;

/** Joints of a model as it is drawn. */
function posed(name: ModelName): Trajectory {
  const description = models[name]();
  const mechanism = compile(description);
  const pose = poses[name] ?? {};
  const joints =
    typeof pose === "string"
      ? description.states?.[pose]
      : {
          ...description.states?.rest,
          ...Object.fromEntries(Object.entries(pose).map(([joint, position]) => [joint, { position }])),
        };
  return new Simulation(mechanism).rollout(maximalState(mechanism, joints), { steps: 1, check: false });
}

function played(name: SceneName): Trajectory {
  const description = scenes[name]();
  const mechanism = compile(description);
  const [start] = Object.keys(description.states ?? {});
  const input = stateInput(mechanism, start);
  const steps = Math.round(moments[name] / description.timestep);
  const simulation = new Simulation(mechanism);
  return simulation.rollout(maximalState(mechanism, description.states?.[start]), { steps, controller: () => input });
}

/** A picture of a motion's end as a data address. */
async function draw(
  browser: Browser,
  folder: string,
  viewer: string,
  name: string,
  trajectory: Trajectory,
): Promise<string> {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, replayHtml(replayData(trajectory), viewer, { theme: "light" }));
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: 2, reducedMotion: "reduce" });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => "dojoReplay" in window);
  await page.addStyleTag({ content: style });
  // the view takes its new size in its own time
  await page.waitForFunction(() => {
    const canvas = document.querySelector("canvas");
    const [width, height] = [innerWidth * devicePixelRatio, innerHeight * devicePixelRatio];
    return canvas && Math.abs(canvas.width - width) <= 2 && Math.abs(canvas.height - height) <= 2;
  });
  const address = await page.evaluate(
    ({ turn, time }) => {
      window.dojoReplay?.view.reset(0);
      window.dojoReplay?.view.orbit(turn);
      if (window.dojoReplay && time > 0) window.dojoReplay.view.contactsVisible = false;
      window.dojoReplay?.playback.seek(time);
      return window.dojoReplay?.picture() ?? "";
    },
    {
      turn: turns[name as ModelName | SceneName] ?? 0.5,
      time: trajectory.steps > 1 ? trajectory.steps * trajectory.timestep : 0,
    },
  );
  await page.close();
  return address;
}

async function drawSheet(
  browser: Browser,
  pictures: readonly (readonly [string, string])[],
  columns: number,
  file: string,
): Promise<void> {
  const cells = pictures.map(
    ([name, address]) => `<figure><img src="${address}"><figcaption>${name}</figcaption></figure>`,
  );
  const css = `body { margin: 0; font: 13px system-ui, sans-serif; background: white; color: #222 }
    main { display: grid; grid-template-columns: repeat(${columns}, ${size.width}px) }
    figure { margin: 0; text-align: center } img { width: ${size.width}px; height: ${size.height}px; display: block }
    figcaption { padding: 2px 0 8px }`;
  const page = await browser.newPage({ viewport: { width: columns * size.width, height: 100 } });
  await page.setContent(`<style>${css}</style><main>${cells.join("")}</main>`);
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
  await page.locator("main").screenshot({ path: file });
  await page.close();
}

function reduceColours(from: string, to: string): void {
  const palette = "split[a][b];[a]palettegen=max_colors=192[p];[b][p]paletteuse=dither=none";
  const { status, error } = spawnSync("ffmpeg", ["-y", "-loglevel", "error", "-i", from, "-vf", palette, to], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`ffmpeg failed${error ? `: ${error.message}` : ""}; apt-get install ffmpeg`);
}

const target = process.argv[2] ?? "docs/figures";
const executable = findBrowser();
if (!executable) throw new Error("no browser found; apt-get install chromium, or set CHROMIUM");
const folder = mkdtempSync(join(tmpdir(), "dojo-sim-models-"));
const browser = await launchBrowser(executable);
try {
  await buildViewer(join(folder, "viewer.js"));
  const viewer = readFileSync(join(folder, "viewer.js"), "utf8");
  const sheets = [
    { name: "models", columns, motions: modelNames.map((name) => [name, posed(name)] as const) },
    { name: "scenes", columns: sceneColumns, motions: sceneNames.map((name) => [name, played(name)] as const) },
  ];
  for (const sheet of sheets) {
    const pictures: [string, string][] = [];
    for (const [name, motion] of sheet.motions)
      pictures.push([name, await draw(browser, folder, viewer, name, motion)]);
    const [drawn, file] = [join(folder, "sheet.png"), join(target, `${sheet.name}.png`)];
    await drawSheet(browser, pictures, sheet.columns, drawn);
    reduceColours(drawn, file);
    console.log(`${file}: ${(statSync(file).size / 1e3).toFixed(0)} kB`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
