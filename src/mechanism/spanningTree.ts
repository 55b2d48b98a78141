/** A tree of joints that reaches every body from the world, and the joints that close loops. */
import { type MechanismJoint, type TreeEdge, worldIndex } from "./mechanism.ts";

/** Breadth first from the world over the joints, in description order. */
export function spanningTree(
  bodyCount: number,
  joints: readonly MechanismJoint[],
): { tree: TreeEdge[]; loopJoints: number[] } {
  const touching = new Map<number, MechanismJoint[]>();
  for (const joint of joints) {
    for (const body of [joint.parent, joint.child]) {
      const others = touching.get(body);
      if (others) others.push(joint);
      else touching.set(body, [joint]);
    }
  }
  const placed = new Set<number>([worldIndex]);
  const used = new Set<number>();
  const tree: TreeEdge[] = [];
  const queue = [worldIndex];
  // the queue grows while we walk it
  for (const near of queue) {
    if (placed.size > bodyCount) break;
    for (const joint of touching.get(near) ?? []) {
      const far = joint.parent === near ? joint.child : joint.parent;
      if (placed.has(far)) continue;
      placed.add(far);
      used.add(joint.index);
      tree.push({ joint: joint.index, reversed: joint.child === near });
      queue.push(far);
    }
  }
  return { tree, loopJoints: joints.map((joint) => joint.index).filter((index) => !used.has(index)) };
}
