/** A picture of where a matrix is not zero: blocks of 2 × 2 entries per letter for terminals, squares for SVG. */
import { svgPage } from "./svg.ts";

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row-major. */
  readonly values: Float64Array;
}

/** Quarters of a letter: upper left 1, upper right 2, lower left 4, lower right 8. */
const blocks = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█";
/** Entries below this part of the largest are drawn as zero. */
const negligible = 1e-12;

function isNonzero({ values, columns }: Matrix): (row: number, column: number) => boolean {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return (row, column) => Math.abs(values[row * columns + column]) > negligible * largest;
}

export function density(matrix: Matrix): number {
  const { rows, columns } = matrix;
  const filled = isNonzero(matrix);
  let count = 0;
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) if (filled(i, j)) count++;
  return rows * columns === 0 ? 0 : count / (rows * columns);
}

/** Letters between two pictures. */
const between = " │ ";

/**
 * Matrices of as many rows side by side, all on one scale, in no more than `width` × `height` letters: a letter then stands for more
 * entries than four, and is filled where any of them is not zero.
 */
export function sparsityText(matrices: readonly Matrix[], width: number, height: number): string {
  const most = Math.max(1, ...matrices.map(({ rows, columns }) => Math.max(rows, columns)));
  const broad = (scale: number): number =>
    matrices.reduce((sum, { columns }) => sum + Math.ceil(columns / scale / 2), (matrices.length - 1) * between.length);
  let scale = Math.max(1, ...matrices.map(({ rows }) => Math.ceil(rows / (2 * height))));
  while (broad(scale) > width && scale < most) scale++;
  const pictures = matrices.map((matrix) => picture(matrix, scale));
  const lines = Math.max(0, ...pictures.map(({ length }) => length));
  return Array.from({ length: lines }, (_, i) =>
    pictures
      .map((own) => own[i])
      .join(between)
      .trimEnd(),
  ).join("\n");
}

/** Lines of equal length, of letters that stand for 2 × 2 squares of `scale` × `scale` entries. */
function picture(matrix: Matrix, scale: number): string[] {
  const { rows, columns } = matrix;
  const filled = isNonzero(matrix);
  const cell = (row: number, column: number): boolean => {
    for (let i = row * scale; i < Math.min(rows, (row + 1) * scale); i++) {
      for (let j = column * scale; j < Math.min(columns, (column + 1) * scale); j++) if (filled(i, j)) return true;
    }
    return false;
  };
  const lines: string[] = [];
  const [height, breadth] = [Math.ceil(rows / scale), Math.ceil(columns / scale)];
  for (let i = 0; i < height; i += 2) {
    let line = "";
    for (let j = 0; j < breadth; j += 2) {
      const quarters = [cell(i, j), cell(i, j + 1), cell(i + 1, j), cell(i + 1, j + 1)];
      line += blocks[quarters.reduce((sum, on, k) => sum + (on ? 2 ** k : 0), 0)];
    }
    lines.push(line);
  }
  return lines;
}

/** Matrices side by side, darker where an entry is larger, each under its title. */
export function sparsitySvg(matrices: readonly { readonly title: string; readonly matrix: Matrix }[]): string {
  const cell = 6;
  const gap = 30;
  const top = 24;
  let x = gap / 2;
  const parts: string[] = [];
  let tallest = 0;
  for (const { title, matrix } of matrices) {
    const { rows, columns, values } = matrix;
    const filled = isNonzero(matrix);
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    parts.push(`<text x="${x}" y="16">${title}, ${rows} × ${columns}</text>`);
    parts.push(
      `<rect x="${x}" y="${top}" width="${columns * cell}" height="${rows * cell}" fill="none" stroke="#bbb"/>`,
    );
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        if (!filled(i, j)) continue;
        // eight decades from light to dark
        const shade = Math.max(0, 1 + Math.log10(Math.abs(values[i * columns + j]) / largest) / 8);
        const place = `x="${x + j * cell}" y="${top + i * cell}" width="${cell}" height="${cell}"`;
        parts.push(`<rect ${place} fill="#1f4e79" fill-opacity="${(0.15 + 0.85 * shade).toFixed(2)}"/>`);
      }
    }
    tallest = Math.max(tallest, rows * cell);
    x += Math.max(columns * cell, 9 * title.length) + gap;
  }
  return svgPage(x, top + tallest + 10, 12, parts);
}
