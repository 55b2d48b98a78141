/** The tree of a mechanism's joints: every body with the joint above it. */
import type { Ports } from "../equations/index.ts";
import { worldIndex } from "../mechanism/index.ts";
import type { DataPlan, PlannedNode } from "./plan.ts";

/** A body with the joint above it. */
export interface Limb {
  readonly body: number;
  readonly parent: number;
  readonly joint: PlannedNode;
  /** Which of the joint's two bodies is the limb's: the parent where the joint is named against the walk from the world. */
  readonly below: 0 | 1;
}

/** Roots first. */
export function limbsOf({ mechanism, nodes }: DataPlan): Limb[] {
  const { joints, tree } = mechanism;
  return tree.map(({ joint: index, reversed }): Limb => {
    const { parent, child } = joints[index];
    const joint = nodes.find((node) => node.kind === "joint" && node.index === index) as PlannedNode;
    return reversed ? { body: parent, parent: child, joint, below: 0 } : { body: child, parent, joint, below: 1 };
  });
}

export const isGrounded = ({ parent }: Limb): boolean => parent === worldIndex;
export const portsOf = ({ spec }: Pick<PlannedNode, "spec">): Ports => spec.kernels.node.ports as Ports;
export const constraintsOf = ({ joint }: Limb): number => portsOf(joint).constraints;
