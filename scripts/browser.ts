/** A headless browser for tests and pictures: Chromium as Debian or another system has it, without a network. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Where a browser is, or undefined. The environment's CHROMIUM comes first. */
export function findBrowser(): string | undefined {
  return [process.env.CHROMIUM ?? "", ...places].find((path) => path !== "" && existsSync(path));
}

export function launchBrowser(executablePath: string): Promise<Browser> {
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  // WebGL by software, the same on machines with and without a graphics card
  const drawing = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  // and only WebGL: the rest of a page is drawn faster without a graphics card that is none
  const plain = ["--disable-gpu-compositing", "--disable-gpu-rasterization", "--disable-accelerated-2d-canvas"];
  const args = ["--no-sandbox", "--disable-quic", ...quiet, ...drawing, ...plain];
  // milliseconds, on machines that have other things to do
  return chromium.launch({ executablePath, args, timeout: 120_000 });
}
