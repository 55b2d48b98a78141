/**
 * Which functions a step passes through: calls, different functions, their files, and hops (calls into another file than the one before).
 *   walk
 * Steps of Atlas falling (warm, and the same step cold), of a stack at rest and of a pile. Every function of the engine is made to say that it is called.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { parseAst } from "vite";

type Library = typeof import("dojo-sim");
type Syntax = { readonly type: string; readonly start: number; readonly end: number; readonly body?: Syntax };

const outfile = join(process.cwd(), ".tmp", "benchmarks", "telling.mjs");
const walk: { calls: string[] | undefined } = { calls: undefined };
(globalThis as { walked?: (name: string) => void }).walked = (name) => walk.calls?.push(name);

/** A bundle whose functions say their files and places. Each file begins with its name in a comment. */
function telling(text: string): string {
  const files = [...text.matchAll(/^\/\/ src\/(.*)$/gm)];
  const additions: [number, string][] = [];
  const tell = ({ start, body }: Syntax): void => {
    if (!body) return;
    const file = files.filter(({ index }) => index <= start).at(-1)?.[1] ?? "";
    const call = `walked(${JSON.stringify(`${file}:${start}`)})`;
    if (body.type === "BlockStatement") additions.push([body.start + 1, `${call};`]);
    else additions.push([body.start, `(${call}, (`], [body.end, "))"]);
  };
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && /Function/.test(String(node.type))) tell(node as Syntax);
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseAst(text));
  let out = "";
  let from = 0;
  for (const [at, added] of additions.sort(([a], [b]) => a - b)) {
    out += text.slice(from, at) + added;
    from = at;
  }
  return out + text.slice(from);
}

const entryPoints = [join(process.cwd(), "src", "index.ts")];
const bundle = { entryPoints, bundle: true, platform: "node", format: "esm", packages: "external" } as const;
const { outputFiles } = await build({ ...bundle, entryPoints, write: false, outfile });
writeFileSync(outfile, telling(outputFiles[0].text));
const { compile, models, scenes, Simulation, startState }: Library = await import(pathToFileURL(outfile).href);

function report(name: string, description: ReturnType<typeof models.atlas>, before: number, cold = false): void {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const state = startState(mechanism);
  for (let k = 0; k < before; k++) state.set(simulation.step(state).next);
  if (cold) simulation.continuation = undefined;
  walk.calls = [];
  const { iterations } = simulation.step(state);
  const { calls } = walk;
  walk.calls = undefined;
  const files = calls.map((call) => call.split(":")[0]);
  const hops = files.filter((file, i) => i > 0 && file !== files[i - 1]).length;
  const counts = `${calls.length} calls, ${new Set(calls).size} functions, ${new Set(files).size} files, ${hops} hops`;
  console.log(`${name.padEnd(16)} ${counts}; ${iterations} iterations`);
}

const atlas = models.atlas({ damper: 25 });
report("Atlas falling", atlas, 60);
report("the same, cold", atlas, 60, true);
report("stack at rest", scenes.stack({ count: 10 }), 40);
report("pile of 40", scenes.pile({ count: 40 }), 60);
