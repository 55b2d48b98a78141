/**
 * A delta robot: three arms hinged to the world, two parallel rods on each, and a platform that the six rods keep level. Ten
 * bodies and five closed loops leave it three degrees of freedom. In an arm's plane, with its angle θ below the level and the
 * rods' angle β off the vertical (R, r: radii of base and platform; a, l: lengths of arm and rods):
 *   sin β = (R + a cos θ − r) / l        height of the platform: −a sin θ − l cos β
 * Without motors it hangs where its potential energy is least.
 */
import { quaternion, vector } from "../math/index.ts";
import type { MechanismDescription, Vector3 } from "../mechanism/index.ts";
import { assemble, between, type Link, type LinkJoint, linkFromShapes } from "./builder.ts";
import { colors } from "./colors.ts";
import { type DriveOptions, drive, header, type ModelOptions } from "./options.ts";

export interface DeltaOptions extends ModelOptions, DriveOptions {
  /** Damping of the arms' hinges. Default 0.05 N·m·s/rad. */
  readonly damping?: number;
}

/** Metres and kilograms; sizes of a small pick-and-place robot. */
const size = { base: 0.2, platform: 0.06, arm: 0.25, rod: 0.5, spread: 0.08 };
const mass = { arm: 0.4, rod: 0.05, platform: 0.3 };
const arms = [0, 1, 2];
const sides = { a: 1, b: -1 } as const;

export function delta(options: DeltaOptions = {}): MechanismDescription {
  const links: Record<string, Link> = {};
  const joints: Record<string, LinkJoint> = {};
  for (const k of arms) {
    links[`arm${k}`] = armLink();
    joints[`shoulder${k}`] = shoulder(k, options);
    for (const side of ["a", "b"] as const) {
      links[`rod${k}${side}`] = rodLink();
      joints[`elbow${k}${side}`] = {
        kind: "universal",
        parent: `arm${k}`,
        child: `rod${k}${side}`,
        position: [size.arm, (sides[side] * size.spread) / 2, 0],
        axes: [vector.unitY, vector.unitX],
      };
      joints[`wrist${k}${side}`] = wrist(k, side);
    }
  }
  links.platform = platformLink();
  const robot = { links, joints };
  const { theta, beta } = hanging();
  const level = { theta: 0.2, beta: rodAngle(0.2) };
  return {
    ...header("delta", options),
    ...assemble(robot, { frictionCoefficient: 0 }),
    states: { raised: symmetric(level.theta, level.beta), rest: symmetric(theta, beta) },
  };
}

/** Turn from the plane of arm 0 to that of arm k. */
const azimuth = (k: number) => quaternion.fromAxisAngle(vector.unitZ, (2 * Math.PI * k) / 3);

function shoulder(k: number, options: DeltaOptions): LinkJoint {
  const turn = azimuth(k);
  return {
    kind: "revolute",
    parent: "world",
    child: `arm${k}`,
    position: quaternion.rotate(turn, [size.base, 0, 0]),
    orientation: turn,
    axis: vector.unitY,
    damping: options.damping ?? 0.05,
    ...drive(options),
  };
}

function wrist(k: number, side: "a" | "b"): LinkJoint {
  const turn = azimuth(k);
  const point: Vector3 = [size.platform, (sides[side] * size.spread) / 2, 0];
  return {
    kind: "spherical",
    parent: `rod${k}${side}`,
    child: "platform",
    // the rod's end meets the platform's rim
    position: vector.sub([0, 0, -size.rod], point),
    orientation: quaternion.conjugate(turn),
    pivot: quaternion.rotate(turn, point),
  };
}

function armLink(): Link {
  const along = between([0, 0, 0], [size.arm, 0, 0]);
  return linkFromShapes([{ kind: "capsule", radius: 0.02, ...along, mass: mass.arm, color: colors.orange }]);
}

function rodLink(): Link {
  const along = between([0, 0, 0], [0, 0, -size.rod]);
  return linkFromShapes([{ kind: "capsule", radius: 0.008, ...along, mass: mass.rod, color: colors.steel }]);
}

function platformLink(): Link {
  return linkFromShapes([
    { kind: "cylinder", radius: size.platform, length: 0.02, mass: mass.platform, color: colors.blue },
  ]);
}

const rodAngle = (theta: number): number =>
  Math.asin((size.base + size.arm * Math.cos(theta) - size.platform) / size.rod);

/** dE/dθ = −a (A cos θ + B tan β sin θ) = 0, with the masses that hang at the elbows and at the wrists, by bisection. */
function hanging(): { theta: number; beta: number } {
  const elbow = mass.arm / 2 + 2 * mass.rod + mass.platform / 3;
  const wristMass = mass.rod + mass.platform / 3;
  let [low, high] = [Math.PI / 2, Math.PI];
  for (let i = 0; i < 60; i++) {
    const theta = (low + high) / 2;
    const slope = elbow * Math.cos(theta) + wristMass * Math.tan(rodAngle(theta)) * Math.sin(theta);
    if (slope > 0) low = theta;
    else high = theta;
  }
  return { theta: low, beta: rodAngle(low) };
}

/** All arms at θ, all rods at β off the vertical, the platform level. */
function symmetric(theta: number, beta: number): NonNullable<MechanismDescription["states"]>[string] {
  const entries = arms.flatMap((k) => [
    [`shoulder${k}`, { position: [theta] }] as const,
    ...(["a", "b"] as const).map((side) => [`elbow${k}${side}`, { position: [beta - theta, 0] }] as const),
  ]);
  return { ...Object.fromEntries(entries), wrist0a: { position: [0, -beta, 0] } };
}
