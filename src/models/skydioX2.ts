/**
 * Skydio's X2, a quadrotor: published model of MuJoCo's collection. Its mass sits in four rotor discs and a slim hull; each
 * thruster pushes up at its rotor and turns the body against its own spin. The air drags.
 */
import { vector } from "../math/index.ts";
import { floating, type MechanismDescription, type ThrusterDescription, type Vector3 } from "../mechanism/index.ts";
import { assemble, type ContactSpot, linkFromShapes, type Robot } from "./builder.ts";
import { colors } from "./colors.ts";
import { type FloorOptions, header, type ModelOptions } from "./options.ts";
import { standingState } from "./placement.ts";

export interface SkydioX2Options extends ModelOptions, FloorOptions {
  /** Drag of air at sea level. Default true. */
  readonly fluid?: boolean;
}

const rotors: readonly Vector3[] = [
  [-0.14, -0.18, 0.05],
  [-0.14, 0.18, 0.05],
  [0.14, 0.18, 0.08],
  [0.14, -0.18, 0.08],
];
/** Torque about z for a thrust of 1 N, N·m, by rotor. */
const reaction = [-0.0201, 0.0201, -0.0201, 0.0201];
const largestThrust = 13;

/** Four inputs, the thrusts in newtons, 0 to 13 each; m g/4 = 3.2496 N each hover, and come with the state `hover`. */
export function skydioX2(options: SkydioX2Options = {}): MechanismDescription {
  const { fluid = true, frictionCoefficient = 0.8 } = options;
  const hull = linkFromShapes(
    [
      { kind: "ellipsoid", radii: [0.16, 0.04, 0.02], position: [0, 0, 0.02], mass: 0.325, color: colors.dark },
      ...rotors.map((position) => ({
        kind: "ellipsoid" as const,
        radii: [0.13, 0.13, 0.01] as const,
        position,
        mass: 0.25,
        color: colors.steel,
      })),
    ],
    floorSpots(),
  );
  const center = hull.center ?? vector.zero;
  const shapes = [
    ...(hull.shapes ?? []),
    { kind: "box", size: [0.12, 0.054, 0.08], position: [0.04, 0, 0.04], color: colors.black },
    { kind: "box", size: [0.1, 0.054, 0.04], position: [-0.07, 0, 0.065], color: colors.black },
    { kind: "box", size: [0.34, 0.02, 0.01], position: [0, 0, 0.05], orientation: turned(0.9), color: colors.dark },
    { kind: "box", size: [0.34, 0.02, 0.01], position: [0, 0, 0.05], orientation: turned(-0.9), color: colors.dark },
  ] as const;
  const robot: Robot = {
    links: { x2: { ...hull, shapes } },
    joints: { base: floating({ parent: "world", child: "x2" }) },
  };
  const thrusters = rotors.map((position, i): [string, ThrusterDescription] => [
    `thrust${i + 1}`,
    {
      body: "x2",
      position: vector.sub(position, center),
      force: [0, 0, 1],
      torque: [0, 0, reaction[i]],
      limits: [0, largestThrust],
    },
  ]);
  const { gravity = [0, 0, -9.81] } = options;
  const share = (-hull.mass * gravity[2]) / rotors.length;
  return {
    ...header("skydioX2", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    thrusters: Object.fromEntries(thrusters),
    ...(fluid && { fluid: { density: 1.225, viscosity: 1.8e-5 } }),
    states: {
      // thrown over, its rotors off
      falling: { base: { position: [0, 0, 1, 0, 0, 0], velocity: [0, 0, 0, 2, 1, 0] } },
      hover: { base: { position: [0, 0, 0.3, 0, 0, 0] } },
      rest: standingState(robot, "base", {}),
    },
    stateInputs: { hover: Object.fromEntries(thrusters.map(([name]) => [name, share])) },
  };
}

const turned = (yaw: number) => [Math.cos(yaw / 2), 0, 0, Math.sin(yaw / 2)] as const;

/** The hull's underside, and the outer rims of the rotors. */
function floorSpots(): ContactSpot[] {
  const corners = [-0.02, 0.1].flatMap((x) => [-0.027, 0.027].map((y) => [x, y] as const));
  const hull = corners.map(([x, y], i): ContactSpot => ({ name: `hull${i + 1}`, point: [x, y, 0] }));
  const rims = rotors.map(([x, y, z], i): ContactSpot => {
    // 0.12 m outwards from the rotor's centre
    const reach = 1 + 0.12 / Math.sqrt(x * x + y * y);
    return { name: `rotor${i + 1}`, point: [reach * x, reach * y, z], radius: 0.01 };
  });
  return [...hull, ...rims];
}
