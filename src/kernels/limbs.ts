/**
 * Limbs: subtrees of joints that hang on the rest by one body alone, their root. All that a limb has to say to the rows of other joints
 * is linear in what these take from the balance of the root, six numbers. So only the limb's own rows, and six more that are one for
 * one number of the root, go through its joints; the others are sums of the six.
 */
import { worldIndex } from "../mechanism/index.ts";
import type { EliminationTree } from "./panelRows.ts";
import type { LimbPlan } from "./treePlan.ts";

type Range = readonly [number, number];

export interface Limb {
  readonly root: number;
  /** Joints by index, and nodes of the elimination. */
  readonly joints: ReadonlySet<number>;
  readonly nodes: ReadonlySet<number>;
  /** Panels of its own rows. */
  readonly own: Range;
}

/** Panels of the six rows. */
export const unitPanels = 3;

/** The limbs that save most, none within another. `touched`: the panels in which each node has something when it is eliminated. */
export function findLimbs(
  plan: LimbPlan,
  elimination: EliminationTree,
  panels: number,
  touched: readonly Range[],
): Limb[] {
  const edges = plan.mechanism.tree.map(({ joint, reversed }) => {
    const { parent, child } = plan.mechanism.joints[joint];
    return reversed ? { joint, near: child, far: parent } : { joint, near: parent, far: child };
  });
  const coupledBefore = elimination.later.map((): number[] => []);
  elimination.later.forEach((later, i) => {
    for (const j of later) coupledBefore[j].push(i);
  });
  const alone = bodiesOfTheirOwn(plan);

  const best = (edge: (typeof edges)[number]): { limbs: Limb[]; saved: number } => {
    const below = edges.filter(({ near }) => near === edge.far).map(best);
    const nested = {
      limbs: below.flatMap(({ limbs }) => limbs),
      saved: below.reduce((sum, { saved }) => sum + saved, 0),
    };
    const limb = limbAt(edge);
    const saved = limb ? savings(plan, limb, panels) : 0;
    return limb && saved > nested.saved ? { limbs: [limb], saved } : nested;
  };
  return edges.filter(({ near }) => near === worldIndex).flatMap((edge) => best(edge).limbs);

  function limbAt({ joint, near, far }: (typeof edges)[number]): Limb | undefined {
    if (near === worldIndex) return undefined;
    const bodies = new Set([far]);
    const joints = new Set([joint]);
    for (const edge of edges) {
      if (!bodies.has(edge.near)) continue;
      bodies.add(edge.far);
      joints.add(edge.joint);
    }
    if ([...bodies].some((body) => !alone[body])) return undefined;
    const nodes = new Set(bodies);
    // what is coupled to it must be the root, or a gear within it: sets grow while they are gone through
    for (const node of nodes) {
      for (const next of elimination.later[node]) {
        if (next === near || nodes.has(next)) continue;
        const isGear = plan.nodes.some(({ kind, block }) => kind === "gear" && block === next);
        if (!isGear) return undefined;
        nodes.add(next);
      }
    }
    if ([...nodes].some((node) => coupledBefore[node].some((earlier) => !nodes.has(earlier)))) return undefined;
    const ranges = [...nodes].map((node) => touched[node]).filter(([first, end]) => first < end);
    const own: Range =
      ranges.length > 0
        ? [Math.min(...ranges.map(([first]) => first)), Math.max(...ranges.map(([, end]) => end))]
        : [0, 0];
    return { root: near, joints, nodes, own };
  }
}

/** Whether no thruster and no contact with another moving body acts on a body. */
function bodiesOfTheirOwn({ mechanism, nodes }: LimbPlan): boolean[] {
  const alone = mechanism.bodies.map(() => true);
  for (const { kind, bodies } of nodes) {
    const isPair = kind === "contact" && bodies.every((body) => body !== worldIndex);
    if (isPair || kind === "thruster") for (const body of bodies) if (body !== worldIndex) alone[body] = false;
  }
  return alone;
}

/** Products that a joint costs a panel, in solve and data. */
const productsOfJoint = 240;

/** Products saved. */
function savings({ mechanism }: LimbPlan, { joints, own: [first, end] }: Limb, panels: number): number {
  const others = panels - (end - first);
  const columns = [...joints].reduce((sum, index) => {
    const { coordinates } = mechanism.joints[index];
    return sum + 2 * coordinates.length + coordinates.filter(({ input }) => input >= 0).length;
  }, 0);
  return productsOfJoint * joints.size * (others - unitPanels) - others * (6 * columns + 72);
}
