/** Newton's cradle: balls in a row, each on two threads, of which the first is lifted. */
import { quaternion } from "../../math/index.ts";
import { type MechanismDescription, revolute, type Shape, sphere } from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { touching } from "./parts.ts";

export interface CradleOptions extends ModelOptions {
  /** Default 5. */
  readonly count?: number;
  /** Default 0.05 m. */
  readonly radius?: number;
  /** Default 0.2 kg. */
  readonly mass?: number;
  /** Length from the axis to the middle of a ball. Default 0.4 m. */
  readonly length?: number;
  /** Gap between neighbours at rest. Default 0.0001 m: who hits whom first is then certain. */
  readonly gap?: number;
  /** How many balls are lifted. Default 1. */
  readonly lifted?: number;
  /** How far. Default 0.6 rad. */
  readonly angle?: number;
  /** Default 1: nothing is lost. */
  readonly restitution?: number;
}

export function cradle(options: CradleOptions = {}): MechanismDescription {
  const { count = 5, radius = 0.05, mass = 0.2, length = 0.4, gap = 1e-4, lifted = 1 } = options;
  const { angle = 0.6, restitution = 1 } = options;
  const names = Array.from({ length: count }, (_, i) => `ball${i}`);
  const ball = touching(sphere({ radius, mass, color: colors.blue }), { frictionCoefficient: 0, restitution });
  const pitch = 2 * radius + gap;
  const spread = length / 3;
  const body = { ...ball, shapes: [...(ball.shapes ?? []), ...threads(length, spread)] };
  return {
    ...header("cradle", options),
    bodies: Object.fromEntries(names.map((name) => [name, body])),
    joints: Object.fromEntries(
      names.map((name, i) => [
        name,
        revolute({
          parent: "world",
          child: name,
          axis: [0, 1, 0],
          parentAnchor: [pitch * (i - (count - 1) / 2), 0, 1.5 * length],
          childAnchor: [0, 0, length],
        }),
      ]),
    ),
    shapes: [-spread, spread].map((y): Shape => {
      const [size, position] = [
        [pitch * count, 0.01, 0.01],
        [0, y, 1.5 * length],
      ] as const;
      return { kind: "box", size, position, color: colors.steel };
    }),
    states: {
      lifted: Object.fromEntries(names.slice(0, lifted).map((name) => [name, { position: [angle] }])),
      rest: {},
    },
  };
}

/** The two threads of a ball, for show: from its middle to the rails. */
function threads(length: number, spread: number): Shape[] {
  return [-spread, spread].map(
    (y): Shape => ({
      kind: "capsule",
      radius: 0.002,
      length: Math.hypot(y, length),
      position: [0, y / 2, length / 2],
      orientation: quaternion.fromAxisAngle([1, 0, 0], Math.atan2(-y, length)),
      color: colors.steel,
    }),
  );
}
