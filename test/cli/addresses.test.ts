/** Limits on addresses, as clusters set them: V8 reserves 10 GB for each memory of WebAssembly. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtPackage } from "../built.ts";
import { buildCli } from "./runCli.ts";

const isLinux = existsSync("/proc/self/limits");

/** Runs Node with at most so many GB of addresses. */
function limited(gigabytes: number, args: readonly string[]) {
  const script = `ulimit -v ${gigabytes * 1e6}; exec "$0" "$@"`;
  return spawnSync("bash", ["-c", script, process.execPath, ...args], { encoding: "utf8" });
}

/** Steps in simulations of their own, all of which are kept. */
const library = (simulations: number) => `
  const { compile, models, scenes, Simulation, startState } = await import("${join(builtPackage(), "index.js")}");
  const all = [];
  for (let i = 0; i < ${simulations}; i++) {
    const simulation = new Simulation(compile(i % 2 ? models.pendulum() : scenes.pile({ count: 3 })));
    simulation.kept = simulation.rollout(startState(simulation.mechanism), { steps: 5 }).final;
    all.push(simulation);
  }
  console.log(JSON.stringify(all.map(({ target, kept }) => [target.name, ...kept])));
`;

test.runIf(isLinux).each([6, 14, 25])(
  "with %d GB of addresses a program goes on in JavaScript, with the same bits",
  (gigabytes) => {
    const args = ["--input-type=module", "-e", library(4)];
    const run = limited(gigabytes, args);
    expect(run.stderr).toBe("");
    expect(run.status).toBe(0);
    const free = spawnSync(process.execPath, args, { encoding: "utf8" });
    const rows = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as [string, ...number[]][];
    expect(rows(run).map(([, ...state]) => state)).toEqual(rows(free).map(([, ...state]) => state));
    expect(rows(run)[3][0]).toBe("javascript");
    expect(rows(free)[3][0]).toBe("webassembly");
  },
);

test.runIf(isLinux).each([6, 14])(
  "with %d GB of addresses the command reserves less, and says so",
  async (gigabytes) => {
    const args = [await buildCli(), "simulate", "a1", "--time", "0.05", "--json"];
    const run = limited(gigabytes, args);
    expect(run.stderr).toMatch(/^note: addresses are limited \(ulimit -v\)/);
    expect(run.status).toBe(0);
    const free = spawnSync(process.execPath, args, { encoding: "utf8" });
    const motion = ({ stdout }: { readonly stdout: string }) => (JSON.parse(stdout) as { energy: unknown }).energy;
    expect(motion(run)).toEqual(motion(free));
    // exit codes pass through
    expect(limited(gigabytes, [args[0], "simulate", "nobody"]).status).toBe(2);
  },
);
