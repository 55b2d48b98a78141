/**
 * How contacts that are bound at run time (boundSlots.ts) answer to impulses: their ports' rows over the coordinates of all joints, as
 * portResponses.ts has them. A contact of two bodies sees and pushes both: its rows are the sum of two ways to the root, which go on as one
 * from the nearest body above both,
 *   r ← r₀ + r₁,   f ← f₀ + f₁   there.
 * The matrix without cones is that of the tree, whatever is bound: so are its factors.
 *
 * There are so many *lanes*, each with rows and numbers of its own; the contact bound first has the first. Calls are written into
 * segments when others are bound; two contacts of the same bodies share those of their rows:
 *   responses     rows, then what the sweeps need besides, and whether the contact can be in them
 *   push, place   after the sweeps (slotStarts.ts)
 */
import { headerWords } from "../../codegen/index.ts";
import type { BoundSlots, SlotPorts } from "../elimination/boundSlots.ts";
import { isGrounded, type Limb } from "../elimination/treeLimbs.ts";
import { address, type Register } from "../memory/memory.ts";
import type { Addresses } from "../memory/pairedCalls.ts";
import type { DataPlan } from "../memory/plan.ts";
import { Segment } from "../memory/segments.ts";
import type { Kernel } from "../species/staging.ts";
import { portNumbers } from "./portVisits.ts";
import { type LanePlaces, SlotStarts, wordsPerContact } from "./slotStarts.ts";

/** Contacts whose answers are known at most. */
const lanes = 48;
/** More than the operands of any call. */
const mostOperands = 20;

/** Operands that change from call to call, by their negative numbers. */
const codes = {
  rows: -1,
  forces: -2,
  rowsAbove: -3,
  forcesAbove: -4,
  rowsBeside: -5,
  forcesBeside: -6,
  rates: -7,
} as const;
/** Codes of the answers of three ports, rates first. */
const answers = codes.rates - 3;

/** A limb's call for one port or three, going on alone or joined with the rows of another limb. */
interface Template {
  readonly program: number;
  readonly operands: Int32Array;
  /** Where the second lane of an odd one goes; −1 where it reads. */
  readonly sinks: Int32Array;
}

/** What the planner of responses (portResponses.ts) knows. */
export interface ResponseTools {
  readonly data: DataPlan;
  readonly limbs: readonly Limb[];
  readonly size: number;
  readonly register: Register;
  /** Addresses of a limb's operands that are always the same. */
  readonly known: (limb: Limb) => Addresses;
  readonly start: (limb: Limb) => number;
  readonly kernel: (limb: Limb, ports: 1 | 3, joins: boolean) => Kernel;
  /** Memory index where impulses on a body are added. */
  readonly force: (body: number) => number;
  /** Memory index of the first body's twist. */
  readonly twists: number;
  /** Adds the visits of ports with these rows to the lists; returns where their numbers are. */
  readonly visits: (ports: 1 | 3, rates: number, answers: number) => number;
}

interface LimbTemplates {
  readonly parent: number;
  readonly depth: number;
  /** Where the limb's coordinates start in a row, in bytes. */
  readonly start: number;
  /** Calls by 1 or 3 ports, then alone or joined. */
  readonly calls: readonly (readonly (Template | undefined)[])[];
}

export class SlotResponses {
  /** Segments by the names of their lists. */
  readonly segments: ReadonlyMap<string, Segment>;
  /** Bound contacts that answers are known of; false where there are more. */
  isComplete = true;
  /** Memory indices of the numbers of one port and of three, by lane. */
  readonly numbers: readonly (readonly [number, number])[];
  /** Where impulses on each body are added; and memory index of the first body's twist. */
  readonly force: Int32Array;
  readonly twists: number;
  readonly bound: BoundSlots;
  /** Contacts by their slot. */
  readonly contacts: readonly SlotPorts[];
  private readonly limbs: (LimbTemplates | undefined)[] = [];
  private readonly segment: Segment;
  private readonly pushing: Segment;
  private readonly placing: Segment;
  private readonly starts: SlotStarts;
  /** Coordinates of a row. */
  readonly stride: number;
  /** Memory indices of the rows of all lanes, rates and answers of one after another; and by lane and body, of rows on their way up. */
  private readonly rows: number;
  private readonly work: number;
  private readonly bodies: number;
  /** Operands of a call that change, of both contacts that share it. */
  private readonly filled = [new Int32Array(16), new Int32Array(16)] as const;
  private readonly place: { -readonly [name in keyof LanePlaces]: number } = { numbers: 0, rates: 0, answers: 0 };
  private words: Int32Array = new Int32Array(0);
  private f64: Float64Array = new Float64Array(0);
  private version = -1;

  constructor(bound: BoundSlots, tools: ResponseTools) {
    const { data, size, visits, force } = tools;
    this.bound = bound;
    this.stride = size;
    this.bodies = data.bodies.length;
    this.rows = data.memory.reserve(lanes * 6 * size);
    this.work = data.memory.reserve(2 * this.bodies * 36);
    this.numbers = Array.from({ length: lanes }, (_, lane) => {
      const [rates, answered] = [this.rows + 6 * size * lane, this.rows + 6 * size * lane + 3 * size];
      return [visits(1, rates, answered), visits(3, rates, answered)] as const;
    });
    this.contacts = bound.nodes.map((_, slot) => bound.portsOf(slot));
    this.force = Int32Array.from(data.bodies, (_, body) => force(body));
    this.twists = tools.twists;
    this.starts = new SlotStarts(data, bound, size, this.twists, this.force, tools.register);
    for (const limb of tools.limbs) this.addLimb(limb, tools);
    const deepest = Math.max(...this.limbs.map((limb) => limb?.depth ?? 0));
    const ofRows = 2 * deepest * (headerWords + 2 * mostOperands);
    this.segment = new Segment("slots.responses", lanes * (ofRows + wordsPerContact));
    this.pushing = new Segment("slots.push", lanes * wordsPerContact);
    this.placing = new Segment("slots.place", lanes * wordsPerContact);
    this.segments = new Map([this.segment, this.pushing, this.placing].map((segment) => [segment.name, segment]));
  }

  private addLimb(limb: Limb, { data, known, start, kernel, register }: ResponseTools): void {
    const fixed = known(limb);
    const template = (ports: 1 | 3, joins: boolean): Template => {
      const own = kernel(limb, ports, joins);
      const { operands, written } = own;
      return {
        program: register(own.name, () => own.program),
        operands: Int32Array.from(operands, (operand) => codeOf(operand) ?? (fixed.get(operand) as number)),
        sinks: Int32Array.from(operands, (operand) => (written.has(operand) ? data.sink : -1)),
      };
    };
    const joined = (ports: 1 | 3): Template | undefined => (isGrounded(limb) ? undefined : template(ports, true));
    this.limbs[limb.body] = {
      parent: limb.parent,
      depth: 1 + (this.limbs[limb.parent]?.depth ?? 0),
      start: address(start(limb)),
      calls: ([1, 3] as const).map((ports) => [template(ports, false), joined(ports)]),
    };
  }

  /** Once memory is there. */
  load(words: Int32Array, f64: Float64Array): void {
    this.words = words;
    this.f64 = f64;
    this.starts.load(words);
    for (const each of this.numbers) for (const numbers of each) f64[numbers + portNumbers.sign] = 1;
  }

  /** Writes the calls of what is bound, if others were bound before. */
  arrange(): void {
    const { bound, segment, pushing, placing, stride, rows } = this;
    if (this.version === bound.version) return;
    this.version = bound.version;
    const count = bound.bound.length;
    this.isComplete = count <= lanes;
    segment.begin();
    pushing.begin();
    placing.begin();
    if (this.isComplete) {
      this.f64.fill(0, rows, rows + 6 * stride * count);
      for (let lane = 0; lane < count; ) {
        const isPair = lane + 1 < count && this.isAlike(bound.bound[lane], bound.bound[lane + 1]);
        this.writeContact(lane, isPair);
        lane += isPair ? 2 : 1;
      }
      for (let lane = 0; lane < count; lane++) this.writeStart(lane);
    }
    segment.finish();
    pushing.finish();
    placing.finish();
  }

  /** Where the numbers of the contact in a lane are. */
  numbersOf(lane: number): number {
    const { ports } = this.contacts[this.bound.bound[lane]];
    return this.numbers[lane][ports === 1 ? 0 : 1];
  }

  /** The same with its rows: the same object every time. */
  placesOf(lane: number): LanePlaces {
    const { place, stride } = this;
    place.numbers = this.numbersOf(lane);
    place.rates = this.rows + 6 * stride * lane;
    place.answers = place.rates + 3 * stride;
    return place;
  }

  private writeStart(lane: number): void {
    const { starts } = this;
    const slot = this.bound.bound[lane];
    const contact = this.contacts[slot];
    const place = this.placesOf(lane);
    starts.gather(this.segment, slot, contact, place);
    starts.push(this.pushing, slot, contact, place);
    starts.place(this.placing, slot, contact, place);
  }

  private isAlike(slot: number, next: number): boolean {
    const { nodes } = this.bound;
    const [a, b] = [nodes[slot].bodies, nodes[next].bodies];
    return a[0] === b[0] && a[1] === b[1] && this.contacts[slot].ports === this.contacts[next].ports;
  }

  /** The calls of one contact, or of two. */
  private writeContact(lane: number, isPair: boolean): void {
    const { bound, limbs, filled } = this;
    const slot = bound.bound[lane];
    const { bodies } = bound.nodes[slot];
    const kind = this.contacts[slot].ports === 1 ? 0 : 1;
    this.fillRows(filled[0], lane);
    if (isPair) this.fillRows(filled[1], lane + 1);
    const isAlone = bodies[0] < 0;
    const above = isAlone ? -1 : this.nearestAbove(bodies[0], bodies[1]);
    // one side goes up to where both meet; of two, one of which hangs on the other, the lower one goes last
    const last = bodies[1] === above ? 0 : 1;
    if (!isAlone) {
      this.begin(lane, isPair, 1 - last);
      for (let at = bodies[1 - last]; at !== above; ) at = this.call(at, kind, false, isPair);
      for (const values of filled) {
        values[-codes.rowsBeside] = values[-codes.rows];
        values[-codes.forcesBeside] = values[-codes.forces];
      }
    }
    // the other one takes it along from there
    this.begin(lane, isPair, last);
    for (let at = bodies[last]; at >= 0; ) {
      const joins = above >= 0 && (limbs[at] as LimbTemplates).parent === above;
      at = this.call(at, kind, joins, isPair);
    }
  }

  /** The rows of a side begin with the gradients and directions of the contact itself. */
  private begin(lane: number, isPair: boolean, side: number): void {
    for (let k = 0; k < (isPair ? 2 : 1); k++) {
      const { gradient, direction } = this.contacts[this.bound.bound[lane + k]];
      this.filled[k][-codes.rows] = address(gradient[side]);
      this.filled[k][-codes.forces] = address(direction[side]);
    }
  }

  private fillRows(filled: Int32Array, lane: number): void {
    const { rows, stride } = this;
    for (let port = 0; port < 3; port++) {
      filled[-codes.rates + port] = address(rows + stride * (6 * lane + port));
      filled[-answers + port] = address(rows + stride * (6 * lane + 3 + port));
    }
  }

  /** One limb's call; returns the body above. What goes on is where the next begins. */
  private call(body: number, kind: number, joins: boolean, isPair: boolean): number {
    const { segment, words } = this;
    const [filled, filledSecond] = this.filled;
    const { calls, parent, start } = this.limbs[body] as LimbTemplates;
    const { program, operands, sinks } = calls[kind][joins ? 1 : 0] as Template;
    for (let k = 0; k < 2; k++) {
      const above = this.work + 36 * (k * this.bodies + Math.max(0, parent));
      this.filled[k][-codes.rowsAbove] = address(above);
      this.filled[k][-codes.forcesAbove] = address(above + 18);
    }
    let word = segment.call(program, 2 * operands.length);
    for (let o = 0; o < operands.length; o++) {
      const code = operands[o];
      const shift = code <= codes.rates ? start : 0;
      const own = code >= 0 ? code : filled[-code] + shift;
      words[word++] = own;
      if (isPair) words[word++] = code >= 0 ? code : filledSecond[-code] + shift;
      else words[word++] = sinks[o] >= 0 ? sinks[o] : own;
    }
    for (const values of this.filled) {
      values[-codes.rows] = values[-codes.rowsAbove];
      values[-codes.forces] = values[-codes.forcesAbove];
    }
    return parent;
  }

  private depthOf(body: number): number {
    return this.limbs[body]?.depth ?? 0;
  }

  /** The nearest body that both hang on, or are; −1 for none. */
  private nearestAbove(a: number, b: number): number {
    const { limbs } = this;
    let [one, two] = [a, b];
    while (one !== two) {
      if (this.depthOf(one) < this.depthOf(two)) [one, two] = [two, one];
      one = limbs[one]?.parent ?? -1;
    }
    return one;
  }
}

function codeOf(operand: string): number | undefined {
  const [name, port] = operand.split(".");
  if (name === "rates") return codes.rates - Number(port);
  if (name === "answers") return answers - Number(port);
  return name in codes ? codes[name as keyof typeof codes] : undefined;
}
