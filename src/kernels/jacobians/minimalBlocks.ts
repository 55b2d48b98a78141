/** The kernels that Jacobians in minimal coordinates run before their solve, and where these leave what the rows are multiplied with. */
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { address, CallList } from "../memory/memory.ts";
import { type KernelCall, pairedCalls } from "../memory/pairedCalls.ts";
import type { PlannedNode } from "../memory/plan.ts";
import { jointSpecies } from "../species/species.ts";
import type { HeldBodyKernel, HeldForceKernel, HeldJointKernel, TreeJointKernel } from "./heldKernels.ts";
import { type JacobianContext, type RowPlace, withPlaces } from "./jacobianPanels.ts";
import { panelIndex } from "./panelBuilder.ts";
import { gearTermKernelOf, heldBodyKernelOf, heldForceKernelOf, treeJointKernelOf } from "./sensitivityLibrary.ts";

/** Coordinates of a joint that are entries of a rotation vector. */
export interface TurningPlace {
  readonly coordinates: readonly number[];
  /** dθ̇₊/dθ at held θ₊, and dθ₊/dθ̇₊: square. */
  readonly byValue: number;
  readonly valueByRate: number;
}

/** A kernel's answers in memory. */
interface Placed<K> {
  readonly node: PlannedNode;
  readonly kernel: K;
  readonly answers: number;
}

export interface PlacedJoint extends Placed<TreeJointKernel> {
  readonly reversed: boolean;
  readonly near: number;
  readonly far: number;
  /** Terms of gears on it. */
  readonly terms: readonly Placed<HeldJointKernel>[];
}

export interface MinimalBlocks {
  readonly bodies: readonly { readonly kernel: HeldBodyKernel; readonly answers: number }[];
  readonly forces: readonly Placed<HeldForceKernel>[];
  /** Joints from the leaves to the root. */
  readonly joints: readonly PlacedJoint[];
  readonly turning: readonly TurningPlace[];
  readonly list: CallList;
}

/** Rows of velocities; those of positions follow from them. */
export function minimalRows({ joints }: Mechanism): RowPlace[] {
  return joints.flatMap(({ parent, child, coordinates, coordinateOffset }) => {
    const bodies = [parent, child].filter((body) => body !== worldIndex);
    return coordinates.map((_, i) => ({ index: coordinateOffset + i, bodies }));
  });
}

/** Whether a contact acts between two moving bodies. */
export const isPair = ({ bodies }: PlannedNode): boolean => bodies.every((body) => body !== worldIndex);

export function minimalBlocks(context: JacobianContext, vectorOf: ReadonlyMap<number, number>): MinimalBlocks {
  const { plan, register, step } = context;
  const { mechanism, memory, nodes, unknowns } = plan;
  const list = new CallList();
  const append = (calls: readonly KernelCall[]): void => list.append(pairedCalls(calls, register, plan.sink));
  const turning: TurningPlace[] = [];

  const isLimb = new Set(plan.limbs.map(({ body }) => body));
  const isLoose = (body: number): boolean => !isLimb.has(body);
  const basisOf = (body: number): number => plan.sweeps[body].get("basis") as number;

  // bodies: 7 (of 8) numbers each for the pose one step ago
  const before = memory.reserve(8 * mechanism.bodies.length);
  const isForce = ({ kind }: PlannedNode): boolean => kind === "contact" || kind === "thruster" || kind === "drag";
  const pushed = new Set(nodes.filter((node) => isForce(node) && !isPair(node)).flatMap((node) => node.bodies));
  const bodies = mechanism.bodies.map((_, i) => {
    const kernel = heldBodyKernelOf(pushed.has(i), isLoose(i));
    return { kernel, answers: memory.reserve(kernel.size) };
  });
  const ofKernels = bodies.map(({ answers }, i) =>
    withPlaces({ answers, before: before + 8 * i }, plan.bodies[i].addresses).set("basis", basisOf(i)),
  );
  append(bodies.map(({ kernel }, i) => ({ kernel: kernel.kernel, addresses: ofKernels[i] })));

  // contacts, thrusters, drag
  const forces = nodes.filter(isForce).map((node) => {
    const kernel = heldForceKernelOf(node.spec.species, !isPair(node) && isLoose(node.bodies[1]));
    return { node, kernel, answers: memory.reserve(kernel.size) };
  });
  append(
    forces.map(({ node, kernel, answers }) => {
      const addresses = withPlaces({ held: answers }, node.addresses);
      ofBodies(node, (body, k) => {
        addresses.set(`answers.${k}`, address(bodies[body].answers)).set(`basis.${k}`, basisOf(body));
      });
      return { kernel: kernel.kernel, addresses };
    }),
  );

  append(bodies.map(({ kernel }, i) => ({ kernel: kernel.turned, addresses: ofKernels[i] })));

  // joints and the terms of gears
  const calls: KernelCall[] = [];
  const withBefore = (node: PlannedNode, own: Readonly<Record<string, number>>): Map<string, number> => {
    const addresses = withPlaces(own, node.addresses);
    ofBodies(node, (body, k) => {
      addresses.set(`before.${k}`, address(before + 8 * body)).set(`basis.${k}`, basisOf(body));
    });
    return addresses;
  };
  const joints = [...mechanism.tree].reverse().map(({ joint: index, reversed }): PlacedJoint => {
    const { shape, parent, child, coordinates, coordinateOffset } = mechanism.joints[index];
    const node = nodes[index];
    const [near, far] = reversed ? [child, parent] : [parent, child];
    const species = jointSpecies(mechanism.joints[index]);
    const kernel = treeJointKernelOf(node.spec.species, species, reversed, isLoose(far));
    const answers = memory.reserve(kernel.size);
    const size = kernel.turning.length ** 2;
    const turns = { byValue: memory.reserve(size), valueByRate: memory.reserve(size) };
    if (size > 0) turning.push({ ...turns, coordinates: kernel.turning.map((i) => coordinateOffset + i) });
    const addresses = withBefore(node, { held: answers, ...turns });
    ofBodies(node, (body, k) =>
      coordinates.forEach((_, r) => {
        const vector = vectorOf.get(coordinateOffset + r) as number;
        addresses.set(`step.${k}.${r}`, address(panelIndex(step, unknowns, 6 * body, vector)));
      }),
    );
    calls.push({ kernel: kernel.kernel, addresses });
    const terms = nodes
      .filter(({ kind, spec }) => kind === "gearTerm" && spec.joint === index)
      .map((term) => {
        const held = gearTermKernelOf(term.spec.species, shape, reversed);
        const place = memory.reserve(held.size);
        calls.push({ kernel: held.kernel, addresses: withBefore(term, { held: place }) });
        return { node: term, kernel: held, answers: place };
      });
    return { node, kernel, answers, reversed, near, far, terms };
  });
  append(calls);
  return { bodies, forces, joints, turning, list };
}

function ofBodies({ bodies }: PlannedNode, visit: (body: number, k: number) => void): void {
  bodies.forEach((body, k) => {
    if (body !== worldIndex) visit(body, k);
  });
}
