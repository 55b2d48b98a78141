/** The mutants that files can have, and a random draw of them. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/math/random.ts";
import { type Mutation, mutationsOf } from "./mutations.ts";

export interface Candidate extends Mutation {
  /** From the root, with slashes. */
  readonly file: string;
}

/** Of all TypeScript files in folders, or of single files; tests and declarations have none. */
export function candidatesIn(root: string, paths: readonly string[]): readonly Candidate[] {
  const files = paths.flatMap((path) => {
    if (statSync(join(root, path)).isFile()) return [path];
    const names = readdirSync(join(root, path), { recursive: true, encoding: "utf8" });
    return names.map((name) => `${path.replace(/\/$/, "")}/${name.replaceAll("\\", "/")}`);
  });
  const sources = [...new Set(files)].filter((file) => file.endsWith(".ts") && !/\.(test|d)\.ts$/.test(file)).sort();
  return sources.flatMap((file) =>
    mutationsOf(readFileSync(join(root, file), "utf8")).map((mutation) => ({ ...mutation, file })),
  );
}

/** Some of the candidates, each at most once, in a random order that the seed gives. */
export function drawn(candidates: readonly Candidate[], count: number, seed: number): readonly Candidate[] {
  const random = new Random(seed);
  return candidates
    .map((candidate) => ({ candidate, rank: random.uniform() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}
