/**
 * The paper's first claim: large time steps keep gradients through contact from vanishing or exploding. A box slides to rest within
 * two seconds; its resting place x(T) as a function of its first velocity v is x = v²/(2 c_f g), so dx/dv = v/(c_f g) exactly. The same
 * product of step Jacobians is taken in MuJoCo, by its own finite differences.
 *   run [--quick] [--json] [--out dir]
 */
import loadMujoco from "@mujoco/mujoco";
import { box, boxCorners, compile, floating, frictionContact, maximalState, Simulation, stepGradients } from "dojo-sim";
import { Plot, readArguments, table, writeFigure, writeResult } from "../report.ts";

const args = readArguments(import.meta.dirname);
const duration = 2;
const gravity = 9.81;
const friction = 0.3;
const speed = 3;
const edge = 0.2;
const timesteps = args.quick ? [0.05, 0.02, 0.01] : [0.05, 0.02, 0.01, 0.005, 0.002];
const kappas = [1e-3, 3e-4, 1e-6];
/** dx(T)/dv of a sliding point. */
const exact = speed / (friction * gravity);

interface Row {
  readonly engine: string;
  readonly timestep: number;
  /** dx(T)/dv along the motion, and the largest singular direction's size (Frobenius norm) of d state(T)/d state(0). */
  readonly gradient: number;
  readonly norm: number;
  readonly distance: number;
}

function ours(timestep: number, kappa: number): Row {
  const body = box({ size: [edge, edge, edge / 4], mass: 1 });
  const mechanism = compile({
    timestep,
    gravity: [0, 0, -gravity],
    bodies: { box: body },
    joints: { base: floating({ parent: "world", child: "box" }) },
    contacts: boxCorners(body)
      .filter((point) => point[2] < 0)
      .map((point) => frictionContact({ body: "box", point, frictionCoefficient: friction })),
  });
  const simulation = new Simulation(mechanism);
  let state = maximalState(mechanism, {
    base: { position: [0, 0, edge / 8, 0, 0, 0], velocity: [speed, 0, 0, 0, 0, 0] },
  });
  const input = new Float64Array(0);
  let product: Float64Array | undefined;
  for (let k = 0; k < Math.round(duration / timestep); k++) {
    const step = stepGradients(simulation, state, input, { kappa, coordinates: "minimal" });
    product = product ? multiply(step.dNext_dState, product, step.rows) : step.dNext_dState;
    state = step.next;
  }
  const total = product as Float64Array;
  const rows = Math.sqrt(total.length);
  // minimal state: six positions, then six velocities
  return {
    engine: `ours, κ = ${kappa.toExponential(0)}`,
    timestep,
    gradient: total[0 * rows + 6],
    norm: frobenius(total),
    distance: state[0],
  };
}

function multiply(a: Float64Array, b: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) for (let j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * b[k * n + j];
  return out;
}

function frobenius(matrix: Float64Array): number {
  return Math.sqrt(matrix.reduce((sum, entry) => sum + entry * entry, 0));
}

/** MuJoCo's default contact, elliptic cones, and the Jacobian of each step by central finite differences. */
async function mujoco(timestep: number): Promise<Row> {
  const mj = await loadMujoco();
  const half = edge / 2;
  const xml = `<mujoco>
    <option timestep="${timestep}" gravity="0 0 ${-gravity}" cone="elliptic"/>
    <worldbody>
      <geom type="plane" size="50 50 1" friction="${friction} 0 0" condim="3"/>
      <body pos="0 0 ${edge / 8}"><freejoint/><geom type="box" size="${half} ${half} ${edge / 8}" mass="1" friction="${friction} 0 0" condim="3"/></body>
    </worldbody></mujoco>`;
  const model = mj.MjModel.from_xml_string(xml);
  if (!model) throw new Error("MuJoCo did not take the box");
  const data = new mj.MjData(model);
  data.qvel[0] = speed;
  const n = 12;
  const buffer = new mj.DoubleBuffer(n * n);
  let product: Float64Array | undefined;
  for (let k = 0; k < Math.round(duration / timestep); k++) {
    mj.mjd_transitionFD(model, data, 1e-6, true, buffer, null, null, null);
    const step = Float64Array.from(buffer.GetView());
    product = product ? multiply(step, product, n) : step;
    mj.mj_step(model, data);
  }
  const total = product as Float64Array;
  const row = {
    engine: "MuJoCo, finite differences",
    timestep,
    gradient: total[6],
    norm: frobenius(total),
    distance: data.qpos[0],
  };
  buffer.delete();
  data.delete();
  model.delete();
  return row;
}

const rows: Row[] = [];
for (const timestep of timesteps) {
  for (const kappa of kappas) rows.push(ours(timestep, kappa));
  rows.push(await mujoco(timestep));
}
writeResult(args, { exact, closedDistance: speed ** 2 / (2 * friction * gravity), rows });

const engines = [...new Set(rows.map((row) => row.engine))];
const panel = (heading: string, key: "gradient" | "norm") => ({
  heading,
  x: { label: "time step, s", type: "log" as const },
  y: {
    label: key === "gradient" ? "dx/dv, s" : "norm of d state(2 s)/d state(0)",
    type: key === "norm" ? ("log" as const) : ("linear" as const),
  },
  color: { domain: engines, scheme: "observable10" as const },
  marks: [
    ...(key === "gradient" ? [Plot.ruleY([exact], { strokeDasharray: "4,3" })] : []),
    Plot.line(rows, { x: "timestep", y: key, stroke: "engine", marker: true }),
    ...engines.map((engine, i) =>
      Plot.text([{ engine }], {
        text: "engine",
        fill: "engine",
        frameAnchor: "bottom-right",
        dx: -8,
        dy: -11 * i - (key === "gradient" ? 8 : 40),
      }),
    ),
  ],
});
writeFigure(args, "figure", [
  [panel("gradient of the resting place", "gradient"), panel("size of the whole Jacobian", "norm")],
]);

if (!args.json) {
  console.log(`dx(T)/dv of the sliding box after ${duration} s: exactly ${exact.toFixed(4)} s`);
  console.log(
    table([
      ["", ...timesteps.map((h) => `h ${h}`)],
      ...engines.map((engine) => [engine, ...rows.filter((row) => row.engine === engine).map((row) => row.gradient)]),
    ]),
  );
  console.log("\nnorm of d state(T)/d state(0)");
  console.log(
    table([
      ["", ...timesteps.map((h) => `h ${h}`)],
      ...engines.map((engine) => [engine, ...rows.filter((row) => row.engine === engine).map((row) => row.norm)]),
    ]),
  );
}
