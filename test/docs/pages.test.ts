/** Pages against the code: links lead somewhere, and tables that repeat what the code has are complete. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { layers } from "../../scripts/checkImports.ts";
import { stages } from "../../src/kernels/species/staging.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const under = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`)
    .sort();

/** The first cells of a table's rows, without their quotes, from the row after `heading` on. */
function firstCells(page: string, heading: string): string[] {
  const lines = read(page).split("\n");
  const start = lines.findIndex((line) => line.startsWith(heading));
  expect(start, `${page}: ${heading}`).toBeGreaterThanOrEqual(0);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end < 0 ? rows.length : end).map((row) => row.split("|")[1].replaceAll("`", "").trim());
}

describe("pages", () => {
  const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", ...under("docs", ".md")];

  test.each(pages)("%s has no link to a file that is not there", (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, to]) => to);
    const dead = links.filter((to) => !/^[a-z]+:/.test(to) && !existsSync(join(root, dirname(page), to)));
    expect(dead).toEqual([]);
  });

  test("the options of a step and of a simulation are all in the table of docs/solver.md", () => {
    const fieldsOf = (path: string, name: string): string[] => {
      const body = new RegExp(`interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(read(path))?.[1] ?? "";
      const open = body.replace(/^ {2}\/\*\* @internal.*\n.*\n/gm, "");
      return [...open.matchAll(/^ {2}readonly (\w+)\?/gm)].map(([, field]) => field);
    };
    const options = [
      ...fieldsOf("src/simulation/step/pathParameter.ts", "PathParameter"),
      ...fieldsOf("src/simulation/step/stepReport.ts", "StepOptions"),
      ...fieldsOf("src/simulation/simulationOptions.ts", "SimulationOptions"),
    ];
    expect(options.length).toBeGreaterThan(10);
    expect(firstCells("docs/solver.md", "| option |").sort()).toEqual(options.sort());
  });

  test("the layers of ARCHITECTURE.md are those that imports are checked by, and every one of them is a folder", () => {
    const rows = read("ARCHITECTURE.md").matchAll(/^\| (\d+) \| `([\w.]+)` \|/gm);
    const told = Object.fromEntries([...rows].map(([, layer, folder]) => [folder, Number(layer)]));
    expect(told).toEqual(layers);
    for (const folder of Object.keys(layers)) expect(existsSync(join(root, "src", folder)), folder).toBe(true);
  });

  test("the stages of ARCHITECTURE.md are those of the kernels", () => {
    expect(firstCells("ARCHITECTURE.md", "| stage |")).toEqual([...stages]);
  });

  test("every dependency has its row in decision 0002, with the version that package.json asks for", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json"));
    const asked = Object.entries<string>({ ...dependencies, ...devDependencies });
    const rows = read("docs/decisions/0002-dependencies.md").matchAll(/^\| `([^`]+)` \| ([\d.]+) \|/gm);
    const told = [...rows].map(([, name, version]) => `${name} ${version}`);
    expect(told.sort()).toEqual(asked.map(([name, version]) => `${name} ${version.replace(/^\^/, "")}`).sort());
  });

  test("every departure that the code marks has its row, with the file, and no row is without its mark", () => {
    const marks = new Map<string, string[]>();
    for (const path of under("src", ".ts")) {
      for (const [, name] of read(path).matchAll(/DEPARTURE\(([\w-]+)\)/g))
        marks.set(name, [...(marks.get(name) ?? []), path]);
    }
    expect(firstCells("docs/departures.md", "| name |").sort()).toEqual([...marks.keys()].sort());
    for (const line of read("docs/departures.md").split("\n")) {
      const [, name, file] = /^\| `([\w-]+)` \|.*\]\(\.\.\/(src\/[^)]+)\)/.exec(line) ?? [];
      if (name !== undefined) expect(marks.get(name), name).toContain(file);
    }
  });
});
