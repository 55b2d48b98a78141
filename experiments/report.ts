/** How results look: numbers, tables as text and HTML, figures as SVG. */
import * as Plot from "@observablehq/plot";
import type { Figure, Presentation, Table } from "./experiment.ts";

export { Plot };

/** A plot with a heading. `width` and `height` are its own, heading included. */
export interface Panel extends Plot.PlotOptions {
  readonly heading: string;
}

/** Four digits, powers of ten where they are shorter. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(4)));
  return value.toExponential(2).replace(/\.?0+e/, "e");
}

const cellText = (cell: string | number): string => (typeof cell === "number" ? number(cell) : cell);

/** Whether each column stands to the left: the first, and those without a number below their heading. */
function leftColumns([heading, ...rows]: Table["rows"]): boolean[] {
  const isWords = (cell: string | number): boolean => /^[^\d–]*[a-z]/i.test(cellText(cell));
  const hasWords = (c: number): boolean => rows.some((row) => isWords(row[c]));
  return heading.map((_, c) => c === 0 || (hasWords(c) && rows.every((row) => row[c] === "" || isWords(row[c]))));
}

/** Columns in line. */
function table(rows: Table["rows"]): string {
  const cells = rows.map((row) => row.map(cellText));
  const left = leftColumns(rows);
  const widths = cells[0].map((_, c) => Math.max(...cells.map((row) => row[c].length)));
  const aligned = (cell: string, c: number): string => (left[c] ? cell.padEnd(widths[c]) : cell.padStart(widths[c]));
  return cells.map((row) => row.map(aligned).join("   ").trimEnd()).join("\n");
}

/** Tables and remarks for a terminal. */
export function presentationText({ tables, remarks }: Presentation): string {
  return [
    ...tables.map(({ caption, rows }) => `${caption}\n${table(rows)}`),
    ...(remarks.length > 0 ? [remarks.map((remark) => `- ${remark}`).join("\n")] : []),
  ].join("\n\n");
}

export function escapeMarkup(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (letter) => entities[letter]);
}

/** A remark or cell that says where a figure falls short. */
export const isMiss = (text: string): boolean => /\bmiss(ed)?\b/i.test(text);

export function tableHtml({ caption, rows }: Table): string {
  const left = leftColumns(rows);
  const cellHtml = (tag: "th" | "td", text: string, c: number): string => {
    const classes = [...(left[c] ? ["left"] : []), ...(isMiss(text) ? ["miss"] : [])].join(" ");
    return `<${tag}${classes === "" ? "" : ` class="${classes}"`}>${escapeMarkup(text)}</${tag}>`;
  };
  const line = (row: Table["rows"][number], tag: "th" | "td"): string =>
    `<tr>${row.map((cell, c) => cellHtml(c === 0 ? "th" : tag, cellText(cell), c)).join("")}</tr>`;
  const [heading, ...body] = rows;
  return `<div class="table"><table><caption>${escapeMarkup(caption)}</caption><thead>${line(heading, "th")}</thead><tbody>${body.map((row) => line(row, "td")).join("\n")}</tbody></table></div>`;
}

const panelWidth = 340;
const panelHeight = 260;
const headingHeight = 24;

/** Panels in rows, on white. */
export async function figureSvg({ name, panels }: Figure): Promise<string> {
  // slow to load, and runs need none
  const { Window } = await import("happy-dom");
  const { document } = new Window();
  const cells: string[] = [];
  let [width, y] = [0, 0];
  for (const row of panels) {
    let [x, rowHeight] = [0, 0];
    for (const { heading, width: own = panelWidth, height = panelHeight, ...options } of row) {
      const plot = Plot.plot({
        width: own,
        height: height - headingHeight,
        marginLeft: 56,
        ...options,
        document: document as unknown as Document,
      });
      plot.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      const title = `<text x="10" y="16" font-size="13" font-weight="bold">${escapeMarkup(heading)}</text>`;
      const body = `<g transform="translate(0,${headingHeight})">${plot.outerHTML}</g>`;
      cells.push(`<g transform="translate(${x},${y})">${title}${body}</g>`);
      x += own;
      rowHeight = Math.max(rowHeight, height);
    }
    width = Math.max(width, x);
    y += rowHeight;
  }
  const size = `width="${width}" height="${y}"`;
  const box = `${size} viewBox="0 0 ${width} ${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} font-family="sans-serif"><title>${escapeMarkup(name)}</title><rect ${size} fill="white"/>${cells.join("\n")}</svg>\n`;
}

/** Where a legend stands in its plot, and how far from that corner, pixels. */
export interface LegendPlace {
  readonly corner: "top-left" | "top-right" | "bottom-left" | "bottom-right";
  readonly inset?: number;
}

/** Names of series in their colours, one below the other. Give the plot a `color.domain` of the same names. */
export function legend(labels: readonly string[], { corner, inset = 8 }: LegendPlace): Plot.Markish[] {
  const lineHeight = 12;
  return labels.map((label, i) =>
    Plot.text([{ label }], {
      text: "label",
      fill: "label",
      fontWeight: "bold",
      frameAnchor: corner,
      dx: corner.endsWith("left") ? inset : -inset,
      dy: corner.startsWith("top") ? inset + lineHeight * i : -inset - lineHeight * (labels.length - 1 - i),
    }),
  );
}
