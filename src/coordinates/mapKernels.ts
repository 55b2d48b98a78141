/**
 * Joint coordinates ⇄ body states and their derivatives as kernels: what is computed together is a section, which has inputs, a call list
 * and outputs of its own, and is compiled when it is first asked for.
 *   values        joint values and rates from the states of the bodies
 *   bodies        the states of the bodies from joint values and rates, then their poses one step earlier: along the spanning tree, level
 *                 by level, each body's pose now and earlier from the body before it, and then v = (x − x₋)/h, ω = 2 vec(q₋⁻¹ q)/h
 *   minimal       per joint: values and rates by the states of its bodies
 *   maximal       per body: its pose one step earlier, its spin by both poses; per joint of the tree: the far body by the near one and
 *                 the coordinates, now and one step earlier
 *   …Parameters   the same by the joint's frame and the time step
 *
 * Inputs: h │ frames 16 per joint │ states 13 per body │ values │ rates
 */
import { chooseTarget, type Target } from "../codegen/index.ts";
import { cached } from "../math/index.ts";
import type { Mechanism } from "../mechanism/index.ts";
import { type Call, CallList, evaluateCalls } from "./callLists.ts";
import { callsOf } from "./sectionCalls.ts";
import {
  inputPlaces,
  maximalBlocks,
  maximalParameterBlocks,
  minimalBlocks,
  minimalParameterBlocks,
  type SectionName,
  sectionLayout,
} from "./sectionLayout.ts";

/** Runs at plain numbers before formulas are compiled: set-up code converts some states, and compiling takes milliseconds. */
const runsAtNumbers = 8;

/** A section of one mechanism, ready to run. What consists of formulas is compiled once that pays, which changes no bit. */
export class Section {
  /** Views of its memory, which is another one after the run in which the section is compiled. */
  inputs: Float64Array;
  outputs: Float64Array;
  private readonly calls: readonly (readonly Call[])[];
  private readonly target: Target | undefined;
  private memory: Float64Array;
  private runs = 0;
  private list: CallList | undefined;

  /** A section that is given its target is compiled at once. */
  constructor(mechanism: Mechanism, name: SectionName, target?: Target) {
    const inputs = inputPlaces(mechanism);
    const { joints, size } = sectionLayout(mechanism, name);
    const out = inputs.size;
    this.calls = callsOf[name](mechanism, inputs, out, (joint) => out + joints[joint]);
    this.target = target;
    this.memory = new Float64Array(out + size);
    this.inputs = this.memory.subarray(0, out);
    this.outputs = this.memory.subarray(out);
  }

  run(): void {
    if (!this.target && this.runs++ < runsAtNumbers && evaluateCalls(this.memory, this.calls)) return;
    this.list ??= this.compiled();
    this.list.run();
  }

  private compiled(): CallList {
    const { inputs, memory } = this;
    const [out, sink] = [inputs.length, memory.length];
    const list = new CallList(this.target ?? chooseTarget(), sink + largestOutput, sink, this.calls);
    this.memory = list.f64;
    this.inputs = list.f64.subarray(0, out);
    this.outputs = list.f64.subarray(out, sink);
    this.inputs.set(inputs);
    return list;
  }

  /** The same with inputs and outputs that the caller keeps. */
  runInto(out: Float64Array, inputs: Float64Array): void {
    this.inputs.set(inputs);
    this.run();
    out.set(this.outputs);
  }
}

/** Blocks of six coordinates. */
const largestOutput = Math.max(
  minimalBlocks(6).size,
  maximalBlocks(6).size,
  minimalParameterBlocks(6).size,
  maximalParameterBlocks.size,
);

const known = new WeakMap<object, Map<SectionName, Section>>();

/** A section of a mechanism, shared by all copies of it whose frames or masses differ. */
export function sectionOf(mechanism: Mechanism, name: SectionName): Section {
  const sections = cached(known, mechanism.tree, () => new Map());
  return cached(sections, name, () => new Section(mechanism, name));
}
