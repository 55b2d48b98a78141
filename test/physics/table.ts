/** Prints measured figures as a small aligned table. */
export function printTable(
  title: string,
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const cells = [header, ...rows].map((row) => row.map(show));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  "),
  );
  console.log([`\n${title}`, ...lines.map((line) => `  ${line}`)].join("\n"));
}

function show(value: string | number): string {
  if (typeof value === "string") return value;
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? value.toPrecision(5) : value.toExponential(1);
}
