/**
 * Contacts that are bound to bodies at run time. A slot's own memory (parameters, cone variables, rows, gradients of its ports) has a fixed
 * place; which bodies it ties is written into its calls. Only slots that are bound have calls, two to a call, in segments that all lists
 * share (segments.ts); loops over whole vectors go as far as the last slot in use. Binding what ties other bodies than before also rewrites
 * the elimination (arrangedTies.ts).
 */
import { frictionPlace, type Ports } from "../../equations/index.ts";
import { type Mechanism, type TouchPool, worldIndex } from "../../mechanism/index.ts";
import type { Cone } from "../../solver/index.ts";
import type { Register, SizedCall } from "../memory/memory.ts";
import { conesOf, type DataPlan, type NodePlace, type PlannedPool } from "../memory/plan.ts";
import { Segment } from "../memory/segments.ts";
import type { Kernel } from "../species/staging.ts";
import type { ArrangedTies } from "./arrangedTies.ts";
import { by, panelKernel, type Rule, type SlotArrays, type SlotKernel, SlotKernels, wordsFor } from "./slotKernels.ts";

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
  /** Where each slot's friction coefficient lies. */
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

export class BoundSlots implements TouchSlots {
  readonly pools: readonly PlannedPool[];
  readonly segments = new Map<string, Segment>();
  readonly nodes: readonly NodePlace[];
  readonly bound: number[] = [];
  readonly boundNodes: NodePlace[] = [];
  readonly boundCones: Cone[] = [];
  version = 0;
  readonly coefficients: Int32Array;

  private readonly plan: DataPlan;
  private readonly ties: ArrangedTies;
  private readonly slotKernels: SlotKernels;
  private readonly kernels = new Map<string, readonly SlotKernel[]>();
  private readonly cones: readonly (readonly Cone[])[];
  private readonly poolOf: Int32Array;
  /** The other body of each slot; −2 where it is not bound. */
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
  /** Loops over the entries of each pool's slots, and for how many slots in use they are written. */
  private sized: (readonly { readonly at: number; readonly call: SizedCall }[])[] = [];
  private readonly sizedFor: Int32Array;

  /** `isStep`: with all that a step is solved with, or what it is made linear with alone. */
  constructor(plan: DataPlan, ties: ArrangedTies, arrays: SlotArrays, isStep: boolean, register: Register) {
    this.plan = plan;
    this.ties = ties;
    this.pools = plan.pools;
    this.nodes = slotNodes(plan);
    const count = this.nodes.length;
    this.cones = this.nodes.map(conesOf);
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
    this.sizedFor = new Int32Array(plan.pools.length).fill(-1);
    this.pairs = new Int32Array(2 * count);
    this.arranged = new Int32Array(2 * count);
    this.slotKernels = new SlotKernels(plan, arrays, isStep, register);
    for (const [stage, list] of this.slotKernels.byStage) this.addSegment(stage, list);
  }

  /** Another stage, of kernels for two slots at a time; operands besides those of a step are found by their own rules. */
  addStage(
    stage: string,
    kernelOf: (pool: PlannedPool, index: number) => Kernel,
    rulesOf: (pool: PlannedPool, index: number) => Iterable<readonly [string, Rule]>,
  ): Segment {
    return this.addSegment(
      stage,
      this.pools.map((pool, i) => this.slotKernels.ofKernel(kernelOf(pool, i), i, rulesOf(pool, i))),
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
      this.pools.map((pool, i) => {
        const { program, rules } = programOf(pool, i);
        return panelKernel(i, program, trips, rules);
      }),
    );
  }

  private addSegment(stage: string, kernels: readonly SlotKernel[]): Segment {
    const room = kernels.reduce((sum, kernel) => sum + wordsFor(this.pools[kernel.pool].count, kernel), 0);
    const segment = new Segment(`slots.${stage}`, room);
    this.kernels.set(stage, kernels);
    this.segments.set(stage, segment);
    return segment;
  }

  /** Once memory is there. `sized`: loops over the entries of slots, by the word at which their call begins. */
  load(words: Int32Array, f64: Float64Array, sized: { readonly at: number; readonly call: SizedCall }[]): void {
    this.words = words;
    this.f64 = f64;
    this.sized = this.pools.map((_, p) => sized.filter(({ call }) => call.pool === p));
    this.sizedFor.fill(-1);
    for (let slot = 0; slot < this.nodes.length; slot++) this.leave(slot);
    this.write();
  }

  bind(slot: number, other: number, body: number): void {
    const pool = this.pools[this.poolOf[slot]];
    if (!pool) throw new RangeError(`there is no slot ${slot}`);
    if (body < 0 || body >= this.plan.bodies.length || other >= 0 !== pool.otherMoves || other === body)
      throw new RangeError(`slot ${slot} of ${pool.feature} cannot tie bodies ${other} and ${body}`);
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
    const at = (name: string): number => this.slotKernels.rowsOf(name, pool, slot - first);
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
    this.version++;
    this.collect();
    if (this.pairsChanged()) {
      const count = this.arrangedCount;
      // nothing is arranged, should there be no room
      this.arrangedCount = -1;
      this.ties.arrange(this.arranged, count);
      this.arrangedCount = count;
    }
    this.write();
    this.isChanged = false;
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
    for (let p = 0; p < used.length; p++) {
      if (used[p] === this.sizedFor[p]) continue;
      this.sizedFor[p] = used[p];
      for (const { at, call } of this.sized[p]) words[at + 2] = Math.ceil((used[p] * call.entries) / call.width);
    }
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
        return this.ties.force[this.other[slot]];
      case by.bodyForce:
        return this.ties.force[this.body[slot]];
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
}

const unbound = -2;

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
