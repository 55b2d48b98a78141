/**
 * Contacts that are bound to bodies at run time. A slot's own memory (parameters, cone variables, rows, gradients of its ports) has a fixed
 * place; which bodies it ties is written into its calls. Only slots that are bound have calls, two to a call, in segments that all lists
 * share (segments.ts); loops over whole vectors go as far as the last slot in use. Binding what ties other bodies than before also rewrites
 * the elimination (arrangedTies.ts).
 */
import { frictionPlace, type Ports } from "../../equations/index.ts";
import { bodyStateSize } from "../../math/index.ts";
import { type Mechanism, type TouchPool, worldIndex } from "../../mechanism/index.ts";
import type { Cone } from "../../solver/index.ts";
import { coneBodies, gap } from "../cones/coneKernels.ts";
import { type Body, slotPrograms } from "../memory/lanes.ts";
import { address, type Register, type SizedCall } from "../memory/memory.ts";
import { nextLayout } from "../memory/placement.ts";
import { conesOf, type DataPlan, type NodePlace, type PlannedPool } from "../memory/plan.ts";
import { Segment } from "../memory/segments.ts";
import { kernelsOfTreeContact } from "../species/library.ts";
import { type Kernel, type Stage, stages } from "../species/staging.ts";
import type { ArrangedTies } from "./arrangedTies.ts";

/** A slot's normal impulse is no more than this while it is bound to nothing, and its slack is this. */
const noImpulse = 1e-60;
const anySlack = 1;

/** Slots of one kind. Those with the lowest numbers should be taken first: loops go as far as the last one in use. */
export interface SlotPool {
  readonly feature: PlannedPool["feature"];
  readonly model: PlannedPool["model"];
  readonly otherMoves: boolean;
  readonly first: number;
  readonly count: number;
}

/** Rows of a slot's ports, gap first, for its other body (if that moves) and its body: memory indices. */
export interface SlotPorts {
  readonly ports: number;
  readonly gradient: readonly [number, number];
  readonly direction: readonly [number, number];
}

export interface TouchSlots {
  readonly pools: readonly SlotPool[];
  /** Places of every slot, with the bodies that it is bound to; contacts by hand are counted first in `index`. */
  readonly nodes: readonly NodePlace[];
  /** Slots that are bound since the last `arrange`, their nodes and the nodes' cones, in ascending order. The same arrays every time. */
  readonly bound: readonly number[];
  readonly boundNodes: readonly NodePlace[];
  readonly boundCones: readonly Cone[];
  /** How often `arrange` has changed anything. */
  readonly version: number;
  /** By slot: how often it was bound, and where its friction coefficient lies. */
  readonly bindings: Int32Array;
  readonly coefficients: Int32Array;
  /** Off-diagonal blocks of the elimination, and products of blocks that a factorisation takes. */
  readonly work: { readonly blocks: number; readonly products: number };
  /** Three numbers per slot that is bound: the slot, the other body and the body. `rebind` takes them over and arranges. */
  readonly bonds: Int32Array;
  rebind(bonds: Int32Array): void;
  /** Its kind, and where its parameters begin. */
  slot(slot: number): { readonly pool: TouchPool; readonly parameters: number };
  /** Which bodies a slot ties; the caller writes its parameters. Takes effect with `arrange`. */
  bind(slot: number, other: number, body: number): void;
  release(slot: number): void;
  isBound(slot: number): boolean;
  /** Rewrites call lists and elimination for what is bound; nothing where that is what they are written for. */
  arrange(): void;
}

/** What the solver does to slots, after the stages of their kernels. */
const loopStages = ["state", "gap", "search", "searchSecond", "settle"] as const;
/** Stages by which gradients make a step linear; they bring others of their own. */
const linearStages: readonly Stage[] = ["prepare", "linearise", "weigh"];

/** What an operand's address goes by. */
export const by = { slot: 0, other: 1, body: 2, otherForce: 3, bodyForce: 4, otherBody: 5, bodyOther: 6 } as const;

/** A kernel of a pool: its programs, and where its operands are found. */
interface SlotKernel {
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

/** Where an operand is found: the address of the first, and how far apart they lie, in bytes. */
export interface Rule {
  readonly by: number;
  readonly base: number;
  readonly stride: number;
}

export class BoundSlots implements TouchSlots {
  readonly pools: readonly PlannedPool[];
  readonly segments = new Map<string, Segment>();
  readonly nodes: readonly NodePlace[];
  readonly bound: number[] = [];
  readonly boundNodes: NodePlace[] = [];
  readonly boundCones: Cone[] = [];
  version = 0;
  readonly bindings: Int32Array;
  readonly coefficients: Int32Array;

  private readonly plan: DataPlan;
  private readonly ties: ArrangedTies;
  private readonly kernels = new Map<string, readonly SlotKernel[]>();
  private readonly register: Register;
  /** By pool: where the operands of its kernels are found. */
  private readonly known: readonly Map<string, Rule>[];
  private readonly portRules: ReadonlyMap<string, Rule>[] = [];
  private readonly cones: readonly (readonly Cone[])[];
  private readonly poolOf: Int32Array;
  /** By slot; −2 where it is not bound. */
  private readonly other: Int32Array;
  private readonly body: Int32Array;
  private readonly otherBody: Int32Array;
  private readonly bodyOther: Int32Array;
  private isChanged = false;
  /** Pairs of bodies that are tied, as arranged and as found now. */
  private pairs: Int32Array;
  private arranged: Int32Array;
  private arrangedCount = 0;
  /** Bound slots of every pool: first and end in `bound`; and how far loops go. */
  private readonly poolStart: Int32Array;
  private readonly used: Int32Array;
  private words: Int32Array = new Int32Array(0);
  private f64: Float64Array = new Float64Array(0);
  private sized: { readonly at: number; readonly call: SizedCall }[] = [];

  /** `isStep`: with all that a step is solved with, or what it is made linear with alone. */
  constructor(plan: DataPlan, ties: ArrangedTies, articulated: number, isStep: boolean, register: Register) {
    this.plan = plan;
    this.register = register;
    this.ties = ties;
    this.pools = plan.pools;
    this.nodes = slotNodes(plan);
    const count = this.nodes.length;
    this.cones = this.nodes.map(conesOf);
    this.bindings = new Int32Array(count);
    this.coefficients = Int32Array.from(
      plan.pools.flatMap(({ feature, count: slots, first }) =>
        this.nodes.slice(first, first + slots).map(({ parameters }) => parameters + frictionPlace(feature)),
      ),
    );
    this.other = new Int32Array(count).fill(unbound);
    this.body = new Int32Array(count).fill(unbound);
    this.otherBody = new Int32Array(count);
    this.bodyOther = new Int32Array(count);
    this.poolOf = Int32Array.from(plan.pools.flatMap((pool, i) => new Array<number>(pool.count).fill(i)));
    this.poolStart = new Int32Array(plan.pools.length + 1);
    this.used = new Int32Array(plan.pools.length);
    this.pairs = new Int32Array(2 * count);
    this.arranged = new Int32Array(2 * count);
    const names = isStep ? [...stages, ...loopStages] : linearStages;
    const kernels = new Map(names.map((stage): [string, SlotKernel[]] => [stage, []]));
    this.known = plan.pools.map((pool) => this.rules(pool, articulated));
    plan.pools.forEach((pool, i) => {
      this.addStages(kernels, pool, i, isStep);
      if (isStep) this.addLoops(kernels, pool, i, register);
    });
    for (const [stage, list] of kernels) this.addSegment(stage, list);
  }

  /** Another stage, of kernels for two slots at a time; operands besides those of a step are found by their own rules. */
  addStage(
    stage: string,
    kernelOf: (pool: PlannedPool, index: number) => Kernel,
    rulesOf: (pool: PlannedPool, index: number) => Iterable<readonly [string, Rule]>,
  ): Segment {
    return this.addSegment(
      stage,
      this.pools.map((pool, i) =>
        this.ofKernel(kernelOf(pool, i), i, new Map([...this.known[i], ...rulesOf(pool, i)])),
      ),
    );
  }

  /** Another stage, of programs that go over panels, so many trips for each slot. */
  addPanelStage(
    stage: string,
    trips: number,
    programOf: (pool: PlannedPool, index: number) => { readonly program: number; readonly rules: readonly Rule[] },
  ): Segment {
    return this.addSegment(
      stage,
      this.pools.map((pool, i): SlotKernel => {
        const { program, rules } = programOf(pool, i);
        const none = new Int32Array(0);
        return { pool: i, pair: -1, single: program, trips, ...tables(rules), sinks: none, shared: none };
      }),
    );
  }

  private addSegment(stage: string, kernels: readonly SlotKernel[]): Segment {
    const segment = new Segment(
      `slots.${stage}`,
      kernels.reduce((sum, kernel) => sum + this.room(kernel), 0),
    );
    this.kernels.set(stage, kernels);
    this.segments.set(stage, segment);
    return segment;
  }

  /** Once memory is there. `sized`: loops over the entries of slots, by the word at which their call begins. */
  load(words: Int32Array, f64: Float64Array, sized: { readonly at: number; readonly call: SizedCall }[]): void {
    this.words = words;
    this.f64 = f64;
    this.sized = sized;
    for (let slot = 0; slot < this.nodes.length; slot++) this.leave(slot);
    this.write();
  }

  bind(slot: number, other: number, body: number): void {
    const pool = this.pools[this.poolOf[slot]];
    if (!pool) throw new RangeError(`there is no slot ${slot}`);
    if (body < 0 || body >= this.plan.bodies.length || other >= 0 !== pool.otherMoves || other === body)
      throw new RangeError(`slot ${slot} of ${pool.feature} cannot tie bodies ${other} and ${body}`);
    this.bindings[slot]++;
    if (this.other[slot] === other && this.body[slot] === body) return;
    this.other[slot] = other;
    this.body[slot] = body;
    const bodies = this.nodes[slot].bodies as number[];
    bodies[0] = other;
    bodies[1] = body;
    this.isChanged = true;
  }

  release(slot: number): void {
    if (this.body[slot] === unbound) return;
    this.other[slot] = this.body[slot] = unbound;
    this.leave(slot);
    this.isChanged = true;
  }

  isBound(slot: number): boolean {
    return this.body[slot] !== unbound;
  }

  slot(slot: number): { readonly pool: TouchPool; readonly parameters: number } {
    return { pool: this.pools[this.poolOf[slot]], parameters: this.nodes[slot].parameters };
  }

  get bonds(): Int32Array {
    return Int32Array.from(this.bound.flatMap((slot) => [slot, this.other[slot], this.body[slot]]));
  }

  rebind(bonds: Int32Array): void {
    const isNamed = new Uint8Array(this.nodes.length);
    for (let k = 0; k < bonds.length; k += 3) isNamed[bonds[k]] = 1;
    for (const slot of this.bound) if (isNamed[slot] === 0) this.release(slot);
    for (let k = 0; k < bonds.length; k += 3) this.bind(bonds[k], bonds[k + 1], bonds[k + 2]);
    this.arrange();
  }

  portsOf(slot: number): SlotPorts {
    const pool = this.poolOf[slot];
    const { first, kernels } = this.pools[pool];
    const at = (name: string): number => {
      const rule = this.portRules[pool].get(name);
      return rule ? (rule.base + rule.stride * (slot - first)) / 8 : 0;
    };
    return {
      ports: (kernels.node.ports as Ports).values.length,
      gradient: [at("gradient.0"), at("gradient.1")],
      direction: [at("direction.0"), at("direction.1")],
    };
  }

  get work(): { readonly blocks: number; readonly products: number } {
    return { blocks: this.ties.fill, products: this.ties.products };
  }

  arrange(): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    this.version++;
    this.collect();
    if (this.pairsChanged()) this.ties.arrange(this.arranged, this.arrangedCount);
    this.write();
  }

  /** Which slots are bound, by pool, and the pairs of bodies that they tie. */
  private collect(): void {
    const { pools, bound, boundNodes, boundCones, nodes, cones, body, used, poolStart } = this;
    bound.length = boundNodes.length = boundCones.length = 0;
    for (let p = 0; p < pools.length; p++) {
      const { first, count } = pools[p];
      poolStart[p] = bound.length;
      let end = 0;
      for (let slot = first; slot < first + count; slot++) {
        if (body[slot] === unbound) continue;
        end = slot + 1 - first;
        bound.push(slot);
        boundNodes.push(nodes[slot]);
        for (let k = 0; k < cones[slot].length; k++) boundCones.push(cones[slot][k]);
      }
      used[p] = end;
    }
    poolStart[pools.length] = bound.length;
  }

  /** Whether other pairs are tied than the elimination is written for; then those are taken. */
  private pairsChanged(): boolean {
    const { bound, other, body, pairs } = this;
    let count = 0;
    for (let k = 0; k < bound.length; k++) {
      const slot = bound[k];
      if (other[slot] < 0) continue;
      const smaller = Math.min(other[slot], body[slot]);
      const larger = Math.max(other[slot], body[slot]);
      // slots of a pair often follow each other
      if (count > 0 && pairs[2 * count - 2] === smaller && pairs[2 * count - 1] === larger) continue;
      pairs[2 * count] = smaller;
      pairs[2 * count + 1] = larger;
      count++;
    }
    let isSame = count === this.arrangedCount;
    for (let k = 0; k < 2 * count && isSame; k++) isSame = pairs[k] === this.arranged[k];
    if (isSame) return false;
    this.pairs = this.arranged;
    this.arranged = pairs;
    this.arrangedCount = count;
    return true;
  }

  private write(): void {
    const { bound, other, body, otherBody, bodyOther, ties, poolStart, used, words } = this;
    for (let k = 0; k < bound.length; k++) {
      const slot = bound[k];
      if (other[slot] < 0) continue;
      otherBody[slot] = ties.blockBetween(other[slot], body[slot]);
      bodyOther[slot] = ties.blockBetween(body[slot], other[slot]);
    }
    for (const [stage, kernels] of this.kernels) {
      const segment = this.segments.get(stage) as Segment;
      segment.begin();
      for (const kernel of kernels) {
        const end = poolStart[kernel.pool + 1];
        const each = kernel.pair < 0 ? 1 : 2;
        for (let k = poolStart[kernel.pool]; k < end; k += each)
          this.writeCall(segment, kernel, bound[k], each === 2 && k + 1 < end ? bound[k + 1] : -1);
      }
      segment.finish();
    }
    for (const { at, call } of this.sized) words[at + 2] = Math.ceil((used[call.pool] * call.entries) / call.width);
  }

  private writeCall(segment: Segment, kernel: SlotKernel, first: number, second: number): void {
    const { words } = this;
    const { shared, sinks, single } = kernel;
    const width = kernel.by.length;
    const isSingle = second < 0 && single >= 0;
    let at = segment.call(isSingle ? single : kernel.pair, (isSingle ? width : 2 * width) + shared.length);
    words[at - 1] = kernel.trips;
    for (let o = 0; o < width; o++) {
      const own = this.addressOf(kernel, o, first);
      words[at++] = own;
      if (isSingle) continue;
      words[at++] = second >= 0 ? this.addressOf(kernel, o, second) : sinks[o] >= 0 ? sinks[o] : own;
    }
    for (let o = 0; o < shared.length; o++) words[at++] = shared[o];
  }

  private addressOf(kernel: SlotKernel, operand: number, slot: number): number {
    const base = kernel.base[operand];
    const stride = kernel.stride[operand];
    switch (kernel.by[operand]) {
      case by.slot:
        return base + stride * (slot - this.pools[kernel.pool].first);
      case by.other:
        return base + stride * this.other[slot];
      case by.body:
        return base + stride * this.body[slot];
      case by.otherForce:
        return this.ties.forces[this.other[slot]];
      case by.bodyForce:
        return this.ties.forces[this.body[slot]];
      case by.otherBody:
        return this.otherBody[slot];
      default:
        return this.bodyOther[slot];
    }
  }

  /** Nothing acts, and no loop over whole vectors notices. */
  private leave(slot: number): void {
    const { f64 } = this;
    const { places, unknowns } = this.plan;
    const { cone, equality, equalities } = this.nodes[slot];
    const { coneSize } = this.pools[this.poolOf[slot]].kernels;
    for (let k = cone; k < cone + coneSize; k++) {
      f64[places.coneB + k] = f64[places.coneC + k] = f64[places.stepB + k] = f64[places.stepC + k] = 0;
    }
    for (const { offset } of this.cones[slot]) {
      f64[places.coneB + offset] = noImpulse;
      f64[places.coneC + offset] = anySlack;
    }
    const row = places.residual + unknowns + equality;
    for (let k = row; k < row + equalities; k++) f64[k] = 0;
  }

  /** Words for all slots of a pool. */
  private room({ pool, pair, by: operands, shared }: SlotKernel): number {
    const { count } = this.pools[pool];
    if (pair < 0) return count * (3 + operands.length);
    return Math.ceil(count / 2) * (3 + 2 * operands.length + shared.length);
  }

  /** The node's kernels. */
  private addStages(
    kernels: ReadonlyMap<string, SlotKernel[]>,
    pool: PlannedPool,
    index: number,
    isStep: boolean,
  ): void {
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
    this.portRules[index] = new Map(own);
    for (const set of isStep ? (["residual", "geometry", "law"] as const) : (["geometry", "law"] as const)) {
      reserve("scratch", sets[set].scratchSize);
      for (const stage of isStep ? stages : linearStages) {
        const kernel = sets[set].kernels[stage];
        if (kernel) kernels.get(stage)?.push(this.ofKernel(kernel, index, own));
      }
    }
  }

  private ofKernel(kernel: Kernel, pool: number, rules: ReadonlyMap<string, Rule>): SlotKernel {
    const found = kernel.operands.map((operand) => {
      const rule = rules.get(operand);
      if (!rule) throw new RangeError(`slots have no ${operand}`);
      return rule;
    });
    return {
      pool,
      pair: this.register(kernel.program.name, () => kernel.program),
      single: -1,
      trips: 1,
      ...tables(found),
      sinks: Int32Array.from(kernel.operands, (operand) => (kernel.written.has(operand) ? this.plan.sink : -1)),
      shared: new Int32Array(0),
    };
  }

  /** What the solver does to the cones of a slot. */
  private addLoops(
    kernels: ReadonlyMap<string, SlotKernel[]>,
    pool: PlannedPool,
    index: number,
    register: Register,
  ): void {
    const { places, solver, unknowns } = this.plan;
    const shared = Int32Array.from([solver.totals, solver.given], address);
    const size = pool.kernels.coneSize;
    const add = (stage: string, name: string, body: Body, starts: readonly (readonly [number, number])[]): void => {
      const rules = starts.map(([start, step]): Rule => ({ by: by.slot, base: address(start), stride: address(step) }));
      const programs = slotPrograms(register, name, body, starts.length);
      const sinks = new Int32Array(starts.length).fill(-1);
      kernels.get(stage)?.push({ pool: index, ...programs, trips: 1, ...tables(rules), sinks, shared });
    };
    for (const { size: entries, offset } of conesOf(pool)) {
      const on = (starts: readonly number[]) => starts.map((start) => [start + offset, size] as const);
      const state = [places.coneB, places.coneC, solver.unit, solver.scale, solver.product];
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

  private rules(pool: PlannedPool, articulated: number): Map<string, Rule> {
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
      set(`articulated.${k}`, how, articulated, 36);
    }
    set("force.0", by.otherForce, 0, 0);
    set("force.1", by.bodyForce, 0, 0);
    set("block.0.1", by.otherBody, 0, 0);
    set("block.1.0", by.bodyOther, 0, 0);
    return rules;
  }
}

const unbound = -2;

function tables(rules: readonly Rule[]): Pick<SlotKernel, "by" | "base" | "stride"> {
  return {
    by: Uint8Array.from(rules, (rule) => rule.by),
    base: Int32Array.from(rules, ({ base }) => base),
    stride: Int32Array.from(rules, ({ stride }) => stride),
  };
}

function slotNodes({ pools, mechanism }: { pools: readonly PlannedPool[]; mechanism: Mechanism }): NodePlace[] {
  return pools.flatMap((pool) =>
    Array.from({ length: pool.count }, (_, i): NodePlace => {
      const { coneSize, equalities } = pool.kernels;
      return {
        kind: "contact",
        index: mechanism.contacts.length + pool.first + i,
        bodies: [worldIndex, worldIndex],
        multiplier: 0,
        multipliers: 0,
        cone: pool.cone + coneSize * i,
        roles: pool.roles,
        equality: pool.equality + equalities * i,
        equalities,
        observations: pool.observations + pool.observationSize * i,
        wrench: 0,
        parameters: pool.parameters + pool.parameterSize * i,
      };
    }),
  );
}
