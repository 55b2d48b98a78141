/**
 * The timing comparison with MuJoCo, or a part of it, for use while optimising: names of robots and of columns, all where none is given.
 *   timing [humanoid] [a1] [panda] [x2] [forward] [jacobians] [pullback] [--steps n] [--rounds n] [--wall] [--json]
 * Processor time, unless --wall asks for the clock on the wall.
 */
import { loadMujoco } from "../experiments/peers/mujoco.ts";
import { Contest, columns, type PullbackTime, processorClock, wallClock } from "../experiments/timing/measure.ts";
import { robot, robotNames } from "../experiments/timing/robots.ts";

const words = process.argv.slice(2);
const option = (name: string, otherwise: number): number => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(words[at + 1]);
};
const chosen = <Name extends string>(all: readonly Name[]): readonly Name[] => {
  const some = all.filter((name) => words.includes(name));
  return some.length > 0 ? some : all;
};
const [steps, rounds] = [option("steps", 1000), option("rounds", 5)];
const json = words.includes("--json");
const mujoco = await loadMujoco();
const results: Record<string, Record<string, unknown>> = {};
if (!json) console.log("milliseconds of 1000 steps, medians (least)      ours              MuJoCo      ratio");
for (const name of chosen(robotNames)) {
  const contest = new Contest(mujoco, robot(name), steps, words.includes("--wall") ? wallClock : processorClock);
  results[name] = {};
  for (const column of chosen(columns)) {
    const measured = {
      forward: () => contest.measureForward(rounds),
      jacobians: () => contest.measureJacobians(rounds),
      pullback: () => contest.measurePullback(rounds),
    }[column]();
    results[name][column] = measured;
    if (json) continue;
    const { spread, ratio } = measured;
    const cell = (entry: typeof spread.peer): string =>
      entry ? `${(1000 * entry.median).toFixed(1)} (${(1000 * entry.least).toFixed(1)})` : "";
    const note = ratio === null ? `${(measured as PullbackTime).overForward.toFixed(2)} rollouts` : ratio.toFixed(2);
    const label = `${name} ${column}`.padEnd(36);
    console.log(`${label}${cell(spread.ours).padStart(20)}${cell(spread.peer).padStart(20)}${note.padStart(15)}`);
  }
  const facts = contest.facts();
  results[name].facts = facts;
  if (!json) {
    const { iterations, touching, peerTouching, retries, substeppedSteps, unsolvedSteps } = facts;
    console.log(
      `${"".padEnd(10)}${iterations.toFixed(2)} iterations, ${retries} retries, ${substeppedSteps} substepped, ${unsolvedSteps} unsolved; touching ${touching.toFixed(2)}, in MuJoCo ${peerTouching.toFixed(2)}`,
    );
  }
  contest.delete();
}
if (json) console.log(JSON.stringify(results, null, 2));
