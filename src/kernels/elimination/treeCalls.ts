/**
 * Calls of the elimination by limbs: a stage of the kernels of all bodies and nodes (treeNodes.ts), two of a species at once, and the sweeps
 * of a limb, a body with the joint above it (treeSweeps.ts). treePlan.ts puts them in order.
 */
import { pushedPorts, type TwistBasis } from "../../equations/index.ts";
import { bodyAt } from "../../math/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import type { Scalar } from "../../symbolic/index.ts";
import { address, CallList, joined, type Register } from "../memory/memory.ts";
import { type KernelCall, pairedCalls } from "../memory/pairedCalls.ts";
import { nextLayout } from "../memory/placement.ts";
import { type DataPlan, type PlannedNode, slotOf } from "../memory/plan.ts";
import { answersOfTreeJoint, limitsOfTreeJoint, sweepKernel } from "../species/library.ts";
import type { Stage } from "../species/staging.ts";
import type { BodyKernels } from "./treeBodies.ts";
import { conversionKernel, jointKernel } from "./treeJoints.ts";
import { constraintsOf, forcesOf, isGrounded, type Limb, portsOf } from "./treeLimbs.ts";
import { sweepCall } from "./treeLists.ts";
import type { KernelSet, TreePlaces } from "./treePlaces.ts";
import { downSweep, rebaseSweep, reduceSweep, type Sweep, upSweep } from "./treeSweeps.ts";

export class TreeCalls {
  private readonly plan: DataPlan;
  private readonly at: TreePlaces;
  private readonly register: Register;

  constructor(plan: DataPlan, at: TreePlaces, register: Register) {
    this.plan = plan;
    this.at = at;
    this.register = register;
  }

  /** Whether the law of any joint mixes its coordinates. */
  get hasMixed(): boolean {
    return this.at.limbs.some((limb) => this.at.isCoupled(limb));
  }

  /** A stage of a set of kernels, of all bodies. */
  ofBodies(stage: Stage, set: keyof BodyKernels): CallList {
    return this.paired(this.bodyCalls(stage, set));
  }

  private bodyCalls(stage: Stage, set: keyof BodyKernels): KernelCall[] {
    return this.at.bodies.map((addresses, i) => ({
      kernel: this.at.kernelsOfBody(i)[set].kernels[stage],
      addresses: addresses[set],
    }));
  }

  /** Bases of all bodies at the iterate, where laws mix coordinates: these want them with the residual. */
  basesOfMixed(): CallList {
    return this.hasMixed ? this.ofBodies("linearise", "geometry") : new CallList();
  }

  /** Six numbers of all bodies, which lie one after another, by their bases, in place. */
  converted(name: string, convert: (six: readonly Scalar[], basis: TwistBasis) => Scalar[], start: number): CallList {
    const kernel = sweepKernel(`basis.${name}`, () => conversionKernel(name, convert));
    return this.paired(
      this.at.limbs.map(({ body }) => ({
        kernel,
        addresses: new Map([
          ["basis", this.at.basisOf(body)],
          ["numbers", address(start + 6 * body)],
        ]),
      })),
    );
  }

  /** Weights and slopes of laws that mix coordinates. */
  answers(): CallList {
    return this.ofMixed(answersOfTreeJoint, (limb, reserve) => {
      const [constraints, forces] = [constraintsOf(limb), forcesOf(limb).length];
      reserve("forceWeights", forces * (6 - constraints));
      reserve("forceSlopes", forces * constraints);
    });
  }

  /** Limits of joints whose laws mix coordinates, as ports. Only steps of joints without other cones have use for them (portResponses.ts). */
  limitsOfMixed(): CallList {
    return this.ofMixed(limitsOfTreeJoint, (limb, reserve) => {
      const { roles } = limb.joint;
      const size = roles.length * (6 - constraintsOf(limb));
      if (size === 0 || this.plan.physics !== "step" || !roles.every((role) => role.isPredictable)) return;
      reserve("limitRates", size);
      reserve("limitPushes", size);
    });
  }

  /** A kernel for each limb whose law mixes coordinates, unless nothing is reserved for what it writes. */
  private ofMixed(
    kernelOf: typeof answersOfTreeJoint,
    reserveFor: (limb: Limb, reserve: (operand: string, size: number) => void) => void,
  ): CallList {
    const calls = this.at.limbs.flatMap((limb): KernelCall[] => {
      if (!this.at.isCoupled(limb)) return [];
      const { joint, below, body } = limb;
      const own = this.at.sweeps[body];
      const known = own.size;
      reserveFor(limb, (operand, size) => own.set(operand, address(this.plan.memory.reserve(size))));
      if (own.size === known) return [];
      const bases = joint.bodies.map((index, k): [string, number] => [`basis.${k}`, this.at.basisOf(index)]);
      const addresses = new Map([...joint.addresses, ...own, ...bases]);
      return [{ kernel: kernelOf(joint.spec.species, below), addresses }];
    });
    return this.paired(calls);
  }

  /** A stage of some sets of kernels, of all bodies and nodes. */
  of(stage: Stage, ...sets: KernelSet[]): CallList {
    return this.paired(sets.flatMap((set) => this.calls(stage, set)));
  }

  /** A stage of one set of kernels as calls that are not paired yet, of all bodies and of those nodes that take part. */
  calls(stage: Stage, set: KernelSet, takesPart: (node: number) => boolean = () => true): KernelCall[] {
    return [
      ...(set === "law" ? [] : this.bodyCalls(stage, set)),
      ...this.at.kernels.flatMap((entry, i): KernelCall[] => {
        const slot = slotOf(this.plan.nodes[i]);
        return takesPart(i) ? [{ kernel: entry[set].kernels[stage], addresses: this.at.nodes[i][set], slot }] : [];
      }),
    ];
  }

  /** The residual of contacts alone. */
  contacts(): CallList {
    const calls = this.plan.nodes.flatMap((node, i): KernelCall[] => {
      const slot = slotOf(node);
      const kernel = this.at.kernels[i].residual.kernels.evaluate;
      return slot === undefined ? [] : [{ kernel, addresses: this.at.nodes[i].residual, slot }];
    });
    return this.paired(calls);
  }

  /** Z, the motions that joints leave free, and d, the arms between bodies, of all joints: at z or at the iterate (treeJoints.ts). */
  joints(rows: "direction" | "gradient"): CallList {
    const isNext = rows === "gradient";
    const { mechanism, places, physics } = this.plan;
    // in an impact nothing moves on
    const placeOf = (body: number): number =>
      address(
        isNext && physics === "step"
          ? places.next + nextLayout.size * body + nextLayout.position
          : places.state + bodyAt(body),
      );
    return this.paired(
      this.at.limbs.map((limb) => {
        const translations = translationsOf(limb.joint, mechanism);
        const grounded = isGrounded(limb);
        const at = (name: string): number => this.at.sweeps[limb.body].get(name) as number;
        return {
          kernel: sweepKernel(`joint.${translations.join("")}.${grounded}`, () => jointKernel(translations, grounded)),
          addresses: new Map([
            ["ports", at(`${rows}.${limb.below}`)],
            ["place", placeOf(limb.body)],
            ["placeAbove", placeOf(limb.parent)],
            ["motions", at(isNext ? "motions" : "motionsBefore")],
            ["arm", at(isNext ? "arm" : "armBefore")],
          ]),
        };
      }),
    );
  }

  /** Factors a limb: how it answers to the motion of the body above. */
  reduce(limb: Limb): CallList {
    const [constraints, grounded, coupled] = [constraintsOf(limb), isGrounded(limb), this.at.isCoupled(limb)];
    const key = `reduce.${constraints}.${grounded}.${coupled}`;
    return this.sweepOf(limb, key, () => reduceSweep(constraints, grounded, coupled));
  }

  /** Its forces, passed on to the body above. */
  up(limb: Limb): CallList {
    const [constraints, grounded] = [constraintsOf(limb), isGrounded(limb)];
    return this.sweepOf(limb, `up.${constraints}.${grounded}`, () => upSweep(constraints, grounded));
  }

  /** Its motion, from that of the body above, and the impulses of its joint. */
  down(limb: Limb): CallList {
    const [constraints, grounded, pushed] = [constraintsOf(limb), isGrounded(limb), this.pushedBySweep(limb)];
    const key = `down.${constraints}.${grounded}.${pushed.join("")}`;
    return this.sweepOf(limb, key, () => downSweep(constraints, grounded, pushed));
  }

  /** What a new residual changes of all limbs. */
  rebase(): CallList {
    const sweeps = this.at.limbs.map((limb) => {
      const constraints = constraintsOf(limb);
      return this.sweepOf(limb, `rebase.${constraints}`, () => rebaseSweep(constraints));
    });
    return joined(...sweeps);
  }

  private sweepOf(limb: Limb, key: string, make: () => Sweep): CallList {
    const list = new CallList();
    sweepCall(list, this.register, key, make, this.at.sweeps[limb.body]);
    return list;
  }

  /** The port of each multiplier whose impulse the sweep leaves. A coupled law recovers the others. */
  private pushedBySweep(limb: Limb): number[] {
    const pushed = pushedPorts(portsOf(limb.joint));
    return this.at.isCoupled(limb) ? pushed.slice(0, constraintsOf(limb)) : pushed;
  }

  paired(calls: readonly KernelCall[]): CallList {
    return pairedCalls(calls, this.register, this.plan.sink);
  }
}

/** Which ports are translations: those of constraints come first, translations before rotations; so do those of free coordinates. */
function translationsOf({ index }: PlannedNode, { joints }: Mechanism): number[] {
  const { translation, rotation } = joints[index].shape;
  const range = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i);
  return [...range(0, translation), ...range(translation + rotation, 3 - translation)];
}
