/**
 * The transposed solve of the elimination by limbs as a call list: R⁻ᵀ for right-hand sides in panels (transposedSweeps.ts). They have
 * something on the columns of bodies, and of multipliers that are nodes; those of the joints of the tree are results only.
 */
import { type Program, ProgramBuilder } from "../../codegen/index.ts";
import { callOverPanels, panelSize } from "../jacobians/panelBuilder.ts";
import { solveTransposedPanels, subtractTransposedPanels } from "../jacobians/panelKernels.ts";
import { registerNothing } from "../memory/holes.ts";
import { address, CallList, type Register } from "../memory/memory.ts";
import type { Segment } from "../memory/segments.ts";
import type { ArrangedTies } from "./arrangedTies.ts";
import type { TransposedLimbPlace } from "./arrangedTransposed.ts";
import {
  type OwnRows,
  type PanelSweep,
  type TransposedLimb,
  transposedDown,
  transposedEnter,
  transposedLeave,
  transposedUp,
} from "./transposedSweeps.ts";
import { constraintsOf, forcesOf, isGrounded, type Limb } from "./treeLimbs.ts";
import type { EliminatedNode } from "./treeOrder.ts";
import type { LimbPlan } from "./treePlan.ts";
import type { TreeTies } from "./treeTies.ts";

type Range = readonly [number, number];

export interface TransposedPanels {
  /** Memory index of the panels, with a row for each unknown. */
  readonly step: number;
  readonly all: Range;
  /** The panels in which each node has something when it is eliminated. */
  readonly touched: readonly Range[];
  /** Those in which each body has something to begin with. */
  readonly seeded: readonly Range[];
  /** Whether rows of constraints are wanted. */
  readonly constraints: boolean;
}

/** Lists over steps and rows of balances, as they are asked for: `enter`, `solve` over twists and wrenches, `leave`. */
export interface TransposedLists {
  readonly enter: CallList;
  readonly solve: CallList;
  readonly leave: CallList;
}

export function transposedSolve(plan: LimbPlan, register: Register, panels: TransposedPanels): TransposedLists {
  const { unknowns, sweeps, limbs, starts } = plan;
  const converted = ({ program }: PanelSweep, ranges: (body: number) => Range): CallList => {
    const list = new CallList();
    for (const { body } of limbs) {
      const at = [address(panels.step + 2 * starts[body]), sweeps[body].get("basis") as number];
      callOverPanels(list, register, program, at, ranges(body));
    }
    return list;
  };
  return {
    enter: converted(transposedEnter(unknowns), (body) => panels.seeded[body]),
    solve: solveOfTwists(plan, register, panels),
    leave: converted(transposedLeave(unknowns), () => panels.all),
  };
}

function solveOfTwists(plan: LimbPlan, register: Register, panels: TransposedPanels): CallList {
  const { order, sizes, starts, unknowns, sweeps } = plan;
  const { step, all, touched } = panels;
  const list = new CallList();
  const vector = (node: number): number => address(step + 2 * starts[node]);
  if (plan.arranged) {
    list.hole(arrangedSolve(plan.arranged), registerNothing(register));
    return list;
  }
  const ties = plan.ties as TreeTies;

  for (const entry of order) {
    const { node, limb, later } = entry;
    if (limb) {
      call(transposedUp(limbOf(limb, later), unknowns), entry, limb, touched[node]);
      continue;
    }
    for (const other of later) subtract(other, ties.solvedOf(node, other), node, touched[node]);
  }
  for (const entry of [...order].reverse()) {
    const { node, limb, later } = entry;
    if (limb) {
      const own = ownRows(limb);
      for (const { isTouched, range } of partsOf(node))
        call(transposedDown(limbOf(limb, later), own, isTouched, unknowns), entry, limb, range);
      continue;
    }
    for (const other of later) subtract(node, ties.block(other, node), other, all);
    const at = [ties.factorsOf(node), vector(node)];
    callOverPanels(list, register, solveTransposedPanels(sizes[node], 0, unknowns), at, all);
  }
  return list;

  /** Written while it runs. */
  function arrangedSolve(arranged: ArrangedTies): Segment {
    if (arranged.transposed) return arranged.transposed.segment;
    const limbs = plan.limbs.map((limb): [number, TransposedLimbPlace] => [
      limb.body,
      {
        constraints: constraintsOf(limb),
        grounded: isGrounded(limb),
        above: limb.parent,
        own: ownRows(limb),
        ownRows: address(step + 2 * limb.joint.multiplier),
        known: sweeps[limb.body],
      },
    ]);
    return arranged.addTransposed(new Map(limbs), { vectorOf: vector, panels: all[1], unknowns });
  }

  /** Panels in which a node has something, and those in which it has nothing. */
  function partsOf(node: number): { isTouched: boolean; range: Range }[] {
    const [first, end] = touched[node];
    return [
      { isTouched: true, range: [first, end] },
      { isTouched: false, range: [all[0], first] },
      { isTouched: false, range: [end, all[1]] },
    ];
  }

  function limbOf(limb: Limb, later: readonly number[]): TransposedLimb {
    const tied = later.map((other) => sizes[other]);
    return { constraints: constraintsOf(limb), grounded: isGrounded(limb), ties: tied };
  }

  function ownRows(limb: Limb): OwnRows {
    return { forces: forcesOf(limb), constraints: panels.constraints, coupled: plan.isCoupled(limb) };
  }

  function call({ operands, program }: PanelSweep, { node, later }: EliminatedNode, limb: Limb, range: Range): void {
    const known = new Map(sweeps[node]);
    known.set("step", vector(node));
    known.set("own", address(step + 2 * limb.joint.multiplier));
    if (!isGrounded(limb)) known.set("above", vector(limb.parent));
    later.forEach((other, d) => {
      known.set(`tie.${d}`, vector(other));
      known.set(`weights.${d}`, ties.weightsOf(node, other));
      known.set(`shares.${d}`, ties.sharesOf(node, other));
      known.set(`fromTie.${d}`, ties.block(other, node));
    });
    callOverPanels(
      list,
      register,
      program,
      operands.map((operand) => known.get(operand) as number),
      range,
    );
  }

  /** target ← target − Mᵀ source. */
  function subtract(target: number, matrix: number, source: number, range: Range): void {
    const program = subtractTransposedPanels(sizes[source], sizes[target], unknowns);
    callOverPanels(list, register, program, [vector(target), matrix, vector(source)], range);
  }
}

/** The same for one vector, in `step`: it goes through a panel, in both lanes. */
export function transposedVectorSolve(
  plan: LimbPlan,
  register: Register,
): TransposedLists & { readonly whole: CallList } {
  const { memory, places, unknowns, sizes } = plan;
  const step = memory.reserve(panelSize(unknowns + 1));
  const all: Range = [0, 1];
  const trips = (unknowns + 1) >> 1;
  const every = sizes.map(() => all);
  const { enter, solve, leave } = transposedSolve(plan, register, {
    ...{ step, all, touched: every, seeded: every, constraints: true },
  });
  const through = (...parts: readonly CallList[]): CallList => {
    const list = new CallList();
    list.call(register("vector.toPanel", toPanel), [step, places.step].map(address), trips);
    for (const part of parts) list.append(part);
    list.call(register("vector.fromPanel", fromPanel), [places.step, step].map(address), trips);
    return list;
  };
  return {
    whole: through(enter, solve, leave),
    enter: through(enter),
    solve: through(solve),
    leave: through(leave),
  };
}

function toPanel(): Program {
  const b = new ProgramBuilder("vector.toPanel", 2);
  const two = b.loadAdjacent(1, 0);
  for (const lane of [0, 1] as const) b.storeAdjacent(0, 2 * lane, b.splat(b.lane(two, lane)));
  return b.finish([32, 16]);
}

function fromPanel(): Program {
  const b = new ProgramBuilder("vector.fromPanel", 2);
  b.storeAdjacent(0, 0, b.join(b.load(1, 0), b.load(1, 2)));
  return b.finish([16, 32]);
}
