/** What scenes are put together from: random choices, bodies, and joints at points of a layout. */
import {
  type BodyDescription,
  box,
  type ContactDescription,
  capsule,
  hull,
  type JointDescription,
  type Random,
  type Shape,
  sphere,
  type Vector3,
} from "dojo-sim";

export const g = 9.81;

/** Random choices that scenes are made of. */
export class Dice {
  readonly random: Random;
  constructor(random: Random) {
    this.random = random;
  }
  chance(p: number): boolean {
    return this.random.uniform() < p;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.random.integer(list.length)];
  }
  /** Evenly spread logarithm. */
  log(lo: number, hi: number): number {
    return lo * (hi / lo) ** this.random.uniform();
  }
}

/** What all bodies of one scene have in common. */
export interface Scale {
  readonly h: number;
  readonly size: number;
  readonly mass: number;
  readonly ratio: number;
}

export interface Parts {
  readonly bodies: Record<string, BodyDescription>;
  readonly joints: Record<string, JointDescription>;
  readonly contacts: ContactDescription[];
  readonly positions: Map<string, Vector3>;
  readonly free: Set<string>;
  /** A shape of the world. */
  ground?: Shape;
}

export function bodyMass(dice: Dice, scale: Scale): number {
  return scale.mass * dice.log(1, scale.ratio);
}

/** Sides within a factor 5, the longest of the scene's size times `part`. */
export function randomBox(dice: Dice, scale: Scale, part: number): BodyDescription {
  const sides = [1, dice.log(0.2, 1), dice.log(0.2, 1)].map((side) => side * part * scale.size);
  return box({ size: [sides[0], sides[1], sides[2]], mass: bodyMass(dice, scale) });
}

export function randomBody(dice: Dice, scale: Scale): BodyDescription {
  const mass = bodyMass(dice, scale);
  const kind = dice.random.integer(3);
  if (kind === 0) return randomBox(dice, scale, 1);
  if (kind === 1) return sphere({ radius: scale.size / 2, mass });
  return capsule({ radius: dice.random.uniform(0.05, 0.3) * scale.size, length: scale.size, mass });
}

/** The hull of points on an ellipsoid. */
export function randomHull(dice: Dice, scale: Scale): BodyDescription {
  const radii = [1, dice.log(0.3, 1), dice.log(0.3, 1)].map((part) => (part * scale.size) / 2);
  const points = Array.from({ length: 6 + dice.random.integer(9) }, (): Vector3 => {
    const [x, y, z] = dice.random.unitVector();
    return [x * radii[0], y * radii[1], z * radii[2]];
  });
  // these four have a volume, whatever the others are
  const corners: Vector3[] = [[radii[0], 0, 0], [0, radii[1], 0], [0, 0, radii[2]], [-radii[0], -radii[1], -radii[2]]]; // biome-ignore format: a list
  return hull({ points: [...corners, ...points], mass: bodyMass(dice, scale) });
}

export function addBody(parts: Parts, name: string, body: BodyDescription, position: Vector3): void {
  parts.bodies[name] = body;
  parts.positions.set(name, position);
}

export function addJoint(parts: Parts, name: string, joint: JointDescription): void {
  parts.joints[name] = joint;
  parts.free.add(name);
}

export function floatingBase(parts: Parts, child: string): void {
  addJoint(parts, `${child}Base`, {
    ...joinAt(parts, "world", child, [0, 0, 0]),
    kind: "floating",
    childAnchor: [0, 0, 0],
  });
}

/** Parent, child and their anchors at a world point of the layout. */
export function joinAt(parts: Parts, parent: string, child: string, point: Vector3): Omit<JointDescription, "kind"> {
  const from = (name: string): Vector3 => {
    const x = parts.positions.get(name) ?? [0, 0, 0];
    return [point[0] - x[0], point[1] - x[1], point[2] - x[2]];
  };
  return { parent, child, parentAnchor: from(parent), childAnchor: from(child) };
}
