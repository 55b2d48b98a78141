/**
 * What the way from Python costs: one step per message beside the engine's own step, and 64 environments × 16 steps per message beside the
 * engine's own throughput on as many cores. Needs a Python with NumPy and Gymnasium: DOJO_SIM_PYTHON, or python3.
 *   npm run bench -- door
 */
import { spawn } from "node:child_process";
import { compile, describeEnvironment, models, Random, Simulation, startState, VectorEnvironment } from "dojo-sim";

const [copies, steps, seconds] = [64, 16, 6];

/** What takes less than this share of the times is what nothing else on the machine has disturbed. */
const undisturbed = 0.05;
const low = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(undisturbed * times.length)];

/** Time of a step, from the same states as in Python. */
function stepMicroseconds(): number {
  const mechanism = compile(models.halfCheetah());
  const simulation = new Simulation(mechanism);
  const times: number[] = [];
  let state = startState(mechanism);
  for (const end = performance.now() + 1000 * seconds; performance.now() < end; ) {
    const begin = performance.now();
    state = Float64Array.from(simulation.step(state).next);
    times.push(performance.now() - begin);
    if (times.length % 500 === 0) state = startState(mechanism);
  }
  return 1000 * low(times);
}

/** Steps per second of some copies of the environment, in this process. */
function vectorStepsPerSecond(count: number): number {
  const vector = new VectorEnvironment(describeEnvironment("half-cheetah"), { count });
  vector.reset({ seed: 1 });
  const random = new Random(1);
  const actions = Float64Array.from({ length: count * vector.actionSpace.size }, () => random.uniform(-1, 1));
  for (let k = 0; k < steps; k++) vector.step(actions);
  const times: number[] = [];
  for (const end = performance.now() + 1000 * seconds; performance.now() < end; ) {
    const begin = performance.now();
    for (let k = 0; k < steps; k++) vector.step(actions);
    times.push(performance.now() - begin);
  }
  return (1000 * steps * count) / low(times);
}

/** What a program prints. */
function output(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}`))));
  });
}

if (process.argv[2] === "vector") {
  console.log(vectorStepsPerSecond(Number(process.argv[3])));
} else {
  const python = process.env.DOJO_SIM_PYTHON ?? "python3";
  const path = { PYTHONPATH: "python/src" };
  const args = ["python/benchmarks/door.py", ...[copies, steps, seconds].map(String)];
  const there: { stepMicroseconds: number; vectorStepsPerSecond: number; share: number; engines: number } = JSON.parse(
    await output(python, args, path),
  );
  const own = stepMicroseconds();
  const shares = Array.from({ length: there.engines }, () =>
    output(process.execPath, [process.argv[1], "vector", String(Math.round(copies / there.engines))]),
  );
  const throughput = (await Promise.all(shares)).reduce((sum, text) => sum + Number(text), 0);
  const figures = {
    engines: there.engines,
    stepMicroseconds: { python: there.stepMicroseconds, engine: own, door: there.stepMicroseconds - own },
    [`stepsPerSecond of ${copies} × ${steps}`]: {
      python: there.vectorStepsPerSecond,
      engine: throughput,
      shareOfThroughput: there.vectorStepsPerSecond / throughput,
      shareOfMessage: there.share,
    },
  };
  console.log(
    JSON.stringify(figures, (_, value) => (typeof value === "number" ? Number(value.toPrecision(4)) : value), 2),
  );
}
