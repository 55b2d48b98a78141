/**
 * Pages draw by software here, as often as the screen asks for it: a core and more, for pictures that nobody sees. A few per second
 * show all that tests look at, and leave the processor to what is computed.
 */
import type { BrowserContext } from "playwright-core";

/** Milliseconds from one picture to the next. */
const interval = 400;

/** Pages of this context draw a few times per second. */
export async function calm(context: BrowserContext): Promise<BrowserContext> {
  await context.addInitScript((pause) => {
    const draw = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (callback) => setTimeout(() => draw(callback), pause) as unknown as number;
    window.cancelAnimationFrame = (request) => clearTimeout(request);
  }, interval);
  return context;
}
