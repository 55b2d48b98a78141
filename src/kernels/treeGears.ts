/**
 * Gears on a tree. The tree is solved as if there were none; then every gear's impulse λ, which pushes its coordinates in proportion to
 * their ratios, follows from its law and from how the tree answers to such a push:
 *   rate = rate₀ + C λ,   α λ + k·rate = τ,        solution = solution₀ + Σ λ·response
 * The responses are solved for once an iteration, one a gear.
 */
import { worldIndex } from "../mechanism/index.ts";
import type { Register } from "./elimination.ts";
import { sweepKernel } from "./library.ts";
import { address, CallList } from "./memory.ts";
import { type KernelCall, pairedCalls } from "./pairedCalls.ts";
import type { DataPlan, PlannedNode } from "./plan.ts";
import { gearFactorKernel, gearSolveKernel, ratioKernel, tieKernel } from "./treeJoints.ts";
import { constraintsOf, isGrounded, type Limb, portsOf, pushedOf } from "./treeLimbs.ts";
import { copyList, sweepList } from "./treeLists.ts";
import { downSweep, upSweep } from "./treeSweeps.ts";
import { vectorLoop } from "./vectorKernels.ts";

/** How the tree answers to a push of a gear. */
interface Response {
  readonly push: number;
  readonly first: number;
  readonly motion: number;
  readonly step: number;
}

export class TreeGears {
  private readonly plan: DataPlan;
  private readonly limbs: readonly Limb[];
  private readonly sweeps: readonly ReadonlyMap<string, number>[];
  /** Rates of the joints that the tree's own solve leaves, six a body. */
  private readonly motion: number;
  private readonly register: Register;
  private readonly count: number;
  private readonly numbers: Record<
    "yielding" | "stiffness" | "push" | "rate" | "impulse" | "coupling" | "factors",
    number
  >;
  private readonly responses: readonly Response[];
  private readonly zeros: number;
  private readonly force: number;

  constructor(
    plan: DataPlan,
    limbs: readonly Limb[],
    sweeps: readonly ReadonlyMap<string, number>[],
    motion: number,
    register: Register,
  ) {
    this.plan = plan;
    this.limbs = limbs;
    this.sweeps = sweeps;
    this.motion = motion;
    this.register = register;
    const { memory, mechanism, unknowns } = plan;
    const count = mechanism.gears.length;
    this.count = count;
    const perBody = count > 0 ? 6 * mechanism.bodies.length : 0;
    this.numbers = {
      yielding: memory.reserve(count),
      stiffness: memory.reserve(count),
      push: memory.reserve(count),
      rate: memory.reserve(count),
      impulse: memory.reserve(count),
      coupling: memory.reserve(count * count),
      factors: memory.reserve(count * count),
    };
    this.zeros = memory.reserve(perBody + count * count);
    this.force = memory.reserve(perBody);
    this.responses = mechanism.gears.map(() => ({
      push: memory.reserve(perBody),
      first: memory.reserve(perBody),
      motion: memory.reserve(perBody),
      step: memory.reserve(unknowns),
    }));
  }

  /** Operands of a gear's law. */
  addresses(gear: number): [string, number][] {
    const { yielding, stiffness, push, rate, impulse } = this.numbers;
    const at = (start: number): number => address(start + gear);
    return [
      ["gearYielding", at(yielding)],
      ["gearStiffness", at(stiffness)],
      ["gearPush", at(push)],
      ["gearRate", at(rate)],
      ["gearImpulse", at(impulse)],
    ];
  }

  /** The port of its joint that a gear's term pushes. */
  portOf(term: PlannedNode): number {
    return constraintsOf(this.limbOf(term.bodies[1])) + this.coordinateOf(term);
  }

  /** The ratios as pushes. */
  prepare(): CallList[] {
    return this.responses.flatMap(({ push }, gear) => [
      copyList(this.register, push, this.zeros, 6 * this.limbs.length),
      this.ratios(gear, 1, (term) => ({ start: push + 6 * term.bodies[1], index: this.coordinateOf(term) })),
    ]);
  }

  private ratios(
    gear: number,
    sign: 1 | -1,
    place: (term: PlannedNode) => { readonly start: number; readonly index: number } | undefined,
  ): CallList {
    return this.paired(
      this.termsOf(gear).flatMap((term) => {
        const target = place(term);
        if (!target) return [];
        const { start, index } = target;
        return {
          kernel: sweepKernel(`ratio.${index}.${sign}`, () => ratioKernel(index, sign)),
          addresses: new Map([
            ["ratio", address(term.parameters)],
            ["pushed", address(start)],
          ]),
        };
      }),
    );
  }

  /** What a gear pushes is no impulse of the joint's own multipliers. */
  private ownOnly({ step }: Response, gear: number): CallList {
    return this.ratios(gear, -1, (term) => {
      const { joint } = this.limbOf(term.bodies[1]);
      const index = portsOf(joint).pushed.indexOf(this.portOf(term));
      return index >= 0 ? { start: step + joint.multiplier, index } : undefined;
    });
  }

  /** Responses, how they couple the gears, and the factors of the gears' own system. */
  factor(): CallList[] {
    const { count, numbers } = this;
    if (count === 0) return [];
    const { register } = this;
    const { yielding, stiffness, coupling, factors } = numbers;
    return [
      ...this.responses.flatMap((response, gear) => [...this.solveFor(response, gear), this.ownOnly(response, gear)]),
      copyList(register, coupling, this.zeros, count * count),
      ...this.responses.flatMap(({ motion }, column) =>
        this.responses.map((_, row) => this.tied(row, motion, coupling + count * row + column)),
      ),
      this.paired([this.call("gearFactor", gearFactorKernel, { yielding, stiffness, coupling, factors })]),
    ];
  }

  /** After the tree's own solve: impulses of the gears, and what they do to it. */
  solve(): CallList[] {
    const { count, numbers, plan } = this;
    if (count === 0) return [];
    const { register } = this;
    const { push, stiffness, coupling, factors, rate, impulse } = numbers;
    const bodies = 6 * this.limbs.length;
    const added = new CallList();
    this.responses.forEach(({ motion, step }, gear) => {
      const add = (target: number, direction: number, length: number): void =>
        vectorLoop(added, register, "addScaled", [target, target, direction, impulse + gear], length);
      add(this.motion, motion, bodies);
      add(plan.places.step, step, plan.unknowns);
    });
    return [
      copyList(register, rate, this.zeros, count),
      ...this.responses.map((_, gear) => this.tied(gear, this.motion, rate + gear)),
      this.paired([this.call("gearSolve", gearSolveKernel, { push, stiffness, coupling, factors, rate, impulse })]),
      added,
    ];
  }

  private call(
    name: string,
    make: (count: number) => KernelCall["kernel"],
    places: Record<string, number>,
  ): KernelCall {
    return {
      kernel: sweepKernel(`${name}.${this.count}`, () => make(this.count) as NonNullable<KernelCall["kernel"]>),
      addresses: new Map(Object.entries(places).map(([key, index]) => [key, address(index)])),
    };
  }

  /** total ← total + Σ ratio·rate of a gear's terms. */
  private tied(gear: number, motion: number, total: number): CallList {
    return this.paired(
      this.termsOf(gear).map((term) => {
        const port = this.portOf(term);
        return {
          kernel: sweepKernel(`tie.${port}`, () => tieKernel(port)),
          addresses: new Map([
            ["motion", address(motion + 6 * term.bodies[1])],
            ["ratio", address(term.parameters)],
            ["total", address(total)],
          ]),
        };
      }),
    );
  }

  /** The limbs of a gear's terms and those above them: upwards, its push passes no others. */
  private pushedBy(gear: number): Limb[] {
    const bodies = new Set(this.termsOf(gear).map((term) => term.bodies[1]));
    for (const { body, parent } of [...this.limbs].reverse()) if (bodies.has(body)) bodies.add(parent);
    return this.limbs.filter(({ body }) => bodies.has(body));
  }

  /** The tree under nothing but a gear's push. */
  private solveFor({ push, first, motion, step }: Response, gear: number): CallList[] {
    const { register, limbs, force } = this;
    const addresses = ({ body, parent, joint }: Limb): Map<string, number> => {
      const own = new Map(this.sweeps[body]);
      const set = (name: string, index: number): void => {
        own.set(name, address(index));
      };
      set("force", force + 6 * body);
      set("first", first + 6 * body);
      set("push", push + 6 * body);
      set("motion", motion + 6 * body);
      set("step", step + 6 * body);
      set("impulses", step + joint.multiplier);
      if (parent !== worldIndex) {
        set("forceAbove", force + 6 * parent);
        set("stepAbove", step + 6 * parent);
      }
      return own;
    };
    return [
      copyList(register, force, this.zeros, 6 * limbs.length),
      sweepList(
        register,
        this.pushedBy(gear),
        true,
        "up",
        (limb) => upSweep(constraintsOf(limb), isGrounded(limb)),
        addresses,
      ),
      sweepList(
        register,
        limbs,
        false,
        "homogeneous",
        (limb) => downSweep(constraintsOf(limb), isGrounded(limb), pushedOf(limb), true),
        addresses,
      ),
    ];
  }

  private paired(calls: readonly KernelCall[]): CallList {
    return pairedCalls(calls, this.register, this.plan.sink);
  }

  private termsOf(gear: number): PlannedNode[] {
    return this.plan.nodes.filter(({ kind, index }) => kind === "gearTerm" && index === gear);
  }

  private limbOf(body: number): Limb {
    return this.limbs.find((limb) => limb.body === body) as Limb;
  }

  /** Which of a gear's terms a node is, and so which coordinate it means. */
  private coordinateOf(term: PlannedNode): number {
    const { terms } = this.plan.mechanism.gears[term.index];
    return terms[this.termsOf(term.index).indexOf(term)].coordinate;
  }
}
