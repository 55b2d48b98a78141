/**
 * Skydio's X2 flies through two waypoints and hovers at a third. Its rotors only push, up to 13 N each.
 * The first guess is a straight flight from waypoint to waypoint, level and at rest at each knot: from hovering alone, a quadrotor that
 * is pulled sideways may turn over and never come back, since no small change of the inputs rights it.
 */
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import { sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { cost, effort, equals, upright } from "../terms.ts";

const timestep = 0.05;
const steps = 60;
/** N per rotor: a quarter of the weight. */
const hover = 3.2496;
const largestThrust = 13;
const start = [0, 0, 1] as const;
const waypoints = [
  { knot: 0, place: start },
  { knot: 20, place: [1, 0.5, 1.5] },
  { knot: 40, place: [2, -0.5, 1] },
  { knot: steps, place: [3, 0, 1] },
] as const;
const axes = ["x", "y", "z"] as const;

export function quadrotorTask(): PlanningTask {
  const mechanism = compile(models.skydioX2({ timestep }));
  const levelAt = (position: readonly number[]) =>
    maximalState(mechanism, { base: { position: [...position, 0, 0, 0] } });
  return {
    name: "quadrotor",
    simulation: new Simulation(mechanism),
    start: levelAt(start),
    steps,
    parameters: Object.fromEntries(axes.map((axis, i) => [axis, (k: number) => straight(k)[i]])),
    cost: (q) => {
      const { position, velocity, angularVelocity } = q.body("x2");
      return [
        cost(
          position.map((entry, i) => sub(entry, q.parameter(axes[i]))),
          0.1,
        ),
        cost([...velocity, ...angularVelocity], 0.01),
        upright(q, "x2", 0.1),
        effort(
          q,
          1e-3,
          q.inputs.map(() => hover),
        ),
      ];
    },
    constraints: (q) => {
      const { position, velocity, angularVelocity, axes: directions } = q.body("x2");
      const through = waypoints.slice(1).map(({ knot, place }) =>
        equals(
          position.map((entry, i) => sub(entry, place[i])),
          knot,
        ),
      );
      const tilt = directions[2].slice(0, 2);
      return [...through, equals([...velocity, ...angularVelocity, ...tilt], "final")];
    },
    inputBounds: { lower: [0, 0, 0, 0], upper: Array.from({ length: 4 }, () => largestThrust) },
    guess: {
      inputs: Array.from({ length: steps }, () => [hover, hover, hover, hover]),
      states: Array.from({ length: steps + 1 }, (_, k) => levelAt(straight(k))),
    },
  };
}

/** Where a straight flight from waypoint to waypoint is at a knot. */
function straight(k: number): number[] {
  const next = Math.max(
    1,
    waypoints.findIndex(({ knot }) => k <= knot),
  );
  const [from, to] = [waypoints[next - 1], waypoints[next]];
  const share = (k - from.knot) / (to.knot - from.knot);
  return from.place.map((value, i) => value + share * (to.place[i] - value));
}
