/** Pictures of the command line as SVG. */

export function svgPage(width: number, height: number, fontSize: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="${fontSize}" fill="#222">`;
  return `${head}\n<rect width="100%" height="100%" fill="white"/>\n${parts.join("\n")}\n</svg>\n`;
}

/** Text as it stands between tags. */
export function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return text.replace(/[&<>]/g, (letter) => entities[letter]);
}
