/** The tree of a mechanism's joints: every body with the joint above it. */
import { type Ports, pushedPorts } from "../../equations/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import type { DataPlan, PlannedNode } from "../memory/plan.ts";

/** A body with the joint above it. */
export interface Limb {
  readonly body: number;
  readonly parent: number;
  readonly joint: PlannedNode;
  /** Which of the joint's two bodies is the limb's: the parent where the joint is named against the walk from the world. */
  readonly below: 0 | 1;
  /** A body on its own: its joint holds nothing, no force of it answers to motion, and nothing hangs on it. Its elimination needs no ports. */
  readonly isLoose: boolean;
}

/** Roots first. */
export function limbsOf({ mechanism, nodes }: DataPlan): Limb[] {
  const { joints, tree } = mechanism;
  const nodeOf = new Map(
    nodes.flatMap((node): [number, PlannedNode][] => (node.kind === "joint" ? [[node.index, node]] : [])),
  );
  const carrying = new Set(tree.map(({ joint, reversed }) => (reversed ? joints[joint].child : joints[joint].parent)));
  return tree.map(({ joint: index, reversed }): Limb => {
    const { parent, child } = joints[index];
    const joint = nodeOf.get(index) as PlannedNode;
    const [body, above, below] = reversed ? ([parent, child, 0] as const) : ([child, parent, 1] as const);
    return { body, parent: above, joint, below, isLoose: above === worldIndex && isIdle(joint) && !carrying.has(body) };
  });
}

/** Whether a joint neither holds anything nor has forces that answer to motion. */
function isIdle({ spec }: PlannedNode): boolean {
  return spec.species.multipliers === 0 && spec.species.coneSize === 0;
}

export const isGrounded = ({ parent }: Limb): boolean => parent === worldIndex;
export const portsOf = ({ spec }: Pick<PlannedNode, "spec">): Ports => spec.species.node.ports as Ports;
export const constraintsOf = ({ joint }: Limb): number => portsOf(joint).constraints;
/** The port that each force of the joint pushes, −1 for those that act along none. */
export const forcesOf = (limb: Limb): number[] => pushedPorts(portsOf(limb.joint)).slice(constraintsOf(limb));
