/**
 * Which joints are the tree of an exported file. MuJoCo closes loops with equalities, which can be a weld, a ball or a hinge, without
 * springs, limits or motors: of the joints of a loop those stay outside the tree that lose the least by it.
 */
import { type Mechanism, type MechanismJoint, spanningTree, worldIndex } from "../../mechanism/index.ts";

/** The mechanism with such a tree: its own where that will do. */
export function withExportTree(mechanism: Mechanism): Mechanism {
  const { joints, loopJoints, bodies } = mechanism;
  if (loopJoints.length === 0) return mechanism;
  const own = new Set(loopJoints);
  const rank = (joint: MechanismJoint): number => 2 * easeOfClosing(mechanism, joint) + (own.has(joint.index) ? 1 : 0);
  const wanted = [...joints].sort((a, b) => rank(a) - rank(b));

  // bodies that are connected so far have the same label
  const labels = new Map([worldIndex, ...bodies.map(({ index }) => index)].map((index) => [index, index]));
  const inTree = new Set<MechanismJoint>();
  for (const joint of wanted) {
    const [kept, gone] = [labels.get(joint.parent) as number, labels.get(joint.child) as number];
    if (kept === gone) continue;
    inTree.add(joint);
    for (const [body, label] of labels) if (label === gone) labels.set(body, kept);
  }
  const outside = joints.filter((joint) => !inTree.has(joint)).map(({ index }) => index);
  if (outside.every((index) => own.has(index))) return mechanism;
  const { tree } = spanningTree(
    bodies.length,
    joints.filter((joint) => inTree.has(joint)),
  );
  return { ...mechanism, tree, loopJoints: outside };
}

/** 0 for a joint that only the tree can have; more, the less an equality takes from it. */
function easeOfClosing(
  { description, gears }: Mechanism,
  { name, index, coordinates, tiltLimit }: MechanismJoint,
): number {
  const acts = coordinates.some(
    ({ stiffness, damping, armature, friction, lower, upper, input }) =>
      stiffness + damping + armature + friction > 0 || lower !== null || upper !== null || input >= 0,
  );
  if (acts || tiltLimit !== null || gears.some(({ terms }) => terms.some(({ joint }) => joint === index))) return 0;
  return { fixed: 3, spherical: 2, revolute: 1 }[description.joints?.[name].kind as string] ?? 0;
}
