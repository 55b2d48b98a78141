/** The test files that import a file, directly or by way of others. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** Tests that run what is built, wait for pages or take minutes tell nothing soon enough. */
const excluded = /^test\/(browser|slow|experiments|docs|cli|redis)\//;
const packages: Readonly<Record<string, string>> = {
  "dojo-sim": "src/index.ts",
  "dojo-sim/node": "src/node/index.ts",
  "dojo-sim/tools": "src/tools.ts",
};

export interface SourceFile {
  readonly text: string;
  /** Paths of the files that it imports, from the root. */
  readonly imports: readonly string[];
}

/** All TypeScript files of src/ and test/ by path from the root. */
export function sourceFiles(root: string): ReadonlyMap<string, SourceFile> {
  const paths = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((name) => name.endsWith(".ts")),
  );
  return new Map(
    paths.sort().map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return [path, { text, imports: importsOf(path, text) }];
    }),
  );
}

function importsOf(path: string, text: string): readonly string[] {
  const names = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name]) => name);
  return names.flatMap((name) => {
    if (name.startsWith(".")) return [posix.join(dirname(path), name)];
    return Object.hasOwn(packages, name) ? [packages[name]] : [];
  });
}

/**
 * Tests of a file, the likeliest to tell a fault first: the one beside it, those that name something that the file exports, those in a folder of the same name,
 * and then those with fewest files in between.
 */
export function relatedTests(files: ReadonlyMap<string, SourceFile>, file: string): readonly string[] {
  const users = new Map<string, string[]>();
  for (const [user, { imports }] of files)
    for (const used of imports) users.set(used, [...(users.get(used) ?? []), user]);
  const distance = new Map([[file, 0]]);
  for (const [path, far] of distance)
    for (const user of users.get(path) ?? []) if (!distance.has(user)) distance.set(user, far + 1);

  const exported = [
    ...(files.get(file)?.text ?? "").matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm),
  ];
  const named = new RegExp(`\\b(${exported.map(([, name]) => name).join("|") || "(?!)"})\\b`);
  const folder = file.split("/")[1];
  const beside = file.replace(/\.ts$/, ".test.ts");
  const rank = (path: string): number =>
    (path === beside ? -1000 : 0) +
    (named.test(files.get(path)?.text ?? "") ? 0 : 200) +
    (path.split("/")[1] === folder ? 0 : 100) +
    Math.min(99, distance.get(path) ?? 0);
  return [...distance.keys()]
    .filter((path) => path.endsWith(".test.ts") && !excluded.test(path))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
