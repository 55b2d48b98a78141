/** Plans from goals that are data, against what the goals ask for. */
import { expect, test } from "vitest";
import {
  ArgumentError,
  compile,
  type Goal,
  goalTask,
  models,
  type Plan,
  planTrajectory,
  projectState,
  type Quantities,
  Simulation,
  startOf,
} from "../../src/index.ts";
import { bodyStateSize } from "../../src/math/index.ts";
import { sub } from "../../src/symbolic/index.ts";

function standing(): { simulation: Simulation; start: Float64Array } {
  const simulation = new Simulation(compile(models.a1({ timestep: 0.02 })));
  return { simulation, start: startOf(simulation, { onGround: true }).state };
}

function heightOf(state: Float64Array, body: number): number {
  return state[bodyStateSize * body + 2];
}

test("A1 stands up by 4 cm, and its feet stay where they are", () => {
  const { simulation, start } = standing();
  const { bodies } = simulation.mechanism;
  const trunk = bodies.findIndex(({ name }) => name === "trunk");
  const wanted = heightOf(start, trunk) + 0.04;
  const goal: Goal = { seconds: 0.4, reach: { "trunk.z": wanted, "trunk.velocity": 0 }, keep: ["feet"] };
  const plan = planTrajectory(goalTask(simulation, start, goal));
  expect(plan.reason).toBeUndefined();
  const end = plan.states.at(-1) as Float64Array;
  expect(heightOf(end, trunk)).toBeCloseTo(wanted, 5);
  expect(Math.hypot(...end.slice(bodyStateSize * trunk + 7, bodyStateSize * trunk + 10))).toBeLessThan(1e-5);
  const feet = simulation.mechanism.contacts.filter(({ name }) => name.endsWith("_calf"));
  expect(feet).toHaveLength(4);
  for (const { body, point } of feet) {
    const [before, after] = [start, end].map((state) => worldPoint(state.subarray(bodyStateSize * body), point));
    expect(Math.hypot(...before.map((entry, k) => entry - after[k]))).toBeLessThan(5e-3);
  }
});

/** x + R(q) p, by the quaternion's matrix. */
function worldPoint(pose: Float64Array, [a, b, c]: readonly number[]): number[] {
  const [x, y, z, w, i, j, k] = pose;
  return [
    x + (1 - 2 * (j * j + k * k)) * a + 2 * (i * j - w * k) * b + 2 * (i * k + w * j) * c,
    y + 2 * (i * j + w * k) * a + (1 - 2 * (i * i + k * k)) * b + 2 * (j * k - w * i) * c,
    z + 2 * (i * k - w * j) * a + 2 * (j * k + w * i) * b + (1 - 2 * (i * i + j * j)) * c,
  ];
}

const pendulum = (): Simulation => new Simulation(compile(models.pendulum({ actuated: true, timestep: 0.05 })));
const planned = (goal: Omit<Goal, "seconds">): Plan => {
  const simulation = pendulum();
  return planTrajectory(goalTask(simulation, startOf(simulation, { state: "zero" }).state, { seconds: 1, ...goal }));
};
const angleAt = ({ states }: Plan, knot: number): number => {
  const [w, x] = states[knot].slice(3, 5);
  return 2 * Math.atan2(x, w);
};

test("text says what terms say", () => {
  const simulation = pendulum();
  const { state: start } = startOf(simulation, { state: "zero" });
  const common = { name: "swing", simulation, start, steps: 20 };
  const text = planTrajectory({
    ...common,
    cost: ["0.5 (hinge.angle - 1)^2 + 1e-2 |input|^2", "final: 3 hinge.angle.rate^2"],
    constraints: ["input <= 5", "10: hinge.angle <= 0.3", "final: hinge.angle = 0.9"],
  });
  const terms = planTrajectory({
    ...common,
    cost: (q: Quantities) => [
      { residuals: [sub(q.coordinate("hinge.angle"), 1)], weights: 0.5 },
      { residuals: q.inputs, weights: 1e-2, at: "running" },
      { residuals: [q.rate("hinge.angle")], weights: 3, at: "final" },
    ],
    constraints: (q: Quantities) => [
      { kind: "inequality", rows: [sub(q.input("hinge.angle"), 5)], at: "running" },
      { kind: "inequality", rows: [sub(q.coordinate("hinge.angle"), 0.3)], at: 10 },
      { kind: "equality", rows: [sub(q.coordinate("hinge.angle"), 0.9)], at: "final" },
    ],
  });
  expect(text.solved).toBe(true);
  expect(text.cost).toBeCloseTo(terms.cost, 6);
  expect(angleAt(text, 10)).toBeLessThan(0.3 + 1e-6);
  expect(angleAt(text, 20)).toBeCloseTo(0.9, 5);
});

test("effort limits bound the inputs, as bounds of one's own do", () => {
  const description = models.pendulum({ actuated: true, timestep: 0.05 });
  const [[name, joint]] = Object.entries(description.joints ?? {});
  const limited = { ...description, joints: { [name]: { ...joint, effortLimit: 2 } } };
  const simulation = new Simulation(compile(limited));
  const { state } = startOf(simulation, { state: "zero" });
  const task = goalTask(simulation, state, { seconds: 1, reach: { "hinge.angle": 0.2 } });
  expect(task.inputBounds).toEqual({ lower: Float64Array.of(-2), upper: Float64Array.of(2) });
  const own = { lower: [-1], upper: [1] };
  expect(goalTask(simulation, state, { seconds: 1, inputBounds: own }).inputBounds).toBe(own);
});

test.each<[Partial<Goal>, RegExp]>([
  [
    { reach: { "hinge.angel": 1 } },
    /goal\.reach\.hinge\.angel: there is no quantity "hinge\.angel"; did you mean "hinge\.angle"\?/,
  ],
  [{ reach: { "hinge.angle": Number.NaN } }, /not-finite at goal\.reach/],
  [{ seconds: 0 }, /goal\.seconds: 0: give a number that is positive/],
  [{ effort: -1 }, /goal\.effort: -1: give a number that is 0 or more/],
  [{ keep: ["feet"], cost: "0" }, /no explicit contact touches anything at the start/],
  [{ cost: "hinge.angle" }, /goal\.cost, column 1: a cost is a sum of weight/],
  [{ cost: ["1", "(2"] }, /goal\.cost\[1\], column 3: it ends where "\)"/],
  [{ constraints: ["hinge.angle"] }, /goal\.constraints, column 12: it ends where <=, >= or =/],
  [{ constraints: ["99: hinge.angle = 1"] }, /99 is no knot/],
  [{ cots: "1" } as never, /cots/],
])("%j is refused", (goal, message) => {
  expect(() => planned(goal)).toThrow(ArgumentError);
  expect(() => planned(goal)).toThrow(message);
});

test("a mechanism without inputs has nothing to plan for", () => {
  const simulation = new Simulation(compile(models.block()));
  const start = projectState(simulation, startOf(simulation).state);
  expect(() => goalTask(simulation, start, { seconds: 1 })).toThrow(/has no motor, servo or thruster to plan for/);
});
