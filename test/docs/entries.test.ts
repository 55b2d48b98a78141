/** docs/entries.md, the plan of what is imported from where, against the surface as it is and against the words that names are made of. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { surfaceFile } from "../../scripts/surface.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/entries.md"), "utf8");

interface Row {
  readonly entry: string;
  /** The name of today, as surface.txt has it; undefined of one that is new. */
  readonly now: string | undefined;
  /** The name as it is planned, with its namespace. */
  readonly planned: string;
}

/** The rows of the lists under one heading. */
function rowsUnder(entry: string, text: string): Row[] {
  const lists = [...text.matchAll(/```names\n([\s\S]*?)```/g)].map(([, list]) => list);
  const space = entry === "dojo-sim/expression" ? "expression." : "";
  return lists
    .join("\n")
    .split("\n")
    .flatMap((line): Row[] => {
      const renamed = line.match(/^(\S+) → (\S+)$/);
      if (renamed) return [{ entry, now: space + renamed[1], planned: renamed[2] }];
      return [...line.matchAll(/(\+ )?(\S+)/g)].map(([, isNew, name]) => ({
        entry,
        now: isNew ? undefined : space + name,
        planned: name,
      }));
    });
}

const rows = page
  .split(/^## /m)
  .slice(1)
  .flatMap((text) => rowsUnder(text.split("\n", 1)[0], text));
const isPublic = ({ entry }: Row): boolean => entry !== "Internal" && entry !== "dojo-sim/tools";

/** What is imported: a namespace counts as one name. */
function importedFrom(those: readonly Row[]): Set<string> {
  return new Set(those.map(({ entry, planned }) => `${entry}: ${planned.split(".")[0]}`));
}

/** The names of surface.txt, those of expressions with their namespace. */
function namesOfToday(): string[] {
  let space = "";
  return readFileSync(surfaceFile, "utf8")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("# ")) space = line === "# dojo-sim: expression" ? "expression." : "";
      const found = line.match(/^(?:abstract )?(?:class|const|function|interface|type) ([\w$]+)|^([\w$]+) is /);
      return found ? [space + (found[1] ?? found[2])] : [];
    });
}

test("every name of today is planned once", () => {
  const known = rows.flatMap(({ now }) => now ?? []);
  const today = new Set(namesOfToday());
  expect(today.size).toBeGreaterThan(500);
  const unplanned = [...today].filter((name) => !known.includes(name));
  expect(unplanned, "write new names into docs/entries.md, under their entry").toEqual([]);
  expect(known.filter((name) => !today.has(name))).toEqual([]);
  expect(known.filter((name, i) => known.indexOf(name) < i)).toEqual([]);
});

test("at most 110 names at the root, 450 in all entries but the tools", () => {
  expect(importedFrom(rows.filter(({ entry }) => entry === "dojo-sim")).size).toBeLessThanOrEqual(110);
  expect(importedFrom(rows.filter(isPublic)).size).toBeLessThanOrEqual(450);
});

test("planned names use the words of CONTRIBUTING.md", () => {
  const avoided = [
    /Json$/,
    /^from(?!Minimal|Mujoco)|From[A-Z]\w*Json/,
    /^parse[A-Z]/,
    /^load[A-Z]/,
    /^to(?!Minimal|Mujoco)[A-Z]/,
    /^(run|execute)[A-Z]/,
    /Settings$/,
    /(Control|Rollout|Policy)Run$/,
  ];
  const names = rows.filter(isPublic).map(({ planned }) => planned);
  expect(names.filter((name) => avoided.some((word) => word.test(name)))).toEqual([]);
});
