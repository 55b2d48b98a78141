/**
 * The kernels of contacts that are bound to bodies at run time (boundSlots.ts): their programs, and the rules by which their operands are
 * found once it is known which bodies a slot ties.
 */
import { basisLayout, type Ports } from "../../equations/index.ts";
import { bodyStateSize } from "../../math/index.ts";
import { coneBodies, gap } from "../cones/coneKernels.ts";
import { type Body, slotPrograms } from "../memory/lanes.ts";
import { address, type Register } from "../memory/memory.ts";
import { nextLayout } from "../memory/placement.ts";
import { conesOf, type DataPlan, type PlannedPool } from "../memory/plan.ts";
import { kernelsOfTreeContact } from "../species/library.ts";
import { type Kernel, type Stage, stages } from "../species/staging.ts";

/** What the solver does to slots, after the stages of their kernels. */
const loopStages = ["state", "gap", "search", "searchSecond", "settle"] as const;
/** Stages by which gradients make a step linear; they bring others of their own. */
const linearStages: readonly Stage[] = ["prepare", "linearise", "weigh"];

/** What an operand's address goes by. */
export const by = { slot: 0, other: 1, body: 2, otherForce: 3, bodyForce: 4, otherBody: 5, bodyOther: 6 } as const;

/** A kernel of a pool: its programs, and where its operands are found. */
export interface SlotKernel {
  readonly pool: number;
  /** −1 where every slot has a call of its own. */
  readonly pair: number;
  /** −1 where the odd one out is a pair with itself. */
  readonly single: number;
  readonly trips: number;
  readonly by: Uint8Array;
  readonly base: Int32Array;
  readonly stride: Int32Array;
  /** Where the second lane of an odd one goes; −1 where it reads. */
  readonly sinks: Int32Array;
  readonly shared: Int32Array;
}

/** Memory indices of what bodies have one after another. */
export interface SlotArrays {
  readonly articulated: number;
  readonly twist: number;
  readonly basis: number;
}

/** Where an operand is found: the address of the first, and how far apart they lie, in bytes. */
export interface Rule {
  readonly by: number;
  readonly base: number;
  readonly stride: number;
}

export class SlotKernels {
  readonly byStage: ReadonlyMap<string, SlotKernel[]>;
  private readonly plan: DataPlan;
  private readonly register: Register;
  /** Where the operands of each pool's kernels are found, and those of its ports. */
  private readonly known: readonly ReadonlyMap<string, Rule>[];
  private readonly ports: ReadonlyMap<string, Rule>[] = [];

  /** `isStep`: with all that a step is solved with, or what it is made linear with alone. */
  constructor(plan: DataPlan, arrays: SlotArrays, isStep: boolean, register: Register) {
    this.plan = plan;
    this.register = register;
    const names = isStep ? [...stages, ...loopStages] : linearStages;
    this.byStage = new Map(names.map((stage): [string, SlotKernel[]] => [stage, []]));
    this.known = plan.pools.map((pool) => this.rules(pool, arrays));
    plan.pools.forEach((pool, i) => {
      this.addStages(pool, i, isStep);
      if (isStep) this.addLoops(pool, i);
    });
  }

  /** Memory index of a slot's rows of this name; 0 where it has none. */
  rowsOf(name: string, pool: number, slot: number): number {
    const rule = this.ports[pool].get(name);
    return rule ? (rule.base + rule.stride * slot) / 8 : 0;
  }

  /** The node's kernels. */
  private addStages(pool: PlannedPool, index: number, isStep: boolean): void {
    const { memory } = this.plan;
    const sets = kernelsOfTreeContact(pool.kernels);
    const rows = (pool.kernels.node.ports as Ports).values.length;
    const moving = pool.otherMoves ? [0, 1] : [1];
    const own = new Map<string, Rule>(this.known[index]);
    const reserve = (name: string, size: number): void => {
      const even = size + (size & 1);
      own.set(name, { by: by.slot, base: address(memory.reserve(pool.count * even)), stride: address(even) });
    };
    for (const k of moving) for (const name of ["direction", "gradient"]) reserve(`${name}.${k}`, 6 * rows);
    this.ports[index] = new Map(own);
    for (const set of isStep ? (["residual", "geometry", "law"] as const) : (["geometry", "law"] as const)) {
      reserve("scratch", sets[set].scratchSize);
      for (const stage of isStep ? stages : linearStages) {
        const kernel = sets[set].kernels[stage];
        if (kernel) this.byStage.get(stage)?.push(this.ofKernel(kernel, index, own));
      }
    }
  }

  /** Calls of a kernel for two slots at a time; `rules` are those of its operands besides the ones that all stages know. */
  ofKernel(kernel: Kernel, pool: number, rules: Iterable<readonly [string, Rule]>): SlotKernel {
    const known = new Map([...this.known[pool], ...rules]);
    const found = kernel.operands.map((operand) => {
      const rule = known.get(operand);
      if (!rule) throw new RangeError(`slots have no ${operand}`);
      return rule;
    });
    return {
      pool,
      pair: this.register(kernel.name, () => kernel.program),
      single: -1,
      trips: 1,
      ...tables(found),
      sinks: Int32Array.from(kernel.operands, (operand) => (kernel.written.has(operand) ? this.plan.sink : -1)),
      shared: new Int32Array(0),
    };
  }

  /** What the solver does to the cones of a slot. */
  private addLoops(pool: PlannedPool, index: number): void {
    const { places, solver, unknowns } = this.plan;
    const shared = Int32Array.from([solver.totals, solver.given], address);
    const size = pool.kernels.coneSize;
    const add = (stage: string, name: string, body: Body, starts: readonly (readonly [number, number])[]): void => {
      const rules = starts.map(([start, step]): Rule => ({ by: by.slot, base: address(start), stride: address(step) }));
      const programs = slotPrograms(this.register, name, body, starts.length);
      const sinks = new Int32Array(starts.length).fill(-1);
      this.byStage.get(stage)?.push({ pool: index, ...programs, trips: 1, ...tables(rules), sinks, shared });
    };
    for (const { size: entries, offset } of conesOf(pool)) {
      const on = (starts: readonly number[]) => starts.map((start) => [start + offset, size] as const);
      const state = [places.coneB, places.coneC, solver.unit, solver.scale, solver.product, solver.eigenvalue];
      const search = [places.coneB, places.coneC, places.stepB, places.stepC, solver.scale];
      const bodies = coneBodies(entries);
      add("state", `${bodies.name}.state`, bodies.state, on(state));
      add("search", `${bodies.name}.search`, bodies.search(false), on(search));
      add("searchSecond", `${bodies.name}.searchSecond`, bodies.search(true), on([...search, solver.second]));
      const moved = [places.coneB, places.coneC, places.stepB, places.stepC, solver.beta, solver.gamma];
      if (entries <= 3) add("settle", `${bodies.name}.settle`, bodies.settle, on(moved));
    }
    add("gap", "rows.gap", gap, [
      [places.residual + unknowns + pool.equality, pool.kernels.equalities],
      [places.coneC + pool.cone, size],
    ]);
  }

  private rules(pool: PlannedPool, arrays: SlotArrays): Map<string, Rule> {
    const { places, unknowns } = this.plan;
    const size = pool.kernels.coneSize;
    const rules = new Map<string, Rule>();
    const set = (name: string, how: number, base: number, stride: number): void => {
      rules.set(name, { by: how, base: address(base), stride: address(stride) });
    };
    set("globals", by.slot, places.globals, 0);
    set("parameters.0", by.slot, pool.parameters, pool.parameterSize);
    set("observations", by.slot, pool.observations, pool.observationSize);
    for (const name of ["coneB", "coneC", "coneRhs", "stepB", "stepC"] as const)
      set(name, by.slot, places[name] + pool.cone, size);
    set("coneResidual", by.slot, places.residual + unknowns + pool.equality, pool.kernels.equalities);
    for (const [k, how] of [by.other, by.body].entries()) {
      set(`state.${k}`, how, places.state, bodyStateSize);
      set(`next.${k}`, how, places.next, nextLayout.size);
      for (const name of ["unknown", "residual", "step"] as const) set(`${name}.${k}`, how, places[name], 6);
      set(`articulated.${k}`, how, arrays.articulated, 36);
      set(`twist.${k}`, how, arrays.twist, 6);
      set(`basis.${k}`, how, arrays.basis, basisLayout.size);
    }
    set("force.0", by.otherForce, 0, 0);
    set("force.1", by.bodyForce, 0, 0);
    set("block.0.1", by.otherBody, 0, 0);
    set("block.1.0", by.bodyOther, 0, 0);
    return rules;
  }
}

/** One program for each slot, over so many trips. */
export function panelKernel(pool: number, program: number, trips: number, rules: readonly Rule[]): SlotKernel {
  const none = new Int32Array(0);
  return { pool, pair: -1, single: program, trips, ...tables(rules), sinks: none, shared: none };
}

/** Words for the calls of so many slots. */
export function wordsFor(count: number, { pair, by: operands, shared }: SlotKernel): number {
  if (pair < 0) return count * (3 + operands.length);
  return Math.ceil(count / 2) * (3 + 2 * operands.length + shared.length);
}

function tables(rules: readonly Rule[]): Pick<SlotKernel, "by" | "base" | "stride"> {
  return {
    by: Uint8Array.from(rules, (rule) => rule.by),
    base: Int32Array.from(rules, ({ base }) => base),
    stride: Int32Array.from(rules, ({ stride }) => stride),
  };
}
