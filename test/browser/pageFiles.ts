/** Which of the built scripts, styles and other files a page asks for. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface PageFile {
  readonly name: string;
  readonly text: string;
}

/** What the page names, what that names, and so on: a page never asks for a file that no text of it names. */
export function pageFiles(folder: string, page: string): PageFile[] {
  const assets = readdirSync(join(folder, "assets"));
  const found = new Map<string, string>();
  const follow = (text: string): void => {
    for (const name of assets.filter((asset) => !found.has(asset) && text.includes(asset))) {
      found.set(name, readFileSync(join(folder, "assets", name), "latin1"));
      if (/\.(js|css)$/.test(name)) follow(found.get(name) ?? "");
    }
  };
  follow(readFileSync(join(folder, `${page}.html`), "utf8"));
  return [...found].map(([name, text]) => ({ name, text }));
}

/** The one script whose name begins so, and those that it is never without. */
export function withImports(scripts: readonly PageFile[], start: string): PageFile[] {
  const found = scripts.filter(({ name }) => name.startsWith(start));
  if (found.length !== 1) throw new Error(`${found.length} scripts begin with ${start}`);
  // the list grows while we walk it
  for (const { text } of found) {
    for (const [, name] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) {
      const other = scripts.find((script) => script.name === name);
      if (!other) throw new Error(`there is no ${name}`);
      if (!found.includes(other)) found.push(other);
    }
  }
  return found;
}
