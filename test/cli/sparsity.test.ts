import { describe, expect, test } from "vitest";
import { type Matrix, sparsityText } from "../../src/cli/sparsity.ts";

function matrix(rows: number, columns: number, filled: (row: number, column: number) => boolean): Matrix {
  return {
    rows,
    columns,
    values: Float64Array.from({ length: rows * columns }, (_, k) =>
      filled(Math.floor(k / columns), k % columns) ? 1 : 0,
    ),
  };
}

describe("a picture of matrices", () => {
  test("has a letter for 2 × 2 entries, one matrix beside the other", () => {
    const diagonal = matrix(4, 4, (i, j) => i === j);
    const column = matrix(4, 1, () => true);
    expect(sparsityText([diagonal, column], 80, 24)).toBe("▚  │ ▌\n ▚ │ ▌");
    expect(sparsityText([diagonal], 80, 24)).toBe("▚\n ▚");
  });

  test.each([
    [
      [372, 372],
      [372, 30],
    ],
    [
      [1000, 1000],
      [1000, 400],
    ],
    [
      [12, 12],
      [12, 6000],
    ],
    [
      [2000, 1],
      [2000, 1],
    ],
  ])("of %j and %j fits into 80 × 24 letters", (...sizes) => {
    const text = sparsityText(
      sizes.map(([rows, columns]) => matrix(rows, columns, (i, j) => (i + j) % 7 === 0)),
      80,
      24,
    );
    const lines = text.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("misses no entry, however coarse", () => {
    const one = matrix(500, 500, (i, j) => i === 499 && j === 0);
    const lines = sparsityText([one], 20, 10).split("\n");
    expect(lines.slice(0, -1).join("").trim()).toBe("");
    expect(lines.at(-1)).toMatch(/^[▖▘]$/);
  });
});
