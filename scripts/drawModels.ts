/**
 * Draws the sheet of all models for docs/models.md: each in its rest state, as the replay viewer shows it.
 *   npx tsx scripts/drawModels.ts [docs/figures/models.png]
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
  Simulation,
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
const turns: Readonly<Partial<Record<ModelName, number>>> = {
  cartpole: 0,
  dzhanibekov: -0.6,
  fourBar: 0,
  humanoid: 0.2,
};

/** The view alone fills the page. */
const style = `
body main > :not(.stage, style) { display: none }
body main .stage { position: fixed; inset: 0; height: auto; border: 0; border-radius: 0 }`;

/** A picture of the model as a data address. */
async function draw(browser: Browser, folder: string, viewer: string, name: ModelName): Promise<string> {
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
  const trajectory = new Simulation(mechanism).rollout(maximalState(mechanism, joints), { steps: 1, check: false });
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
  const address = await page.evaluate((turn) => {
    window.dojoReplay?.view.reset(0);
    window.dojoReplay?.view.orbit(turn);
    window.dojoReplay?.playback.seek(0);
    return window.dojoReplay?.picture() ?? "";
  }, turns[name] ?? 0.5);
  await page.close();
  return address;
}

async function drawSheet(
  browser: Browser,
  pictures: readonly (readonly [string, string])[],
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

const file = process.argv[2] ?? "docs/figures/models.png";
const executable = findBrowser();
if (!executable) throw new Error("no browser found; apt-get install chromium, or set CHROMIUM");
const folder = mkdtempSync(join(tmpdir(), "dojo-sim-models-"));
const browser = await launchBrowser(executable);
try {
  await buildViewer(join(folder, "viewer.js"));
  const viewer = readFileSync(join(folder, "viewer.js"), "utf8");
  const pictures: [string, string][] = [];
  for (const name of modelNames) pictures.push([name, await draw(browser, folder, viewer, name)]);
  const sheet = join(folder, "sheet.png");
  await drawSheet(browser, pictures, sheet);
  reduceColours(sheet, file);
  console.log(`${file}: ${(statSync(file).size / 1e3).toFixed(0)} kB`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
