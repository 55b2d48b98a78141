/**
 * A state to start from: every coordinate is at the value nearest to 0 that its limits allow (followers of a gear where
 * their leader puts them), and a base is raised until nothing that touches the floor is below it.
 */
import { boundingBoxInto, boundingBoxSize, prepareShape } from "../../geometry/index.ts";
import { quaternion, vector } from "../../math/index.ts";
import {
  type ContactDescription,
  type GearDescription,
  type JointDescription,
  type JointStateDescription,
  jointFreedom,
  limitsPerAxis,
  type Shape,
  type Vector3,
} from "../../mechanism/index.ts";
import { composePoses, identityPose, inversePose, type Pose, posedPoint } from "../pose.ts";

/** What a body touches the floor with. */
export interface Floored {
  readonly body: string;
  /** Normal of the floor. */
  readonly normal: Vector3;
  /** How far it is below the floor, at a pose of its body. */
  readonly depth: (pose: Pose) => number;
}

export function flooredContact({ body, point, radius = 0, halfSpace }: ContactDescription): Floored {
  const normal = halfSpace?.normal ?? vector.unitZ;
  const offset = halfSpace?.offset ?? 0;
  return { body, normal, depth: (pose) => offset + radius - vector.dot(normal, posedPoint(pose, point)) };
}

export function flooredShape(body: string, shape: Shape, height: number): Floored {
  const prepared = prepareShape(shape);
  const box = new Float64Array(boundingBoxSize);
  const own: Pose = {
    position: shape.position ?? vector.zero,
    orientation: shape.orientation ?? quaternion.identity,
  };
  const depth = (pose: Pose): number => {
    const { position, orientation } = composePoses(pose, own);
    boundingBoxInto(box, 0, prepared, [...position, ...orientation], 0, 0);
    return height - box[2];
  };
  return { body, normal: vector.unitZ, depth };
}

export interface InitialState {
  /** Joints that are not at zero. */
  readonly joints: Record<string, JointStateDescription>;
  /** Poses of all bodies, before bases are raised. */
  readonly poses: ReadonlyMap<string, Pose>;
}

/** Tree joints must come in `order`, from the world outwards. */
export function initialState(
  joints: ReadonlyMap<string, JointDescription>,
  order: readonly string[],
  gears: Iterable<GearDescription>,
  floored: readonly Floored[],
): InitialState {
  const positions = new Map<string, number[]>();
  for (const [name, joint] of joints) positions.set(name, nearestToZero(joint));
  // followers may follow followers: as many rounds as there are gears are enough
  const all = [...gears];
  for (const gear of all.slice(0, 100).flatMap(() => all.slice(0, 100))) {
    const [own, leader] = gear.terms;
    const lead = leader ? leader.ratio * (positions.get(leader.joint)?.[leader.axis ?? 0] ?? 0) : 0;
    const following = positions.get(own.joint);
    if (following) following[own.axis ?? 0] = ((gear.offset ?? 0) - lead) / own.ratio;
  }

  // walk outwards
  const poses = new Map<string, Pose>([["world", identityPose]]);
  for (const name of order) {
    const joint = joints.get(name) as JointDescription;
    const parent = poses.get(joint.parent) ?? identityPose;
    poses.set(joint.child, composePoses(parent, childInParent(joint, positions.get(name) ?? [])));
  }

  const state = new Map<string, JointStateDescription>();
  for (const [name, position] of positions) if (position.some((entry) => entry !== 0)) state.set(name, { position });
  // each base by itself: the bodies that hang on it rise with it
  const base = new Map<string, string>();
  for (const name of order) {
    const { parent, child } = joints.get(name) as JointDescription;
    base.set(child, parent === "world" ? name : (base.get(parent) ?? name));
  }
  const rises = new Map<string, { height: number; normal: Vector3 }>();
  for (const { body, normal, depth } of floored) {
    const height = depth(poses.get(body) ?? identityPose);
    const name = base.get(body) ?? "";
    const highest = rises.get(name);
    if (height > (highest?.height ?? 0)) rises.set(name, { height, normal });
  }
  for (const [name, { height, normal }] of rises) {
    const joint = joints.get(name);
    const position = joint && raised(joint, vector.scale(normal, height));
    if (position) state.set(name, { position });
  }
  return { joints: Object.fromEntries(state), poses };
}

function nearestToZero(joint: JointDescription): number[] {
  const { freeAxes } = jointFreedom(joint);
  return limitsPerAxis(joint.limits, freeAxes.length).map(([lower, upper]) =>
    Math.max(lower ?? 0, Math.min(upper ?? 0, 0)),
  );
}

/** Pose of the child body in the parent body: slides and hinges one after another, each along its direction at zero. */
function childInParent(joint: JointDescription, position: readonly number[]): Pose {
  let motion: Pose = { position: joint.parentAnchor ?? vector.zero, orientation: quaternion.identity };
  jointFreedom(joint).freeAxes.forEach((axis, i) => {
    const amount = position[i] ?? 0;
    if (amount === 0) return;
    const step: Pose =
      axis.motion === "translation"
        ? { position: vector.scale(axis.direction, amount), orientation: quaternion.identity }
        : { position: vector.zero, orientation: quaternion.fromAxisAngle(axis.direction, amount) };
    motion = composePoses(motion, step);
  });
  const child: Pose = {
    position: joint.childAnchor ?? vector.zero,
    orientation: quaternion.conjugate(joint.orientation ?? quaternion.identity),
  };
  return composePoses(motion, inversePose(child));
}

/** Coordinates of a base joint that shift the child by `shift`, as far as its slides can; undefined if they cannot. */
function raised(joint: JointDescription, shift: Vector3): number[] | undefined {
  const { freeAxes } = jointFreedom(joint);
  const slides = freeAxes.filter((axis) => axis.motion === "translation");
  if (slides.length < 2) return undefined;
  // directions are orthonormal: the reachable part of the shift, lengthened until it rises as far as asked
  const parts = slides.map((axis) => vector.dot(axis.direction, shift));
  const reach = parts.reduce((sum, part) => sum + part * part, 0);
  const asked = vector.dot(shift, shift);
  if (!(reach > 0.01 * asked)) return undefined;
  return freeAxes.map((_, i) => (i < slides.length && parts[i] !== 0 ? (parts[i] * asked) / reach : 0));
}
