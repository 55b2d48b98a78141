/** Closed loops, for tests: a four-bar linkage and a Stewart platform. */
import {
  type BodyDescription,
  box,
  capsule,
  floating,
  type JointDescription,
  type MechanismDescription,
  prismatic,
  revolute,
  spherical,
  universal,
} from "../../src/mechanism/index.ts";

export interface FourBarLengths {
  readonly crank: number;
  readonly coupler: number;
  readonly rocker: number;
  readonly ground: number;
}

export const crankRocker: FourBarLengths = { crank: 0.4, coupler: 1, rocker: 0.8, ground: 1 };

/** In the y-z plane; at zero coordinates all bars point up, in a line. */
export function fourBar({ crank, coupler, rocker, ground }: FourBarLengths = crankRocker): MechanismDescription {
  const bar = (length: number) => capsule({ radius: 0.03, length, mass: length });
  const hinge = (parent: string, child: string, parentAnchor: readonly [number, number, number], end: number) =>
    revolute({ parent, child, axis: [1, 0, 0], parentAnchor, childAnchor: [0, 0, end] });
  return {
    name: "four-bar",
    timestep: 0.01,
    bodies: { crank: bar(crank), coupler: bar(coupler), rocker: bar(rocker) },
    joints: {
      ground: hinge("world", "crank", [0, 0, 0], -crank / 2),
      elbow: hinge("crank", "coupler", [0, 0, crank / 2], -coupler / 2),
      wrist: hinge("coupler", "rocker", [0, 0, coupler / 2], -rocker / 2),
      pivot: hinge("world", "rocker", [0, ground, 0], rocker / 2),
    },
  };
}

/** Six legs that slide, on universal joints below and ball joints above: six loops. */
export function stewartPlatform(limits?: readonly [number, number]): MechanismDescription {
  const bodies: Record<string, BodyDescription> = { top: box({ size: [1, 1, 0.1], mass: 3 }) };
  const joints: Record<string, JointDescription> = { base: floating({ parent: "world", child: "top" }) };
  for (let i = 0; i < 6; i++) {
    const foot = (i * Math.PI) / 3;
    const head = foot + (i % 2 === 0 ? -0.4 : 0.4);
    const [low, high] = [`low${i}`, `high${i}`];
    bodies[low] = capsule({ radius: 0.02, length: 0.5, mass: 0.3 });
    bodies[high] = capsule({ radius: 0.02, length: 0.5, mass: 0.3 });
    joints[`foot${i}`] = universal({
      parent: "world",
      child: low,
      axes: [
        [1, 0, 0],
        [0, 1, 0],
      ],
      parentAnchor: [Math.cos(foot), Math.sin(foot), 0],
      childAnchor: [0, 0, -0.25],
    });
    const slide = { parent: low, child: high, axis: [0, 0, 1], parentAnchor: [0, 0, 0.3] } as const;
    joints[`slide${i}`] = prismatic(limits ? { ...slide, limits } : slide);
    joints[`head${i}`] = spherical({
      parent: high,
      child: "top",
      parentAnchor: [0, 0, 0.25],
      childAnchor: [0.5 * Math.cos(head), 0.5 * Math.sin(head), -0.05],
    });
  }
  return { name: "Stewart platform", timestep: 0.01, bodies, joints };
}
