/**
 * The solver of trees: its memory, and the call lists that take the place of the block elimination's.
 *   prepare     directions of ports at z
 *   linearise   gradients of ports at the iterate; they are kept until asked for again
 *   evaluate    the residual
 *   contacts    that of contacts alone
 *   factor      laws, then bodies and joints leaves first
 *   rebase      what a new residual changes of it, with the factors as they are
 *   rhs, solve, recover   as in the block elimination
 * A mechanism qualifies when its joints form a tree, every law is told by its ports, and contacts are with the world.
 */
import { turningCoordinates } from "../equations/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";
import type { Register } from "./elimination.ts";
import { kernelsOfTreeBody, kernelsOfTreeGear, kernelsOfTreeNode, sweepKernel } from "./library.ts";
import { address, CallList } from "./memory.ts";
import { type KernelCall, pairedCalls } from "./pairedCalls.ts";
import { type DataPlan, type PlannedNode, slotOf } from "./plan.ts";
import type { Stage, StagedKernels } from "./staging.ts";
import { TreeGears } from "./treeGears.ts";
import { jointKernel } from "./treeJoints.ts";
import { constraintsOf, isGrounded, type Limb, limbsOf, portsOf, pushedOf } from "./treeLimbs.ts";
import { copyList, sweepList } from "./treeLists.ts";
import type { TreeKernels } from "./treeNodes.ts";
import { downSweep, rebaseSweep, reduceSweep, type Sweep, upSweep } from "./treeSweeps.ts";

/** Every gear costs a solve an iteration. */
const mostGears = 6;

/** Per body, memory indices of arrays that lie one body after another. */
interface BodyArrays {
  readonly inertia: number;
  readonly articulated: number;
  readonly base: number;
  readonly force: number;
  readonly motion: number;
}

/** Undefined where the mechanism is no tree of joints whose laws are told by their ports. */
export function planTree(plan: DataPlan, register: Register): Map<string, CallList> | undefined {
  const { gears, contacts } = plan.mechanism;
  const limbs = limbsOf(plan);
  if (!limbs || gears.length > mostGears || contacts.some(({ other }) => other !== worldIndex)) return undefined;
  // a gear acts on coordinates, and their rates must be those of the ports
  const terms = gears.flatMap((gear) => gear.terms);
  const tied = new Set(terms.map(({ joint }) => joint));
  if (limbs.some(({ joint }) => tied.has(joint.index) && !portsOf(joint)?.areCoordinates)) return undefined;
  if (terms.some(({ joint, coordinate }) => isTurning(plan.mechanism, joint, coordinate))) return undefined;
  // bodies on their own have nothing to gain
  if (limbs.every(isGrounded)) return undefined;
  const kernels = plan.nodes.map(({ spec, kind, index }) =>
    kind === "gear"
      ? kernelsOfTreeGear(spec.kernels, plan.mechanism.gears[index].kind)
      : kernelsOfTreeNode(spec.kernels),
  );
  if (kernels.some((entry) => entry === undefined)) return undefined;
  return new TreePlanner(plan, limbs, kernels as TreeKernels[], register).lists();
}

class TreePlanner {
  private readonly plan: DataPlan;
  private readonly limbs: readonly Limb[];
  private readonly kernels: readonly TreeKernels[];
  private readonly register: Register;
  private readonly arrays: BodyArrays;
  /** By body: operands of its sweeps. */
  private readonly sweeps: Map<string, number>[] = [];
  private readonly gears: TreeGears;

  constructor(plan: DataPlan, limbs: readonly Limb[], kernels: readonly TreeKernels[], register: Register) {
    this.plan = plan;
    this.limbs = limbs;
    this.kernels = kernels;
    this.register = register;
    const { memory, mechanism } = plan;
    const each = (length: number): number => memory.reserve(length * mechanism.bodies.length);
    this.arrays = {
      inertia: each(36),
      articulated: each(36),
      base: each(6),
      force: each(6),
      motion: each(6),
    };
    for (const limb of limbs) this.placeLimb(limb);
    this.gears = new TreeGears(plan, limbs, this.sweeps, this.arrays.motion, register);
  }

  lists(): Map<string, CallList> {
    const { plan, arrays } = this;
    const bodies = plan.mechanism.bodies.length;
    const addresses = plan.nodes.map((node, i) => this.nodeAddresses(node, i));
    const bodyKernels = kernelsOfTreeBody();
    const bodySets = plan.bodies.map(({ addresses: known }, i) => ({
      residual: this.withScratch(known, bodyKernels.residual),
      geometry: this.withScratch(
        new Map([...known, ["diagonal", this.sweeps[i].get("diagonal") as number]]),
        bodyKernels.geometry,
      ),
    }));
    const of = (stage: Stage, ...sets: ("residual" | "geometry" | "law")[]): CallList =>
      this.paired(
        sets.flatMap((set): KernelCall[] => [
          ...(set === "law"
            ? []
            : bodySets.map((body) => ({ kernel: bodyKernels[set].kernels[stage], addresses: body[set] }))),
          ...this.kernels.map((entry, i) => ({
            kernel: entry[set].kernels[stage],
            addresses: addresses[i][set],
            slot: slotOf(plan.nodes[i]),
          })),
        ]),
      );
    const copy = (target: number, source: number, length: number): CallList =>
      copyList(this.register, target, source, length);

    const prepare = joined(
      of("prepare", "residual", "geometry", "law"),
      this.joints("direction", "carriedBefore", "motionsBefore"),
      ...this.gears.prepare(),
    );
    const linearise = joined(of("linearise", "geometry"), this.joints("gradient", "carried", "motions"));
    const factor = joined(
      copy(arrays.articulated, arrays.inertia, 36 * bodies),
      of("weigh", "law"),
      this.sweep("reduce", true, (limb) => reduceSweep(constraintsOf(limb), isGrounded(limb))),
      ...this.gears.factor(),
    );
    const rhs = joined(copy(arrays.force, arrays.base, 6 * bodies), of("rhs", "law"));
    const solve = joined(
      this.sweep("up", true, (limb) => upSweep(constraintsOf(limb), isGrounded(limb))),
      this.sweep("down", false, (limb) => downSweep(constraintsOf(limb), isGrounded(limb), pushedOf(limb))),
      ...this.gears.solve(),
    );
    return new Map([
      ["prepare", prepare],
      ["linearise", linearise],
      ["evaluate", of("evaluate", "residual")],
      ["contacts", this.paired(this.contactCalls(addresses))],
      ["factor", factor],
      ["rebase", this.sweep("rebase", true, (limb) => rebaseSweep(constraintsOf(limb)))],
      ["rhs", rhs],
      ["solve", solve],
      ["recover", of("recover", "law")],
    ]);
  }

  /** The residual of contacts alone. */
  private contactCalls(addresses: readonly Record<keyof TreeKernels, ReadonlyMap<string, number>>[]): KernelCall[] {
    return this.plan.nodes.flatMap((node, i) => {
      const slot = slotOf(node);
      const kernel = this.kernels[i].residual.kernels.evaluate;
      return slot === undefined ? [] : [{ kernel, addresses: addresses[i].residual, slot }];
    });
  }

  /** Memory of a body and of the joint above it. */
  private placeLimb({ body, parent, joint }: Limb): void {
    const { plan, arrays } = this;
    const { memory, places } = plan;
    const grounded = parent === worldIndex;
    const n = 6 - portsOf(joint).constraints;
    const own = new Map<string, number>();
    const set = (name: string, index: number): void => {
      own.set(name, address(index));
    };
    set("diagonal", arrays.inertia + 36 * body);
    set("articulated", arrays.articulated + 36 * body);
    set("base", arrays.base + 6 * body);
    set("force", arrays.force + 6 * body);
    set("carried", memory.reserve(grounded ? 0 : 36));
    set("carriedBefore", memory.reserve(grounded ? 0 : 36));
    set("motions", memory.reserve(36));
    set("motionsBefore", memory.reserve(36));
    for (const k of [0, 1]) {
      set(`gradient.${k}`, memory.reserve(36));
      set(`direction.${k}`, memory.reserve(36));
    }
    set("stiffness", memory.reserve(n));
    set("push", memory.reserve(n));
    set("first", memory.reserve(n));
    set("factors", memory.reserve(n * n));
    set("response", memory.reserve(6 * n));
    set("pull", memory.reserve(6 * n));
    set("offset", memory.reserve(6));
    set("motion", arrays.motion + 6 * body);
    set("residual", places.residual + 6 * body);
    set("step", places.step + 6 * body);
    own.set("constraint", joint.addresses.get("residual.own") ?? plan.sink);
    own.set("impulses", joint.addresses.get("step.own") ?? plan.sink);
    if (!grounded) {
      set("articulatedAbove", arrays.articulated + 36 * parent);
      set("forceAbove", arrays.force + 6 * parent);
      set("stepAbove", places.step + 6 * parent);
    }
    this.sweeps[body] = own;
  }

  /** Operands of a node's three sets of kernels. */
  private nodeAddresses(node: PlannedNode, i: number): Record<keyof TreeKernels, ReadonlyMap<string, number>> {
    const { memory } = this.plan;
    const known = new Map(node.addresses);
    node.bodies.forEach((body, k) => {
      if (body === worldIndex) return;
      known.set(`diagonal.${k}`, this.sweeps[body].get("diagonal") as number);
    });
    if (node.kind === "joint") {
      const limb = this.sweeps[node.bodies[1]];
      for (const name of ["gradient.0", "gradient.1", "direction.0", "direction.1", "stiffness", "push", "motion"])
        known.set(name, limb.get(name) as number);
    }
    if (node.kind === "gear") {
      for (const [name, at] of this.gears.addresses(node.index)) known.set(name, at);
    }
    if (node.kind === "gearTerm") {
      // the directions of the one port that the term pushes
      const port = this.gears.portOf(node);
      const limb = this.sweeps[node.bodies[1]];
      for (const k of [0, 1]) known.set(`direction.${k}`, (limb.get(`direction.${k}`) as number) + address(6 * port));
    }
    if (node.kind === "contact") {
      const limb = this.sweeps[node.bodies[1]];
      const rows = portsOf(node).values.length;
      for (const name of ["force", "articulated"]) known.set(name, limb.get(name) as number);
      for (const name of ["direction", "gradient"]) known.set(`${name}.1`, address(memory.reserve(6 * rows)));
    }
    const { residual, geometry, law } = this.kernels[i];
    return {
      residual: this.withScratch(known, residual),
      geometry: this.withScratch(known, geometry),
      law: this.withScratch(known, law),
    };
  }

  private withScratch(known: ReadonlyMap<string, number>, { scratchSize }: StagedKernels): Map<string, number> {
    return new Map([...known, ["scratch", address(this.plan.memory.reserve(scratchSize))]]);
  }

  /** Z and A of all joints. */
  private joints(rows: "direction" | "gradient", carried: string, motions: string): CallList {
    return this.paired(
      this.limbs.map((limb) => {
        const grounded = isGrounded(limb);
        const translations = translationsOf(limb.joint, this.plan.mechanism);
        const at = (name: string): number => this.sweeps[limb.body].get(name) as number;
        return {
          kernel: sweepKernel(`joint.${translations.join("")}.${grounded}`, () => jointKernel(translations, grounded)),
          addresses: new Map([
            ["child", at(`${rows}.1`)],
            ["parent", at(`${rows}.0`)],
            ["motions", at(motions)],
            ["carried", at(carried)],
          ]),
        };
      }),
    );
  }

  private sweep(name: string, upwards: boolean, make: (limb: Limb) => Sweep): CallList {
    return sweepList(this.register, this.limbs, upwards, name, make, ({ body }) => this.sweeps[body]);
  }

  private paired(calls: readonly KernelCall[]): CallList {
    return pairedCalls(calls, this.register, this.plan.sink);
  }
}

function isTurning({ joints }: Mechanism, joint: number, coordinate: number): boolean {
  return turningCoordinates(joints[joint].shape).includes(coordinate);
}

/** Which ports are translations: those of constraints come first, translations before rotations; so do those of free coordinates. */
function translationsOf({ index }: PlannedNode, { joints }: Mechanism): number[] {
  const { translation, rotation } = joints[index].shape;
  const range = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i);
  return [...range(0, translation), ...range(translation + rotation, 3 - translation)];
}

function joined(...lists: readonly CallList[]): CallList {
  const all = new CallList();
  for (const list of lists) all.append(list);
  return all;
}
