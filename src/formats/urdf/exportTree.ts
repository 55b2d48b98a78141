/** The joints of a description as the tree that URDF wants: every joint points away from the world. */
import { quaternion, vector } from "../../math/index.ts";
import {
  ArgumentError,
  entriesOf,
  isSerial,
  type JointDescription,
  jointFreedom,
  type MechanismDescription,
  type Vector3,
} from "../../mechanism/index.ts";

/**
 * Tree joints and the rest, both in description order: a joint belongs to the tree unless those before it connect its two
 * bodies already. A tree joint that points towards the world is turned round.
 */
export function towardsChildren(description: MechanismDescription): {
  tree: Map<string, JointDescription>;
  loops: Map<string, JointDescription>;
} {
  const tree = new Map<string, JointDescription>();
  const loops = new Map<string, JointDescription>();
  // bodies that are connected so far have the same label
  const labels = new Map<string, string>();
  const label = (body: string): string => labels.get(body) ?? body;
  for (const [name, joint] of entriesOf(description, "joints")) {
    const [kept, gone] = [label(joint.parent), label(joint.child)];
    if (kept === gone) {
      loops.set(name, joint);
      continue;
    }
    tree.set(name, joint);
    for (const body of ["world", ...Object.keys(description.bodies)]) if (label(body) === gone) labels.set(body, kept);
  }

  // outwards from the world
  const touching = new Map<string, [string, JointDescription][]>();
  for (const [name, joint] of tree) {
    for (const end of [joint.parent, joint.child]) touching.set(end, [...(touching.get(end) ?? []), [name, joint]]);
  }
  const queue = ["world"];
  const placed = new Set(queue);
  for (const near of queue) {
    for (const [name, joint] of touching.get(near) ?? []) {
      const far = joint.parent === near ? joint.child : joint.parent;
      if (placed.has(far)) continue;
      placed.add(far);
      queue.push(far);
      if (joint.parent !== near) tree.set(name, turned(name, joint));
    }
  }
  return { tree, loops };
}

/** The same joint with parent and child exchanged: its one coordinate keeps its value when the axis is reversed. */
function turned(name: string, joint: JointDescription): JointDescription {
  const { freeAxes } = jointFreedom(joint);
  if (freeAxes.length > 1) {
    throw new ArgumentError(
      "wrong-way",
      `joints.${name}`,
      `points towards the world, and a ${joint.kind} joint cannot be turned round; exchange parent and child`,
    );
  }
  const back = quaternion.conjugate(joint.orientation ?? quaternion.identity);
  const reverse = (axis: Vector3): Vector3 => vector.scale(quaternion.rotate(back, axis), -1);
  const { axis, axes, parentAnchor, childAnchor, ...rest } = joint;
  return {
    ...rest,
    parent: joint.child,
    child: joint.parent,
    ...(childAnchor && { parentAnchor: childAnchor }),
    ...(parentAnchor && { childAnchor: parentAnchor }),
    ...(isSerial(joint.kind) ? { axes: axes?.map(reverse) ?? [] } : { axis: reverse(axis ?? vector.unitZ) }),
    orientation: back,
  };
}
