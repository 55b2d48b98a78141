/** Closed loops: polygons, plates on legs, parallelograms with redundant rows. */
import { type BodyDescription, box, capsule, type JointDescription, type JointKind, type Vector3 } from "dojo-sim";
import {
  addBody,
  addJoint,
  bodyMass,
  type Dice,
  floatingBase,
  g,
  joinAt,
  type Parts,
  randomBox,
  type Scale,
} from "./parts.ts";

/** Polygons of links, plates on parallel legs, and parallelograms; closed at zero coordinates. */
export function randomLoop(dice: Dice, scale: Scale, parts: Parts, anchored: boolean): void {
  const style = dice.random.integer(3);
  if (style === 0) polygon(dice, scale, parts, anchored);
  else if (style === 1) plates(dice, scale, parts, anchored);
  else parallelogram(dice, scale, parts, anchored);
  // loops start at zero coordinates; only the base may move
  for (const name of [...parts.free]) if (!name.endsWith("Base")) parts.free.delete(name);
}

function polygon(dice: Dice, scale: Scale, parts: Parts, anchored: boolean): void {
  const count = 3 + dice.random.integer(4);
  const corner = (k: number): Vector3 => {
    const angle = (2 * Math.PI * k) / count;
    return [scale.size * Math.cos(angle), 0, scale.size * Math.sin(angle)];
  };
  const middle = (a: Vector3, b: Vector3): Vector3 => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
  const spherical = dice.chance(0.3);
  for (let k = 0; k < count; k++) {
    const name = `link${k}`;
    addBody(parts, name, randomBox(dice, scale, 1), middle(corner(k), corner(k + 1)));
  }
  if (anchored) addJoint(parts, "ground", { ...joinAt(parts, "world", "link0", corner(0)), kind: "fixed" });
  else floatingBase(parts, "link0");
  for (let k = 1; k <= count; k++) {
    const base = joinAt(parts, `link${k - 1}`, `link${k % count}`, corner(k));
    addJoint(parts, `joint${k}`, loopJoint(dice, scale, base, spherical && k % 2 === 1 ? "spherical" : "revolute"));
  }
}

/** Two plates joined by parallel legs: redundant when the legs are hinged. */
function plates(dice: Dice, scale: Scale, parts: Parts, anchored: boolean): void {
  const { size } = scale;
  const plate = (): BodyDescription => box({ size: [size, size, 0.2 * size], mass: bodyMass(dice, scale) });
  addBody(parts, "base", plate(), [0, 0, 0]);
  addBody(parts, "top", plate(), [0, 0, size]);
  if (anchored) addJoint(parts, "ground", { ...joinAt(parts, "world", "base", [0, 0, 0]), kind: "fixed" });
  else floatingBase(parts, "base");
  const legs = 2 + dice.random.integer(2);
  const hinged = dice.chance(0.5);
  for (let k = 0; k < legs; k++) {
    const [x, y] = [[-0.4, -0.4], [0.4, -0.4], [0, 0.4]][k].map((c) => c * size); // biome-ignore format: a list
    const name = `leg${k}`;
    addBody(parts, name, capsule({ radius: 0.05 * size, length: 0.7 * size, mass: bodyMass(dice, scale) }), [
      x,
      y,
      size / 2,
    ]);
    addJoint(
      parts,
      `low${k}`,
      loopJoint(dice, scale, joinAt(parts, "base", name, [x, y, 0.1 * size]), hinged ? "revolute" : "universal"),
    );
    addJoint(
      parts,
      `high${k}`,
      loopJoint(dice, scale, joinAt(parts, name, "top", [x, y, 0.9 * size]), hinged ? "revolute" : "spherical"),
    );
  }
}

function parallelogram(dice: Dice, scale: Scale, parts: Parts, anchored: boolean): void {
  const { size } = scale;
  const rod = (length: number): BodyDescription =>
    box({ size: [length, 0.1 * size, 0.1 * size], mass: bodyMass(dice, scale) });
  const crank = (): BodyDescription => box({ size: [0.1 * size, 0.1 * size, size], mass: bodyMass(dice, scale) });
  const width = dice.random.uniform(0.5, 2) * size;
  addBody(parts, "base", rod(width), [width / 2, 0, 0]);
  addBody(parts, "left", crank(), [0, 0, size / 2]);
  addBody(parts, "right", crank(), [width, 0, size / 2]);
  addBody(parts, "coupler", rod(width), [width / 2, 0, size]);
  if (anchored) addJoint(parts, "ground", { ...joinAt(parts, "world", "base", [0, 0, 0]), kind: "fixed" });
  else floatingBase(parts, "base");
  const corners: [string, string, Vector3][] = [
    ["base", "left", [0, 0, 0]],
    ["left", "coupler", [0, 0, size]],
    ["base", "right", [width, 0, 0]],
    ["right", "coupler", [width, 0, size]],
  ];
  corners.forEach(([parent, child, point], k) => {
    addJoint(parts, `corner${k}`, loopJoint(dice, scale, joinAt(parts, parent, child, point), "revolute"));
  });
}

function loopJoint(dice: Dice, scale: Scale, base: Omit<JointDescription, "kind">, kind: JointKind): JointDescription {
  const joint: JointDescription =
    kind === "universal" ? { ...base, kind, axes: [[1, 0, 0], [0, 1, 0]] } : { ...base, kind, ...(kind === "revolute" && { axis: [0, 1, 0] }) }; // biome-ignore format: one line
  if (kind !== "revolute") return joint;
  const unit = scale.mass * g * scale.size;
  const features = dice.random.integer(4);
  return {
    ...joint,
    ...(features === 1 && { damping: unit * scale.h * dice.log(0.01, 10) }),
    ...(features === 2 && { limits: [-dice.random.uniform(0.1, 1), dice.random.uniform(0.1, 1)] as const }),
    ...(dice.chance(0.5) && { actuated: true }),
  };
}
