/**
 * Draws the moving picture of the README: the Atlas drop of `npm start`, as the replay viewer shows it, at half speed.
 *   npx tsx scripts/drawAtlas.ts [docs/figures/atlasDrop.gif]
 * Needs a Chromium (scripts/browser.ts) and ffmpeg: apt-get install chromium ffmpeg.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { atlasDrop } from "../src/cli/atlasDrop.ts";
import { replayData, replayHtml } from "../src/index.ts";
import { findBrowser, launchBrowser } from "./browser.ts";
import { buildViewer } from "./buildViewer.ts";

const size = { width: 560, height: 420 };
/** Pictures a second, and seconds of motion from one to the next. */
const rate = 25;
const stride = 0.02;
const duration = 1.6;
/** Seconds that the last picture stays. */
const pause = 1.2;

/** The view alone fills the page. */
const style = `
body main > :not(.stage, style) { display: none }
body main .stage { position: fixed; inset: 0; height: auto; border: 0; border-radius: 0 }`;

async function drawFrames(page: Page, folder: string): Promise<void> {
  await page.addStyleTag({ content: style });
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    window.dojoReplay?.view.reset(0);
    window.dojoReplay?.view.orbit(0.2);
  });
  const count = Math.round(duration / stride) + 1;
  for (let k = 0; k < count; k++) {
    const address = await page.evaluate((time) => {
      window.dojoReplay?.playback.seek(time);
      return window.dojoReplay?.picture() ?? "";
    }, k * stride);
    writeFileSync(join(folder, `${String(k).padStart(4, "0")}.png`), Buffer.from(address.split(",")[1], "base64"));
  }
}

function encode(folder: string, file: string): void {
  const still = `tpad=stop_mode=clone:stop_duration=${pause}`;
  const palette = `split[a][b];[a]palettegen=max_colors=128:stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle`;
  const filter = `${still},${palette}`;
  const args = [
    "-y",
    "-loglevel",
    "error",
    "-framerate",
    String(rate),
    "-i",
    join(folder, "%04d.png"),
    "-vf",
    filter,
    file,
  ];
  const { status, error } = spawnSync("ffmpeg", args, { stdio: "inherit" });
  if (status !== 0) throw new Error(`ffmpeg failed${error ? `: ${error.message}` : ""}; apt-get install ffmpeg`);
}

const file = process.argv[2] ?? "docs/figures/atlasDrop.gif";
const executable = findBrowser();
if (!executable) throw new Error("no browser found; apt-get install chromium, or set CHROMIUM");
const folder = mkdtempSync(join(tmpdir(), "dojo-sim-atlas-"));
const browser = await launchBrowser(executable);
try {
  const { trajectory, simulation } = atlasDrop();
  await buildViewer(join(folder, "viewer.js"));
  const viewer = readFileSync(join(folder, "viewer.js"), "utf8");
  const html = join(folder, "atlas.html");
  writeFileSync(html, replayHtml(replayData(trajectory, { simulation }), viewer, { theme: "light" }));
  const page = await browser.newPage({ viewport: size, reducedMotion: "reduce" });
  await page.goto(pathToFileURL(html).href);
  await page.waitForFunction(() => "dojoReplay" in window);
  await drawFrames(page, folder);
  encode(folder, file);
  console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(2)} MB`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
