/** Contrast of a page's colours, as the Web Content Accessibility Guidelines define it: (L₁ + 0.05)/(L₂ + 0.05), L relative luminance. */
import type { Page } from "playwright-core";

/** The smallest contrast of texts with the page and its panels, and of curves with the panels. Colours are named by their variables. */
export async function contrasts(
  page: Page,
  texts: readonly string[],
  curves: readonly string[],
): Promise<{ text: number; curves: number }> {
  const names = [...texts, ...curves, "--page", "--panel"];
  const colors = await page.evaluate((wanted) => {
    const style = getComputedStyle(document.documentElement);
    return wanted.map((name) => style.getPropertyValue(name).trim());
  }, names);
  const luminances = new Map(names.map((name, i) => [name, luminance(colors[i])]));
  const smallest = (fronts: readonly string[], backs: readonly string[]): number =>
    Math.min(
      ...fronts.flatMap((front) => backs.map((back) => contrast(luminances.get(front)!, luminances.get(back)!))),
    );
  return { text: smallest(texts, ["--page", "--panel"]), curves: smallest(curves, ["--panel"]) };
}

function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: string): number {
  // a minifier writes #ffffff as #fff
  const full = /^#[0-9a-f]{3}$/i.test(color) ? color.replace(/[0-9a-f]/gi, "$&$&") : color;
  if (!/^#[0-9a-f]{6}$/i.test(full)) throw new Error(`"${color}" is not a colour like #a1b2c3`);
  const [r, g, b] = [1, 3, 5]
    .map((at) => Number.parseInt(full.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
