/** What experiments share: where results go, tables, and figures as SVG files. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Plot from "@observablehq/plot";
import { Window } from "happy-dom";

export { Plot };

export interface Arguments {
  /** A short form for continuous integration. */
  readonly quick: boolean;
  /** Print what result.json holds instead of tables. */
  readonly json: boolean;
  /** Folder for results. */
  readonly out: string;
}

/** --quick, --json, --out dir. Results of quick runs go to a folder of their own, so that they never replace full ones. */
export function readArguments(folder: string): Arguments {
  const words = process.argv.slice(2);
  const at = words.indexOf("--out");
  const quick = words.includes("--quick");
  const out = at >= 0 && words[at + 1] ? words[at + 1] : quick ? join(folder, "quick") : folder;
  return { quick, json: words.includes("--json"), out };
}

export function writeResult({ out, json }: Arguments, result: unknown): void {
  mkdirSync(out, { recursive: true });
  const text = `${JSON.stringify(result, null, 2)}\n`;
  writeFileSync(join(out, "result.json"), text);
  if (json) process.stdout.write(text);
}

export interface Panel extends Plot.PlotOptions {
  readonly heading: string;
}

/** Draws plots in rows into an SVG file. */
export function writeFigure(args: Arguments, name: string, panels: readonly (readonly Panel[])[]): void {
  const { document } = new Window();
  const [width, height, top] = [340, 260, 24];
  const cells = panels.flatMap((row, r) =>
    row.map(({ heading, ...options }, c) => {
      const size = { width, height: height - top, marginLeft: 56 };
      const plot = Plot.plot({ ...size, document: document as unknown as Document, ...options });
      plot.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      const title = `<text x="10" y="16" font-size="13" font-weight="bold">${heading}</text>`;
      return `<g transform="translate(${c * width},${r * height})">${title}<g transform="translate(0,${top})">${plot.outerHTML}</g></g>`;
    }),
  );
  const columns = Math.max(...panels.map((row) => row.length));
  const size = `width="${columns * width}" height="${panels.length * height}"`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif"><title>${name}</title><rect ${size} fill="white"/>${cells.join("\n")}</svg>\n`;
  mkdirSync(args.out, { recursive: true });
  writeFileSync(join(args.out, `${name}.svg`), text);
}

/** Right-aligned columns. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? cell.toPrecision(4) : cell)));
  const widths = cells[0].map((_, c) => Math.max(...cells.map((row) => row[c].length)));
  return cells.map((row) => row.map((cell, c) => cell.padStart(widths[c])).join("   ")).join("\n");
}
