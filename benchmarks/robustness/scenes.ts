/**
 * Random mechanisms for the robustness benchmark. Everything follows from one seed: masses from 1 g to 1 t (up to 1:1000 within a
 * mechanism), sizes from 10 g h² up, friction from 0 to 10, gravity on and off, all joint kinds with springs, dampers, armature,
 * friction and limits, closed and redundant loops, the three contact models on floors, slopes and wedges, and shapes that touch each other.
 *
 * Every mechanism is laid out in the world with all bodies unturned; a joint at world point p has the anchors p − x of its two
 * bodies, so that all joints, loops included, are closed at zero coordinates.
 */
import {
  type BodyDescription,
  box,
  boxCorners,
  type ContactDescription,
  type ContactModel,
  capsule,
  capsuleEnds,
  type HalfSpace,
  hull,
  type JointDescription,
  type JointKind,
  type MechanismDescription,
  type Random,
  type Shape,
  sphere,
  type Vector3,
} from "dojo-sim";

export const sceneClasses = [
  "box",
  "round",
  "stack",
  "tree",
  "treeContact",
  "loop",
  "loopContact",
  "quadruped",
  "touching",
] as const;
export type SceneClass = (typeof sceneClasses)[number];

export interface Scene {
  readonly kind: SceneClass;
  readonly description: MechanismDescription;
  /** Typical length and mass; inputs are of the order mass·9.81·size. */
  readonly size: number;
  readonly mass: number;
  /** Joints whose coordinates may start anywhere (the others start at zero, so that loops stay closed). */
  readonly free: ReadonlySet<string>;
}

const g = 9.81;

/** Random choices that scenes are made of. */
class Dice {
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
interface Scale {
  readonly h: number;
  readonly size: number;
  readonly mass: number;
  readonly ratio: number;
}

interface Parts {
  readonly bodies: Record<string, BodyDescription>;
  readonly joints: Record<string, JointDescription>;
  readonly contacts: ContactDescription[];
  readonly positions: Map<string, Vector3>;
  readonly free: Set<string>;
  /** A shape of the world. */
  ground?: Shape;
}

export function randomScene(random: Random, kind: SceneClass): Scene {
  const dice = new Dice(random);
  const h = dice.pick([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]);
  const smallest = 10 * g * h * h;
  const size = dice.log(smallest, Math.max(3 * smallest, dice.pick([0.2, 2, 10])));
  // at most 1:1000 within a mechanism and 1 g to 1 t overall
  const ratio = dice.pick([1, 10, 1000]);
  const scale: Scale = { h, size, ratio, mass: dice.log(1e-3, 1e3 / ratio) };
  const parts: Parts = { bodies: {}, joints: {}, contacts: [], positions: new Map(), free: new Set() };
  builders[kind](dice, scale, parts);
  const description: MechanismDescription = {
    name: kind,
    timestep: h,
    gravity: dice.chance(0.8) ? [0, 0, -g] : [0, 0, 0],
    bodies: parts.bodies,
    joints: parts.joints,
    contacts: parts.contacts,
    ...(parts.ground && { shapes: [parts.ground] }),
  };
  return { kind, description, size, mass: scale.mass * Math.sqrt(ratio), free: parts.free };
}

const builders: Readonly<Record<SceneClass, (dice: Dice, scale: Scale, parts: Parts) => void>> = {
  box(dice, scale, parts) {
    addBody(parts, "box", randomBox(dice, scale, 1), [0, 0, 0]);
    floatingBase(parts, "box");
    addContacts(dice, parts, "box", ground(dice));
  },
  round(dice, scale, parts) {
    const name = "round";
    const radius = scale.size / 2;
    const body = dice.chance(0.5)
      ? sphere({ radius, mass: bodyMass(dice, scale) })
      : capsule({ radius: radius * dice.random.uniform(0.2, 1), length: scale.size, mass: bodyMass(dice, scale) });
    addBody(parts, name, body, [0, 0, 0]);
    floatingBase(parts, name);
    addContacts(dice, parts, name, ground(dice));
  },
  /** A box whose top is a half-space, on the floor, and a second one above it. */
  stack(dice, scale, parts) {
    const lower = box({ size: [scale.size, scale.size, scale.size / 2], mass: bodyMass(dice, scale) });
    const upper = randomBox(dice, scale, 0.6);
    addBody(parts, "lower", lower, [0, 0, 0]);
    addBody(parts, "upper", upper, [0, 0, scale.size]);
    floatingBase(parts, "lower");
    floatingBase(parts, "upper");
    const surface = randomSurface(dice);
    boxCorners(lower).forEach((point) => {
      if (point[2] < 0) parts.contacts.push({ body: "lower", point, ...surface });
    });
    const halfSpace: HalfSpace = { body: "lower", normal: [0, 0, 1], offset: scale.size / 4 };
    for (const point of boxCorners(upper)) {
      parts.contacts.push({ body: "upper", point, halfSpace, ...surface });
    }
  },
  tree(dice, scale, parts) {
    randomTree(dice, scale, parts, dice.chance(0.3) ? 1 : 1 + dice.random.integer(8), dice.chance(0.6));
  },
  treeContact(dice, scale, parts) {
    const count = 2 + dice.random.integer(7);
    randomTree(dice, scale, parts, count, dice.chance(0.2));
    const planes = ground(dice);
    const names = Object.keys(parts.bodies).filter(() => dice.chance(0.4));
    for (const name of names.length > 0 ? names : [`body${count - 1}`]) addContacts(dice, parts, name, planes);
  },
  loop(dice, scale, parts) {
    randomLoop(dice, scale, parts, true);
  },
  loopContact(dice, scale, parts) {
    randomLoop(dice, scale, parts, false);
    const planes = ground(dice);
    const names = Object.keys(parts.bodies);
    for (const name of names.slice(0, 2)) addContacts(dice, parts, name, planes);
  },
  /** A torso on four limbs of three links each. */
  quadruped(dice, scale, parts) {
    const size = 4 * scale.size;
    const frictionCoefficient = dice.random.uniform(0.1, 1.5);
    const torso = box({ size: [size, size / 2, size / 4], mass: 10 * scale.mass });
    addBody(parts, "torso", torso, [0, 0, 0]);
    floatingBase(parts, "torso");
    const length = size / 4;
    const radius = size / 30;
    const unit = 10 * scale.mass * g * size;
    for (let leg = 0; leg < 4; leg++) {
      const x = (leg & 1 ? 0.45 : -0.45) * size;
      const y = (leg & 2 ? 0.25 : -0.25) * size;
      let parent = "torso";
      for (let k = 0; k < 3; k++) {
        const name = `leg${leg}${k}`;
        const top: Vector3 = [x, y, -size / 8 - k * length];
        addBody(parts, name, capsule({ radius, length, mass: scale.mass }), [x, y, top[2] - length / 2]);
        addJoint(parts, name, {
          ...joinAt(parts, parent, name, top),
          kind: "revolute",
          axis: k === 0 ? [1, 0, 0] : [0, 1, 0],
          damping: 0.05 * unit * scale.h,
          limits: [-1, 1],
          actuated: true,
        });
        parent = name;
      }
      const foot = { body: parent, point: [0, 0, -length / 2] as const, radius };
      parts.contacts.push({ ...foot, model: "cone", frictionCoefficient });
    }
  },
  /** Boxes, balls, capsules and hulls one above the other, on the floor or in the air. */
  touching(dice, scale, parts) {
    const contact = { frictionCoefficient: coefficient(dice) };
    const count = 2 + dice.random.integer(4);
    for (let i = 0; i < count; i++) {
      const body = dice.chance(0.25) ? randomHull(dice, scale) : randomBody(dice, scale);
      const name = `body${i}`;
      addBody(parts, name, { ...body, shapes: body.shapes?.map((shape) => ({ ...shape, contact })) }, [0, 0, 0]);
      floatingBase(parts, name);
    }
    parts.ground = { kind: "halfSpace", contact };
  },
};

const models: readonly ContactModel[] = ["cone", "cone", "linear", "impact"];

function bodyMass(dice: Dice, scale: Scale): number {
  return scale.mass * dice.log(1, scale.ratio);
}

/** Sides within a factor 5, the longest of the scene's size times `part`. */
function randomBox(dice: Dice, scale: Scale, part: number): BodyDescription {
  const sides = [1, dice.log(0.2, 1), dice.log(0.2, 1)].map((side) => side * part * scale.size);
  return box({ size: [sides[0], sides[1], sides[2]], mass: bodyMass(dice, scale) });
}

function randomBody(dice: Dice, scale: Scale): BodyDescription {
  const mass = bodyMass(dice, scale);
  const kind = dice.random.integer(3);
  if (kind === 0) return randomBox(dice, scale, 1);
  if (kind === 1) return sphere({ radius: scale.size / 2, mass });
  return capsule({ radius: dice.random.uniform(0.05, 0.3) * scale.size, length: scale.size, mass });
}

/** Of points on an ellipsoid. */
function randomHull(dice: Dice, scale: Scale): BodyDescription {
  const radii = [1, dice.log(0.3, 1), dice.log(0.3, 1)].map((part) => (part * scale.size) / 2);
  const points = Array.from({ length: 6 + dice.random.integer(9) }, (): Vector3 => {
    const [x, y, z] = dice.random.unitVector();
    return [x * radii[0], y * radii[1], z * radii[2]];
  });
  // these four have a volume, whatever the others are
  const corners: Vector3[] = [[radii[0], 0, 0], [0, radii[1], 0], [0, 0, radii[2]], [-radii[0], -radii[1], -radii[2]]]; // biome-ignore format: a list
  return hull({ points: [...corners, ...points], mass: bodyMass(dice, scale) });
}

function addBody(parts: Parts, name: string, body: BodyDescription, position: Vector3): void {
  parts.bodies[name] = body;
  parts.positions.set(name, position);
}

function addJoint(parts: Parts, name: string, joint: JointDescription): void {
  parts.joints[name] = joint;
  parts.free.add(name);
}

function floatingBase(parts: Parts, child: string): void {
  addJoint(parts, `${child}Base`, {
    ...joinAt(parts, "world", child, [0, 0, 0]),
    kind: "floating",
    childAnchor: [0, 0, 0],
  });
}

/** Parent, child and their anchors at a world point of the layout. */
function joinAt(parts: Parts, parent: string, child: string, point: Vector3): Omit<JointDescription, "kind"> {
  const from = (name: string): Vector3 => {
    const x = parts.positions.get(name) ?? [0, 0, 0];
    return [point[0] - x[0], point[1] - x[1], point[2] - x[2]];
  };
  return { parent, child, parentAnchor: from(parent), childAnchor: from(child) };
}

const jointKinds: readonly JointKind[] = [
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
function randomJoint(
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

function randomTree(dice: Dice, scale: Scale, parts: Parts, count: number, anchored: boolean): void {
  const { size } = scale;
  for (let i = 0; i < count; i++) {
    const name = `body${i}`;
    const parent = i === 0 ? "world" : `body${dice.chance(0.6) ? i - 1 : dice.random.integer(i)}`;
    const from = parts.positions.get(parent) ?? [0, 0, 0];
    const step = dice.random.unitVector();
    const at = (t: number): Vector3 => [
      from[0] + t * size * step[0],
      from[1] + t * size * step[1],
      from[2] + t * size * step[2],
    ];
    const body = randomBody(dice, scale);
    addBody(parts, name, body, at(1));
    if (i === 0 && !anchored) floatingBase(parts, name);
    else {
      const lighter = Math.min(body.mass, parent === "world" ? Infinity : parts.bodies[parent].mass);
      addJoint(
        parts,
        `joint${i}`,
        randomJoint(dice, scale, joinAt(parts, parent, name, at(0.5)), lighter, dice.pick(jointKinds)),
      );
    }
  }
}

/** Polygons of links, plates on parallel legs, and parallelograms; closed at zero coordinates. */
function randomLoop(dice: Dice, scale: Scale, parts: Parts, anchored: boolean): void {
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

/** A floor, a slope, or a wedge of two or three planes; all through the origin and open upwards. */
function ground(dice: Dice): HalfSpace[] {
  const style = dice.random.integer(5);
  if (style <= 1) return [{ normal: [0, 0, 1], offset: 0 }];
  const count = style - 1;
  const turn = dice.random.uniform(0, 2 * Math.PI);
  const steepness = dice.random.uniform(0.1, count === 1 ? 0.5 : 0.8);
  return Array.from({ length: count }, (_, k) => {
    const angle = turn + (2 * Math.PI * k) / count;
    const s = Math.sin(steepness);
    return { normal: [s * Math.cos(angle), s * Math.sin(angle), Math.cos(steepness)] as const, offset: 0 };
  });
}

/** A contact model and its friction. */
function randomSurface(dice: Dice): Pick<ContactDescription, "model" | "frictionCoefficient"> {
  const model = dice.pick(models);
  return model === "impact" ? { model } : { model, frictionCoefficient: coefficient(dice) };
}

/** 0 exactly, ordinary, and up to 10. */
function coefficient(dice: Dice): number {
  const draw = dice.random.uniform();
  if (draw < 0.1) return 0;
  return draw < 0.7 ? dice.random.uniform(0.05, 1.2) : dice.log(0.01, 10);
}

function addContacts(dice: Dice, parts: Parts, name: string, planes: readonly HalfSpace[]): void {
  const surface = randomSurface(dice);
  for (const { point, radius } of contactSpheres(parts.bodies[name])) {
    for (const halfSpace of planes) parts.contacts.push({ body: name, point, radius, halfSpace, ...surface });
  }
}

function contactSpheres(body: BodyDescription): { point: Vector3; radius: number }[] {
  const shape = body.shapes?.[0];
  if (shape?.kind === "box") return boxCorners(body).map((point) => ({ point, radius: 0 }));
  if (shape?.kind === "capsule") return capsuleEnds(body);
  if (shape?.kind === "sphere") return [{ point: [0, 0, 0], radius: shape.radius }];
  return [];
}
