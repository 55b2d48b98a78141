/** The tree of a mechanism's joints: every body with the joint above it. */
import type { Ports } from "../equations/index.ts";
import { worldIndex } from "../mechanism/index.ts";
import type { DataPlan, PlannedNode } from "./plan.ts";

/** A body with the joint above it. */
export interface Limb {
  readonly body: number;
  readonly parent: number;
  readonly joint: PlannedNode;
  readonly depth: number;
}

/** Roots first. Undefined where the joints close a loop, or a joint is named against the walk. */
export function limbsOf({ mechanism, nodes }: DataPlan): Limb[] | undefined {
  const { joints, tree, loopJoints } = mechanism;
  if (loopJoints.length > 0 || tree.some(({ reversed }) => reversed)) return undefined;
  const depths = new Map<number, number>([[worldIndex, 0]]);
  return tree.map(({ joint: index }): Limb => {
    const { parent, child } = joints[index];
    const depth = (depths.get(parent) as number) + 1;
    depths.set(child, depth);
    const joint = nodes.find((node) => node.kind === "joint" && node.index === index) as PlannedNode;
    return { body: child, parent, joint, depth };
  });
}

export const isGrounded = ({ parent }: Limb): boolean => parent === worldIndex;
export const portsOf = ({ spec }: Pick<PlannedNode, "spec">): Ports => spec.kernels.node.ports as Ports;
export const constraintsOf = ({ joint }: Limb): number => portsOf(joint).constraints;
export const pushedOf = ({ joint }: Limb): readonly number[] => portsOf(joint).pushed;
