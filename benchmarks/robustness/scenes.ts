/**
 * Random mechanisms for the robustness benchmark. Everything follows from one seed: masses from 1 g to 1 t (up to 1:1000 within a
 * mechanism), sizes from 10 g h² up, friction from 0 to 10, gravity on and off, all joint kinds with springs, dampers, armature,
 * friction and limits, closed and redundant loops, the three contact models on floors, slopes and wedges, and shapes that touch each other.
 *
 * Every mechanism is laid out in the world with all bodies unturned; a joint at world point p has the anchors p − x of its two
 * bodies, so that all joints, loops included, are closed at zero coordinates.
 */
import {
  box,
  boxCorners,
  capsule,
  type HalfSpace,
  type MechanismDescription,
  type Random,
  sphere,
  type Vector3,
} from "dojo-sim";
import { randomLoop } from "./loops.ts";
import {
  addBody,
  addJoint,
  bodyMass,
  Dice,
  floatingBase,
  g,
  joinAt,
  type Parts,
  randomBody,
  randomBox,
  randomHull,
  type Scale,
} from "./parts.ts";
import { jointKinds, randomJoint } from "./randomJoints.ts";
import { addContacts, coefficient, ground, randomSurface } from "./surfaces.ts";

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
