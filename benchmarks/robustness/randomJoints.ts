/** Joints of random kinds, with random forces and limits in them. */
import type { JointDescription, JointKind, Vector3 } from "dojo-sim";
import { type Dice, g, type Scale } from "./parts.ts";

export const jointKinds: readonly JointKind[] = [
  ...(["revolute", "revolute", "revolute", "revolute", "spherical", "spherical", "universal", "serial"] as const),
  ...(["prismatic", "cylindrical", "planar", "planarAxis", "orbital", "fixed", "fixedOrientation"] as const),
  ...(["freeRevolute", "prismaticOrbital", "planarOrbital", "freeOrbital", "cylindricalFree", "planarFree"] as const),
];
const freeAxes: Readonly<Partial<Record<JointKind, number>>> = {
  ...{
    fixed: 0,
    prismatic: 1,
    planar: 2,
    fixedOrientation: 3,
    revolute: 1,
    cylindrical: 2,
    planarAxis: 3,
    freeRevolute: 4,
  },
  ...{
    orbital: 2,
    prismaticOrbital: 3,
    planarOrbital: 4,
    freeOrbital: 5,
    spherical: 3,
    cylindricalFree: 4,
    planarFree: 5,
  },
  ...{ floating: 6, universal: 2, serial: 3 },
};
const translations: Readonly<Partial<Record<JointKind, number>>> = {
  ...{ prismatic: 1, planar: 2, fixedOrientation: 3, cylindrical: 1, planarAxis: 2, freeRevolute: 3 },
  ...{ prismaticOrbital: 1, planarOrbital: 2, freeOrbital: 3, cylindricalFree: 1, planarFree: 2, floating: 3 },
};

/** A joint of a random kind with random forces in it, sized for the lighter of its two sides. */
export function randomJoint(
  dice: Dice,
  scale: Scale,
  base: Omit<JointDescription, "kind">,
  mass: number,
  kind: JointKind,
): JointDescription {
  const { h, size } = scale;
  const axis = dice.chance(0.5) ? dice.pick<Vector3>([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) : dice.random.unitVector(); // biome-ignore format: a list
  const slides = translations[kind] ?? 0;
  const count = freeAxes[kind] ?? 0;
  const perAxis = (translation: () => number, rotation: () => number): number[] =>
    Array.from({ length: count }, (_, i) => (i < slides ? translation() : rotation()));
  const inertia = mass * size * size;
  const frame: Partial<JointDescription> =
    kind === "universal"
      ? { axes: [[1, 0, 0], [0, 1, 0]] } // biome-ignore format: a list
      : kind === "serial"
        ? { axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] } // biome-ignore format: a list
        : { axis };
  // few combinations, so that joints share their kernels
  const forces = dice.random.integer(5);
  const passive: Partial<JointDescription> = {
    stiffness: perAxis(
      () => mass * (dice.log(0.01, 5) / h) ** 2,
      () => inertia * (dice.log(0.01, 5) / h) ** 2,
    ),
    damping: perAxis(
      () => (mass * dice.log(1e-3, 1)) / h,
      () => (inertia * dice.log(1e-3, 1)) / h,
    ),
    armature: perAxis(
      () => mass * dice.random.uniform(),
      () => inertia * dice.random.uniform(),
    ),
  };
  const limits = Array.from({ length: count }, (_, i): [number, number] => {
    const unit = i < slides ? size : 1;
    return [-unit * dice.random.uniform(0.05, 1), unit * dice.random.uniform(0.05, 1)];
  });
  // the entries of a rotation vector are not limited one by one
  const limitable = count > 0 && (kind === "serial" || kind === "universal" || count - slides <= 1);
  const tiltable = count - slides >= 2 && kind !== "serial" && kind !== "universal";
  return {
    ...base,
    kind,
    ...frame,
    ...(count > 0 && dice.chance(0.5) && { actuated: true }),
    ...((forces === 1 || forces === 3) && count > 0 && passive),
    // three serial angles lose an axis where the second is a right angle
    ...((forces >= 2 || kind === "serial") && limitable && { limits }),
    ...(forces >= 2 && tiltable && { tiltLimit: dice.random.uniform(0.3, 1.5) }),
    ...(forces === 4 && count > 0 && { friction: perAxis(() => mass * g * dice.log(0.01, 3), () => mass * g * size * dice.log(0.01, 3)) }), // biome-ignore format: one line
  };
}
