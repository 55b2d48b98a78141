/**
 * Pages draw by software here, as often as the screen asks for it: a core and more, for pictures that nobody sees. A few per second,
 * with a quarter of the pixels, show all that tests look at, and leave the processor to what is computed. With FINE_PICTURES in the
 * environment the scenes in artefacts/ are as sharp as on a screen.
 */
import type { BrowserContext, Page } from "playwright-core";

/** Milliseconds from one picture to the next. */
const interval = 400;

/** Pixels of a scene per pixel of the page, along each side: a picture of a whole page takes a quarter of a second at 1. */
const pixelRatio = process.env.FINE_PICTURES ? 1 : 0.5;

/** Pages of this context draw a few times per second, and coarsely. */
export async function calm(context: BrowserContext): Promise<BrowserContext> {
  await context.addInitScript(
    ([pause, ratio]) => {
      Object.defineProperty(window, "devicePixelRatio", { get: () => ratio, configurable: true });
      const draw = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) => setTimeout(() => draw(callback), pause) as unknown as number;
      window.cancelAnimationFrame = (request) => clearTimeout(request);
    },
    [interval, pixelRatio],
  );
  return context;
}

/** What the console says in anger, and errors that nobody caught. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    // of the software that draws in place of a graphics card, when a picture is put into the page
    if (message.text().includes("GPU stall due to ReadPixels")) return;
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return complaints;
}
