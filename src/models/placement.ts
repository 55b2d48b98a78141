/**
 * Where the links of a robot are at given joint coordinates, and how high it stands. For set-up: rest states follow from it,
 * whatever the options. Joints with one axis, serial hinges and fixed ones move; a base may be floating or planar.
 */
import { quaternion, vector } from "../math/index.ts";
import { type JointStateDescription, jointFreedom, type Quaternion, type Vector3 } from "../mechanism/index.ts";
import { firstPivot, type LinkJoint, type LinkPose, type Robot } from "./builder.ts";

export type Coordinates = Readonly<Record<string, readonly number[]>>;

/** Link frames in the world; a joint that is not named is at zero. */
export function placeLinks(robot: Robot, coordinates: Coordinates): Map<string, LinkPose> {
  const poses = new Map<string, LinkPose>([["world", { position: vector.zero, orientation: quaternion.identity }]]);
  for (const [name, joint] of Object.entries(robot.joints)) {
    const parent = poses.get(joint.parent);
    // a joint that closes a loop moves nothing
    if (!parent || poses.has(joint.child)) continue;
    poses.set(joint.child, childPose(parent, joint, coordinates[name] ?? []));
  }
  return poses;
}

function childPose(parent: LinkPose, joint: LinkJoint, coordinates: readonly number[]): LinkPose {
  const { position = vector.zero, orientation = quaternion.identity, pivot = vector.zero } = joint;
  // displacement and turn of the child against zero coordinates, in the child's own frame
  let slide = vector.zero;
  let turn: Quaternion = quaternion.identity;
  jointFreedom(joint).freeAxes.forEach(({ motion, direction }, i) => {
    const amount = coordinates[i] ?? 0;
    if (motion === "translation") slide = vector.add(slide, vector.scale(direction, amount));
    else turn = quaternion.multiply(turn, quaternion.fromAxisAngle(vector.normalize(direction), amount));
  });
  const half = vector.normalize(joint.axes?.[0] ?? vector.unitZ);
  const halfTurn = quaternion.multiply(orientation, quaternion.fromAxisAngle(half, coordinates[0] ?? 0));
  const halfTurned = quaternion.multiply(parent.orientation, halfTurn);
  const turned = quaternion.multiply(parent.orientation, quaternion.multiply(orientation, turn));
  const first = firstPivot(joint);
  const zero = vector.add(position, quaternion.rotate(orientation, vector.add(first, slide)));
  const anchor = vector.add(parent.position, quaternion.rotate(parent.orientation, zero));
  // from the first hinge to the second
  const offset = quaternion.rotate(halfTurned, vector.sub(pivot, first));
  return { position: vector.sub(vector.add(anchor, offset), quaternion.rotate(turned, pivot)), orientation: turned };
}

/** Height of the lowest contact sphere's lowest point. */
export function lowestPoint(robot: Robot, coordinates: Coordinates): number {
  const poses = placeLinks(robot, coordinates);
  let lowest = Number.POSITIVE_INFINITY;
  for (const [name, { spots = [] }] of Object.entries(robot.links)) {
    const pose = poses.get(name);
    if (!pose) continue;
    for (const { point, radius = 0 } of spots) lowest = Math.min(lowest, inWorld(pose, point)[2] - radius);
  }
  return lowest;
}

function inWorld(pose: LinkPose, point: Vector3): Vector3 {
  return vector.add(pose.position, quaternion.rotate(pose.orientation, point));
}

/** A state whose base is moved up or down until the robot's lowest contact touches the floor, or is at a height above it. */
export function standingState(
  robot: Robot,
  base: string,
  coordinates: Coordinates,
  height = 0,
): Readonly<Record<string, JointStateDescription>> {
  const { freeAxes } = jointFreedom(robot.joints[base]);
  const up = freeAxes.findIndex(({ motion, direction }) => motion === "translation" && direction[2] === 1);
  const position = freeAxes.map((_, i) => coordinates[base]?.[i] ?? 0);
  position[up] += height - lowestPoint(robot, coordinates);
  return stateOf({ ...coordinates, [base]: position });
}

/** A state at rest from joint coordinates. */
export function stateOf(coordinates: Coordinates): Readonly<Record<string, JointStateDescription>> {
  return Object.fromEntries(Object.entries(coordinates).map(([joint, position]) => [joint, { position }]));
}
