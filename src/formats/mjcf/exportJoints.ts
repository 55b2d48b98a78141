/**
 * One joint → the joints of one MJCF body: slides along the free translations, then hinges about the free rotations or a ball. A
 * joint whose child is nearer to the world is walked backwards: the same steps in the opposite order, about the opposite axes.
 */
import { quaternion, vector } from "../../math/index.ts";
import {
  ArgumentError,
  type JointDescription,
  jointFreedom,
  type Mechanism,
  type MechanismCoordinate,
  type MechanismJoint,
  type TreeEdge,
  type Vector3,
  worldIndex,
} from "../../mechanism/index.ts";
import { type AttributeValue, type Markup, markup } from "../markup.ts";
import { inversePose, type Pose } from "../pose.ts";
import type { ExportWarnings } from "./exportWarnings.ts";
import { rangeOf } from "./ranges.ts";
import type { RotationEntry, ScalarEntry } from "./stateMap.ts";

/** How actuators and gears name a coordinate. */
export interface ExportedCoordinate {
  /** The joint that has it. */
  readonly joint: string;
  readonly attribute: "joint" | "jointinparent";
  readonly gear: readonly number[];
  readonly scalar: boolean;
}

export interface ExportedJoint {
  /** Pose of the farther body in the nearer one at zero coordinates, from anchor origin to anchor origin. */
  readonly pose: Pose;
  readonly elements: readonly Markup[];
  readonly entries: readonly (ScalarEntry | RotationEntry)[];
  readonly coordinates: readonly ExportedCoordinate[];
}

export interface Counter {
  qpos: number;
  dof: number;
}

/** Whether the joint is MuJoCo's free joint, whose body's frame then sits at the joint's anchor. */
export function isFree({ description, joints }: Mechanism, { joint: index, reversed }: TreeEdge): boolean {
  const joint = joints[index];
  if (description.joints?.[joint.name].kind !== "floating" || joint.parent !== worldIndex || reversed) return false;
  const same = (read: (coordinate: MechanismCoordinate) => number): boolean =>
    joint.coordinates.every((coordinate) => read(coordinate) === read(joint.coordinates[0]));
  const bare = joint.coordinates.every(
    ({ stiffness, rest, lower, upper, servo }) =>
      (stiffness === 0 || rest === 0) && lower === null && upper === null && servo === null,
  );
  return (
    bare &&
    joint.tiltLimit === null &&
    same(({ stiffness }) => stiffness) &&
    same(({ damping }) => damping) &&
    same(({ armature }) => armature) &&
    same(({ friction }) => friction)
  );
}

export function exportJoint(
  mechanism: Mechanism,
  edge: TreeEdge,
  shift: Vector3,
  counter: Counter,
  warnings: ExportWarnings,
): ExportedJoint {
  const joint = mechanism.joints[edge.joint];
  const description = mechanism.description.joints?.[joint.name] as JointDescription;
  const path = `joints.${joint.name}`;
  if (joint.shape.rotation === 1 && !joint.shape.serial) {
    throw new ArgumentError(
      "not-expressible",
      path,
      `MuJoCo has no ${description.kind} joint; use universal, or a ball`,
    );
  }
  const { freeAxes } = jointFreedom(description);
  const orientation = quaternion.normalize(description.orientation ?? quaternion.identity);
  const parentAnchor = description.parentAnchor ?? vector.zero;
  const childAnchor = description.childAnchor ?? vector.zero;
  const passing = axisPassing(description);
  const forward: Pose = {
    position: vector.sub(vector.add(parentAnchor, passing), quaternion.rotate(orientation, childAnchor)),
    orientation,
  };
  const pose = edge.reversed ? inversePose(forward) : forward;
  if (isFree(mechanism, edge)) return freeJoint(joint, pose, counter);

  const elements: Markup[] = [];
  const entries: (ScalarEntry | RotationEntry)[] = [];
  const coordinates: ExportedCoordinate[] = new Array(freeAxes.length);
  const ball = joint.shape.rotation === 0 && !joint.shape.serial;
  const order = freeAxes.map((_, i) => i).filter((i) => !(ball && freeAxes[i].motion === "rotation"));
  const firstRotation = freeAxes.findIndex(({ motion }) => motion === "rotation");
  if (edge.reversed) order.reverse();
  if (edge.reversed && ball) addBall();
  for (const i of order) addScalar(i);
  if (!edge.reversed && ball) addBall();
  return { pose, elements, entries, coordinates };

  function addScalar(i: number): void {
    const { motion, direction } = freeAxes[i];
    const coordinate = joint.coordinates[i];
    // in the frame of the farther body, at zero coordinates
    const inChild = (v: Vector3): Vector3 => quaternion.rotateInverse(orientation, v);
    const unit = vector.normalize(direction);
    const axis = edge.reversed ? vector.scale(unit, -1) : inChild(unit);
    const second = i > firstRotation;
    const anchor = edge.reversed
      ? second
        ? vector.add(parentAnchor, passing)
        : parentAnchor
      : second
        ? childAnchor
        : vector.sub(childAnchor, inChild(passing));
    const name = freeAxes.length === 1 ? joint.name : coordinate.name;
    elements.push(
      markup("joint", {
        name,
        type: motion === "translation" ? "slide" : "hinge",
        pos: vector.sub(anchor, shift),
        axis,
        ...passive(coordinate),
        ...(coordinate.stiffness > 0 && { springref: coordinate.rest }),
        ...limits(coordinate),
      }),
    );
    entries.push({
      kind: "scalar",
      coordinate: joint.coordinateOffset + i,
      qpos: counter.qpos++,
      dof: counter.dof++,
      sign: 1,
      offset: 0,
    });
    coordinates[i] = { joint: name, attribute: "joint", gear: [1], scalar: true };
  }

  function addBall(): void {
    const own = joint.coordinates.slice(firstRotation);
    const name = freeAxes.length === 3 ? joint.name : `${joint.name}.ball`;
    const [first] = own;
    for (const field of ["stiffness", "damping", "armature", "friction"] as const) {
      if (own.some((one) => one[field] !== first[field])) {
        warnings.add(`${path}.${field}`, "a ball has one value for its three axes in MuJoCo; the first is used");
      }
    }
    if (own.some(({ stiffness, rest }) => stiffness > 0 && rest !== 0)) {
      warnings.add(`${path}.rest`, "the spring of a ball rests at zero in MuJoCo");
    }
    if (own.some(({ lower, upper }) => lower !== null || upper !== null)) {
      warnings.add(`${path}.limits`, "limits of a rotation vector are left out; MuJoCo has tiltLimit only");
    }
    elements.push(
      markup("joint", {
        name,
        type: "ball",
        pos: vector.sub(edge.reversed ? parentAnchor : childAnchor, shift),
        ...passive(first),
        ...(joint.tiltLimit !== null && { limited: true, range: [0, joint.tiltLimit] }),
      }),
    );
    const { parentFrame, childFrame } = joint.frames;
    const left = edge.reversed ? parentFrame : childFrame;
    entries.push({
      kind: "rotation",
      coordinate: joint.coordinateOffset + firstRotation,
      qpos: counter.qpos,
      dof: counter.dof,
      left,
      right: quaternion.conjugate(left),
      rates: childFrame,
      inverted: edge.reversed,
    });
    counter.qpos += 4;
    counter.dof += 3;
    [vector.unitX, vector.unitY, vector.unitZ].forEach((axis, k) => {
      // "in parent" is the body's own frame before the ball turns it
      coordinates[firstRotation + k] = edge.reversed
        ? {
            joint: name,
            attribute: "jointinparent",
            gear: vector.scale(quaternion.rotate(parentFrame, axis), -1),
            scalar: false,
          }
        : { joint: name, attribute: "joint", gear: quaternion.rotate(childFrame, axis), scalar: false };
    });
  }
}

function freeJoint(joint: MechanismJoint, pose: Pose, counter: Counter): ExportedJoint {
  const { parentAnchor, parentFrame, childFrame } = joint.frames;
  const at = { ...counter };
  counter.qpos += 7;
  counter.dof += 6;
  const scalars = [0, 1, 2].map(
    (i): ScalarEntry => ({
      kind: "scalar",
      coordinate: joint.coordinateOffset + i,
      qpos: at.qpos + i,
      dof: at.dof + i,
      sign: 1,
      offset: parentAnchor[i],
    }),
  );
  const rotation: RotationEntry = {
    kind: "rotation",
    coordinate: joint.coordinateOffset + 3,
    qpos: at.qpos + 3,
    dof: at.dof + 3,
    left: parentFrame,
    right: quaternion.conjugate(childFrame),
    rates: childFrame,
    inverted: false,
  };
  const axes = [vector.unitX, vector.unitY, vector.unitZ];
  const gears = [
    ...axes.map((axis) => [...axis, 0, 0, 0]),
    ...axes.map((axis) => [0, 0, 0, ...quaternion.rotate(childFrame, axis)]),
  ];
  const element = markup("joint", { name: joint.name, type: "free", ...passive(joint.coordinates[0]) });
  return {
    pose,
    elements: [element],
    entries: [...scalars, rotation],
    coordinates: gears.map((gear) => ({ joint: joint.name, attribute: "joint", gear, scalar: false })),
  };
}

/** The way from the first of two hinges to the second, in the parent's frame at zero angles. */
function axisPassing({ axes = [], axisOffset = 0 }: JointDescription): Vector3 {
  if (axisOffset === 0) return vector.zero;
  return vector.scale(vector.normalize(vector.cross(axes[0], axes[1])), axisOffset);
}

function passive(coordinate: MechanismCoordinate): Record<string, AttributeValue> {
  const given = (value: number): number | undefined => (value === 0 ? undefined : value);
  return {
    stiffness: given(coordinate.stiffness),
    damping: given(coordinate.damping),
    armature: given(coordinate.armature),
    frictionloss: given(coordinate.friction),
  };
}

function limits({ lower, upper }: MechanismCoordinate): Record<string, AttributeValue> {
  if (lower === null && upper === null) return {};
  return { limited: true, range: rangeOf(lower, upper) };
}
