/**
 * Points, directions and cones of the solver in the system's memory, and the call lists that work on them, besides those of startLists.ts:
 *   states        μ and distances at the current point; b∘c
 *   measure       the same with totals that begin anew
 *   look          evaluate, how large the residual is, and how fast bodies turn
 *   predict.k     right-hand side → solve → recover → direction k, and how far it may go; Δb∘Δc
 *   correct.k     the same with the second-order term of the last prediction
 *   keep.k        direction k ← unknowns and cone variables
 *   advance.k     unknowns and cone variables ← (point 0) + α·(direction k), then measure
 *   newton        right-hand side → solve → recover → unknowns and cone variables, the latter on the central path, then look; of limbs
 *                 whose cones are R₊ but for those that come and go, while none of these is there
 *   smooth.…      pairs for it, from those of the last step, or of this one
 *   chord         the same with the factors of an earlier point
 *   finish        right-hand side → solve → recover → unknowns and cone variables, those on the central path that would leave their cones,
 *                 then look and measure; of mechanisms with a prediction
 * Direction 0 holds the point that an iteration starts from, the last one a point put aside.
 */
import { runsOf } from "../memory/lanes.ts";
import { type CallList, joined, type Register } from "../memory/memory.ts";
import { aim, coneBodies, gap, residual, smooth, totals, turn } from "./coneKernels.ts";
import { startSmooth } from "./startKernels.ts";
import { startLists } from "./startLists.ts";
import { VectorList, type Vectors } from "./vectorList.ts";

export function solverLists(
  vectors: Vectors,
  stages: ReadonlyMap<string, CallList>,
  register: Register,
): Map<string, CallList> {
  const { places, solver, cones, slots, gaps, unknowns } = vectors;
  const { directions, alpha } = solver;
  const hasCones = cones.length > 0 || vectors.bound !== undefined;
  const newList = (): VectorList => new VectorList(vectors, register);
  const stage = (name: string): CallList => stages.get(name) as CallList;
  /** The cones of a size, with the vectors that start at these places. */
  const of = (size: number, starts: readonly number[]): { cone: number; places: number[] }[] =>
    cones
      .filter((cone) => cone.size === size)
      .map(({ offset }) => ({ cone: offset, places: starts.map((start) => start + offset) }));
  /** A kernel for each size of cones, orthants first. */
  const bodies = [...new Set([1, 3, ...cones.map(({ size }) => size)])]
    .sort((a, b) => a - b)
    .map((size) => ({ size, ...coneBodies(size) }));

  const states = newList();
  const state = [places.coneB, places.coneC, solver.unit, solver.scale, solver.product, solver.eigenvalue];
  for (const { name, size, state: body } of bodies) states.onEach(`${name}.state`, body, of(size, state));
  states.onBound("state");
  const measure = newList();
  measure.startTotals();
  measure.append(states);

  const turning = newList();
  turning.onBodies("bodies.turn", turn, [places.unknown], [6]);
  const look = newList();
  look.append(stage("evaluate"));
  // those of cones belong to lists that look and measure in a row; without cones they stay as each step begins them
  if (hasCones) look.startTotals();
  else look.startTotals(totals.residual, totals.turn + 1);
  look.onRows("rows.residual", residual, [places.residual, solver.perTolerance]);
  const distances = gaps.map(([row, slack]) => ({
    cone: slack,
    places: [places.residual + row, places.coneC + slack],
  }));
  look.onEach("rows.gap", gap, distances);
  look.onBound("gap");
  look.append(turning);
  const lists = new Map([
    ["measure", measure as CallList],
    ["states", states],
    ["look", look],
    ...startLists(vectors, newList, look, stage("contacts")),
  ]);

  /** The direction for residual and cones as they stand. */
  const solve = (corrected: boolean): VectorList => {
    const list = newList();
    const terms = [places.coneRhs, solver.unit, solver.product, ...(corrected ? [solver.second] : [])];
    list.onCones(corrected ? "cones.aimCorrected" : "cones.aim", aim(corrected), terms);
    list.loop("negate", [places.step, places.residual], unknowns);
    for (const name of ["rhs", "solve", "recover"]) list.append(stage(name));
    return list;
  };
  const [base] = directions;
  directions.forEach(({ a, b, c }, k) => {
    const keep = newList();
    keep.loop("copy", [a, places.unknown], unknowns);
    keep.coneLoop("copy", [b, places.coneB]);
    keep.coneLoop("copy", [c, places.coneC]);
    if (k === 0) keep.coneLoop("copy", [solver.eigenvalueBefore, solver.eigenvalue]);
    lists.set(`keep.${k}`, keep);
    // points are no directions
    if (k === 0 || k === directions.length - 1) return;

    for (const corrected of [false, true]) {
      const list = solve(corrected);
      list.loop("copy", [a, places.step], unknowns);
      list.coneLoop("copy", [b, places.stepB]);
      list.coneLoop("copy", [c, places.stepC]);
      if (hasCones) list.startTotals();
      const searched = [places.coneB, places.coneC, b, c, solver.scale, ...(corrected ? [] : [solver.second])];
      const suffix = corrected ? "search" : "searchSecond";
      for (const { name, size, search } of bodies)
        list.onEach(`${name}.${suffix}`, search(!corrected), of(size, searched));
      list.onBound(suffix);
      lists.set(`${corrected ? "correct" : "predict"}.${k}`, list);
    }

    const advance = newList();
    advance.loop("addScaled", [places.unknown, base.a, a, alpha], unknowns);
    advance.coneLoop("addScaled", [places.coneB, base.b, b, alpha]);
    advance.coneLoop("addScaled", [places.coneC, base.c, c, alpha]);
    // without cones a look follows at once
    lists.set(`advance.${k}`, hasCones ? joined(advance, measure, turning) : advance);
  });

  const newtonStep = (): VectorList => {
    const list = solve(false);
    list.loop("addScaled", [places.unknown, places.unknown, places.step, alpha], unknowns);
    return list;
  };
  const moved = [places.coneB, places.coneC, places.stepB, places.stepC, solver.beta, solver.gamma];
  if (stages.has("responses")) {
    const finish = newtonStep();
    for (const { name, size, settle } of bodies) finish.onEach(`${name}.settle`, settle, of(size, moved));
    finish.onBound("settle");
    lists.set("finish", joined(finish, look, states));
  }
  const rebase = stages.get("rebase");
  const fixed = cones.filter(({ offset }) => !slots.has(offset));
  if (!rebase || fixed.length === 0 || fixed.some(({ kind }) => kind !== "orthant")) return lists;
  const newton = newtonStep();
  const smoothed = fixed.map(({ offset }) => [...moved, solver.product].map((start) => start + offset));
  newton.onRuns("orthants.smooth", smooth, runsOf(smoothed));
  newton.append(look);
  lists.set("newton", newton);
  const { last, smooth: own, units } = solver;
  const pair = [places.coneB, places.coneC, solver.beta, solver.gamma, solver.product, solver.weight];
  for (const [name, b, c, before] of [
    ["last", last.b, last.c, last.before],
    ["here", places.coneB, places.coneC, last.c],
  ] as const) {
    const list = newList();
    const starts = [...pair, b, c, last.c, before, own.stretch, own.divisor];
    const at = fixed.map(({ offset }) => starts.map((place) => place + offset));
    list.onRuns("orthants.start", startSmooth, runsOf(at), units.numbers);
    lists.set(`smooth.${name}`, list);
  }
  lists.set("chord", joined(rebase, newton));
  return lists;
}
