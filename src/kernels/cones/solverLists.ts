/**
 * Points, directions and cones of the solver in the system's memory, and the call lists that work on them:
 *   measure       μ and distances at the current point; b∘c
 *   look          evaluate, and how large the residual is
 *   predict.k     right-hand side → solve → recover → direction k, and how far it may go; Δb∘Δc
 *   correct.k     the same with the second-order term of the last prediction
 *   keep.k        direction k ← unknowns and cone variables
 *   advance.k     unknowns and cone variables ← (point 0) + α·(direction k), then measure
 *   newton        right-hand side → solve → recover → unknowns and cone variables, the latter on the central path, then look; of limbs
 *                 whose cones are R₊ but for those that come and go, while none of these is there
 *   chord         the same with the factors of an earlier point
 *   finish        right-hand side → solve → recover → unknowns and cone variables, those on the central path that would leave their cones,
 *                 then look and measure; of mechanisms with a prediction
 * Direction 0 holds the point that an iteration starts from.
 */
import type { Cone } from "../../solver/index.ts";
import type { BoundSlots } from "../elimination/boundSlots.ts";
import { registerNothing } from "../memory/holes.ts";
import { type Body, callOnAdjacent, callOnRun, callOnSlots, entriesATrip, type Run, runsOf } from "../memory/lanes.ts";
import { CallList, type Register } from "../memory/memory.ts";
import type { SolverPlaces } from "../memory/solverPlaces.ts";
import { longTrip, openLoop, vectorLoop } from "../memory/vectorKernels.ts";
import { aim, coneBodies, gap, residual, smooth, totalStarts, turn } from "./coneKernels.ts";

interface Vectors {
  /** Where the step's vectors start. */
  readonly places: Readonly<
    Record<"unknown" | "residual" | "step" | "coneB" | "coneC" | "coneRhs" | "stepB" | "stepC", number>
  >;
  readonly solver: SolverPlaces;
  readonly cones: readonly Cone[];
  /** Slot of every cone that comes and goes (slots.ts), by the offset of the cone. */
  readonly slots: ReadonlyMap<number, number>;
  /** Row of the residual and slack of every distance. */
  readonly gaps: readonly (readonly [number, number])[];
  readonly bodyCount: number;
  readonly unknowns: number;
  /** Cone variables and rows but for those of slots. */
  readonly coneSize: number;
  readonly rows: number;
  /** Contacts that are bound at run time. */
  readonly bound: BoundSlots | undefined;
}

export function solverLists(
  vectors: Vectors,
  stages: ReadonlyMap<string, CallList>,
  register: Register,
): Map<string, CallList> {
  const { places, solver, cones, slots, gaps, bodyCount, unknowns, coneSize, rows, bound } = vectors;
  const { directions, alpha } = solver;
  const stage = (name: string): CallList => stages.get(name) as CallList;
  const onRuns = (list: CallList, name: string, body: Body, runs: readonly Run[]): void => {
    for (const run of runs) callOnRun(list, register, name, body, run, solver.totals, solver.given);
  };
  const loop = (list: CallList, name: "copy" | "negate" | "addScaled", at: readonly number[], length: number): void =>
    vectorLoop(list, register, name, at, length);
  const nothing = bound ? registerNothing(register) : 0;
  /** On the cones of slots that are bound. */
  const onBound = (list: CallList, stage: string): void => {
    const segment = bound?.segments.get(stage);
    if (segment) list.hole(segment, nothing);
  };
  /** On all entries of all cones; of slots, as far as they are in use. */
  const coneLoop = (list: CallList, name: "copy" | "addScaled", at: readonly number[]): void => {
    loop(list, name, at, coneSize);
    bound?.pools.forEach(({ cone, kernels }, i) => {
      // α stays where it is
      const starts = at.map((start, o) => (o === 3 ? start : start + cone));
      list.whileInUse(i, kernels.coneSize, longTrip, () => openLoop(list, register, name, starts));
    });
  };
  const onCones = (list: CallList, name: string, body: Body, starts: readonly number[]): void => {
    onRuns(list, name, body, whole(starts, coneSize));
    bound?.pools.forEach(({ cone, kernels }, i) => {
      onOpen(list, name, body, starts, cone, i, kernels.coneSize);
    });
  };
  const onOpen = (
    list: CallList,
    name: string,
    body: Body,
    starts: readonly number[],
    from: number,
    pool: number,
    entries: number,
  ): void => {
    const moved = starts.map((start) => start + from);
    list.whileInUse(pool, entries, entriesATrip, () =>
      callOnAdjacent(list, register, name, body, moved, solver.totals, solver.given),
    );
  };
  const startTotals = (list: CallList): void =>
    loop(list, "copy", [solver.totals, solver.totalStarts], 2 * totalStarts.length);
  /** On entries that begin so far behind the places: those without a slot in runs, the others each by itself. */
  const onEach = (
    list: CallList,
    name: string,
    body: Body,
    entries: readonly { readonly cone: number; readonly places: readonly number[] }[],
  ): void => {
    onRuns(list, name, body, runsOf(entries.filter(({ cone }) => !slots.has(cone)).map((entry) => entry.places)));
    const members = entries.flatMap(({ cone, places: own }) => {
      const slot = slots.get(cone);
      return slot === undefined ? [] : [{ slot, places: own }];
    });
    callOnSlots(list, register, name, body, members, solver.totals, solver.given);
  };
  /** The cones of a size, with the vectors that start at these places. */
  const of = (size: number, starts: readonly number[]): { cone: number; places: number[] }[] =>
    cones
      .filter((cone) => cone.size === size)
      .map(({ offset }) => ({ cone: offset, places: starts.map((start) => start + offset) }));
  /** A kernel for each size of cones, orthants first. */
  const sizes = [...new Set([1, 3, ...cones.map(({ size }) => size)])].sort((a, b) => a - b);
  const whole = (starts: readonly number[], count: number): Run[] =>
    count > 0 ? [{ starts, strides: starts.map(() => 1), count }] : [];

  const states = new CallList();
  const state = [places.coneB, places.coneC, solver.unit, solver.scale, solver.product];
  for (const size of sizes) onEach(states, `${coneBodies(size).name}.state`, coneBodies(size).state, of(size, state));
  onBound(states, "state");
  const measure = new CallList();
  startTotals(measure);
  measure.append(states);

  const look = new CallList();
  look.append(stage("evaluate"));
  startTotals(look);
  const rowsAt = [places.residual, solver.perTolerance];
  onRuns(look, "rows.residual", residual, whole(rowsAt, rows));
  bound?.pools.forEach(({ equality, kernels }, i) => {
    onOpen(look, "rows.residual", residual, rowsAt, unknowns + equality, i, kernels.equalities);
  });
  const distances = gaps.map(([row, slack]) => ({
    cone: slack,
    places: [places.residual + row, places.coneC + slack],
  }));
  onEach(look, "rows.gap", gap, distances);
  onBound(look, "gap");
  const lists = new Map([
    ["measure", measure],
    ["look", look],
  ]);

  directions.forEach(({ a, b, c }, k) => {
    for (const corrected of [false, true]) {
      const list = new CallList();
      const terms = [places.coneRhs, solver.unit, solver.product, ...(corrected ? [solver.second] : [])];
      onCones(list, corrected ? "cones.aimCorrected" : "cones.aim", aim(corrected), terms);
      loop(list, "negate", [places.step, places.residual], unknowns);
      for (const name of ["rhs", "solve", "recover"]) list.append(stage(name));
      loop(list, "copy", [a, places.step], unknowns);
      coneLoop(list, "copy", [b, places.stepB]);
      coneLoop(list, "copy", [c, places.stepC]);
      startTotals(list);
      const searched = [places.coneB, places.coneC, b, c, solver.scale, ...(corrected ? [] : [solver.second])];
      const suffix = corrected ? "search" : "searchSecond";
      for (const size of sizes) {
        const { name, search } = coneBodies(size);
        onEach(list, `${name}.${suffix}`, search(!corrected), of(size, searched));
      }
      onBound(list, suffix);
      lists.set(`${corrected ? "correct" : "predict"}.${k}`, list);
    }

    const keep = new CallList();
    loop(keep, "copy", [a, places.unknown], unknowns);
    coneLoop(keep, "copy", [b, places.coneB]);
    coneLoop(keep, "copy", [c, places.coneC]);
    lists.set(`keep.${k}`, keep);

    const advance = new CallList();
    const base = directions[0];
    loop(advance, "addScaled", [places.unknown, base.a, a, alpha], unknowns);
    coneLoop(advance, "addScaled", [places.coneB, base.b, b, alpha]);
    coneLoop(advance, "addScaled", [places.coneC, base.c, c, alpha]);
    advance.append(measure);
    onRuns(advance, "bodies.turn", turn, [{ starts: [places.unknown], strides: [6], count: bodyCount }]);
    lists.set(`advance.${k}`, advance);
  });

  const rebase = stages.get("rebase");
  const newtonStep = (): CallList => {
    const list = new CallList();
    onCones(list, "cones.aim", aim(false), [places.coneRhs, solver.unit, solver.product]);
    loop(list, "negate", [places.step, places.residual], unknowns);
    for (const name of ["rhs", "solve", "recover"]) list.append(stage(name));
    loop(list, "addScaled", [places.unknown, places.unknown, places.step, alpha], unknowns);
    return list;
  };
  const lookAround = (list: CallList): void => {
    list.append(look);
    onRuns(list, "bodies.turn", turn, [{ starts: [places.unknown], strides: [6], count: bodyCount }]);
  };
  if (stages.has("responses")) {
    const moved = [places.coneB, places.coneC, places.stepB, places.stepC, solver.beta, solver.gamma];
    const finish = newtonStep();
    for (const size of sizes)
      onEach(finish, `${coneBodies(size).name}.settle`, coneBodies(size).settle, of(size, moved));
    onBound(finish, "settle");
    lookAround(finish);
    finish.append(states);
    lists.set("finish", finish);
  }
  const fixed = cones.filter(({ offset }) => !slots.has(offset));
  if (!rebase || fixed.length === 0 || fixed.some(({ kind }) => kind !== "orthant")) return lists;
  const newton = newtonStep();
  const smoothed = [places.coneB, places.coneC, places.stepB, places.stepC, solver.beta, solver.gamma, solver.product];
  const smoothedCones = fixed.map(({ offset }) => smoothed.map((start) => start + offset));
  onRuns(newton, "orthants.smooth", smooth, runsOf(smoothedCones));
  lookAround(newton);
  lists.set("newton", newton);
  const chord = new CallList();
  chord.append(rebase);
  chord.append(newton);
  lists.set("chord", chord);
  return lists;
}
