/** Pictures of a policy at work, seen from the side: every limb is a line with the width of its capsule. */
import { Environment, environments, policyController, Random, scoreStart, type TrainedPolicy } from "dojo-sim";
import type { Robot } from "./result.ts";

export interface Picture {
  /** s. */
  readonly time: number;
  readonly limbs: readonly {
    readonly body: string;
    /** x and z of both ends, m. */
    readonly ends: readonly (readonly [number, number])[];
    readonly radius: number;
  }[];
}

type Vector = readonly [number, number, number];
type Turn = readonly [number, number, number, number];
const bodySize = 13;

export function film(robot: Robot, policy: TrainedPolicy, count: number): Picture[] {
  const environment = new Environment(environments[robot]());
  const { simulation, description, mechanism } = environment;
  const { horizon, mechanism: described } = description;
  const { states } = simulation.rollout(environment.start(new Random(scoreStart(0))), {
    steps: horizon,
    controller: policyController(environment, policy),
    check: false,
  });
  return Array.from({ length: count }, (_, i) => {
    const step = Math.min(states.length - 1, Math.round((i * horizon) / (count - 1)));
    const limbs = mechanism.bodies.flatMap(({ name, index }) => {
      const [x, , z, ...turn] = states[step].subarray(bodySize * index, bodySize * index + 7);
      const placed = (point: Vector): [number, number] => {
        const [px, , pz] = rotated(turn as unknown as Turn, point);
        return [rounded(x + px), rounded(z + pz)];
      };
      return (described.bodies[name].shapes ?? []).flatMap((shape) => {
        if (shape.kind !== "capsule" && shape.kind !== "sphere") return [];
        const { position = [0, 0, 0], orientation = [1, 0, 0, 0], radius } = shape;
        const half = shape.kind === "capsule" ? shape.length / 2 : 0;
        const ends = [-half, half].map((end) => {
          const along = rotated(orientation as Turn, [0, 0, end]);
          return placed([0, 1, 2].map((k) => position[k] + along[k]) as unknown as Vector);
        });
        return [{ body: name, ends, radius }];
      });
    });
    return { time: rounded(step * environment.timestep), limbs };
  });
}

const rounded = (value: number): number => Number(value.toFixed(3));

function rotated([w, ...v]: Turn, point: Vector): Vector {
  const across = cross(v as unknown as Vector, point);
  const twice = cross(v as unknown as Vector, across);
  return [0, 1, 2].map((i) => point[i] + 2 * (w * across[i] + twice[i])) as unknown as Vector;
}

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
