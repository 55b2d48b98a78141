/**
 * A mechanism made ready to run: its memory, its kernels, and the call lists that evaluate, factor and solve one step.
 * It knows where everything lies; what the numbers mean for the solver is the simulation's business.
 */
import type { Program, Target } from "../codegen/index.ts";
import type { Physics } from "../equations/index.ts";
import { type Mechanism, type TouchPool, worldIndex } from "../mechanism/index.ts";
import type { Cone } from "../solver/index.ts";
import { totalStarts } from "./cones/coneKernels.ts";
import type { PortResponses } from "./cones/portResponses.ts";
import { solverLists } from "./cones/solverLists.ts";
import type { ArrangedTies } from "./elimination/arrangedTies.ts";
import type { TouchSlots } from "./elimination/boundSlots.ts";
import { type LimbPlan, planLimbs, planTree, type TreePlan } from "./elimination/treePlan.ts";
import { registerNothing } from "./memory/holes.ts";
import { ListGroups } from "./memory/listGroups.ts";
import { type Changes, ListRun, tailWords } from "./memory/listRun.ts";
import { MapOnUse } from "./memory/mapOnUse.ts";
import { address, CallList, type Register } from "./memory/memory.ts";
import { parameterPlaces, writeParameters } from "./memory/parameterPlaces.ts";
import { NumberedList, pickedList } from "./memory/pickedLists.ts";
import { type DataPlan, type NodePlace, type Places, planData, slotOf } from "./memory/plan.ts";
import { ProgramSupply } from "./memory/programSupply.ts";
import type { Segment } from "./memory/segments.ts";
import { Choice, type ChosenList, chosenList } from "./memory/slots.ts";
import type { SolverPlaces } from "./memory/solverPlaces.ts";
import { type TurnPlaces, turnPlaces } from "./memory/turns.ts";
import { vectorLoop } from "./memory/vectorKernels.ts";

export interface System {
  readonly mechanism: Mechanism;
  readonly f64: Float64Array;
  readonly places: Places;
  readonly nodes: readonly NodePlace[];
  readonly unknowns: number;
  readonly coneSize: number;
  readonly equalities: number;
  /** Cone variables and equalities but for those of slots, which come after them. */
  readonly fixedConeSize: number;
  readonly fixedEqualities: number;
  readonly cones: readonly Cone[];
  /** Memory index of a parameter, by path: "bodies.rod.mass", "joints.hinge.stiffness.0", "timestep". */
  readonly parameters: ReadonlyMap<string, number>;
  /** Where the parameters of nodes and surfaces lie one after the other, in the same order whatever slots there are: [start, end). */
  readonly nodeParameters: readonly [number, number];
  /** Where the parameters of surfaces lie (mechanism/touch.ts). */
  readonly surfaces: number;
  /** Turns of angles and gears, which steps count. */
  readonly turns: TurnPlaces;
  /** Everything that defines a solved step lies before this index, in the same places in every system of the mechanism. */
  readonly dataEnd: number;
  /** Points, directions and numbers of the solver (solverLists.ts). */
  readonly solver: SolverPlaces;
  /** Row of the residual and slack of every distance that must come out positive. */
  readonly gaps: DataPlan["gaps"];
  /** All that it may run, made or not. */
  programs(): readonly Program[];
  /** Makes the programs of all lists ready, instead of when a list first runs (listGroups.ts). */
  loadAll(): void;
  /** Runs a call list: a stage, "factor", "solve", or one of an extension. */
  run(list: string): void;
  /** The same as a function, for inner loops; of several lists, one after another, as far as there are such lists. */
  runner(...lists: string[]): () => void;
  /** Whether there is such a list. */
  has(list: string): boolean;
  /**
   * Which contacts take part in the lists "near.…", one number per slot, 1 or 0 (slots.ts); "near.contacts" evaluates the others. Undefined
   * where none can be left out.
   */
  readonly choose: ((slots: Uint8Array) => void) | undefined;
  /** Kinds of contacts that are bound at run time, and how many of each it was built for. */
  readonly pools: readonly TouchPool[];
  /** Contacts that are bound to bodies at run time, of mechanisms with shapes that touch (boundSlots.ts). */
  readonly touch: TouchSlots | undefined;
  /** The elimination as it is arranged now, for the same mechanisms. */
  readonly arranged: Pick<ArrangedTies, "tiedBlocks" | "memory"> | undefined;
  /** How contacts and limits answer to each other (portResponses.ts), where joints are all that is between them. */
  readonly responses: PortResponses | undefined;
  /** Which of the calls of "ports.…" run, the first `count` of these numbers in their order (pickedLists.ts). */
  pick(numbers: Int32Array, count: number): void;
}

/** More memory and more call lists for the same mechanism, e.g. for gradients. */
export type Extension = (
  plan: LimbPlan,
  register: Register,
  /** Those that there are already: "matrix", "factor", "solve". */
  lists: ReadonlyMap<string, CallList>,
) => ReadonlyMap<string, CallList>;

/** A system with the lists of the solver, or those of an extension. `slots`: kinds of contacts that are bound at run time, and how many of each. */
export function buildSystem(
  mechanism: Mechanism,
  target: Target,
  extension?: Extension,
  physics: Physics = "step",
  slots: readonly TouchPool[] = [],
): System {
  const plan = planData(mechanism, physics, slots);
  const supply = new ProgramSupply();
  const { register } = supply;
  const gradients = extension && planLimbs(plan, register);
  const tree = gradients ? undefined : planTree(plan, register);
  const lists = (gradients ?? (tree as TreePlan)).lists;
  const { unknowns, coneSize, equalities } = plan;
  const { bound, arranged, ones } = gradients?.plan ?? (tree as TreePlan);
  const chooses = tree?.hasJoints && contactsComeAndGo(mechanism);
  const contactSlots = chooses ? coneSlots(plan) : new Map<number, number>();
  const vectors = {
    ...{ ...plan, slots: contactSlots, bound },
    coneSize: plan.fixedConeSize,
    rows: unknowns + plan.fixedEqualities,
  };
  const more = gradients ? extension(gradients.plan, register, lists) : solverLists(vectors, lists, register);
  for (const [name, list] of more) lists.set(name, list);

  if (tree?.responses) {
    const ofSlots = new Set(bound?.segments.values());
    arranged?.keepFree();
    for (const [name, list] of freeLists(plan, lists, ofSlots, arranged?.free, register)) lists.set(name, list);
  }
  const chosen = contactSlots.size > 0 ? chosenLists(lists, register) : undefined;
  for (const [name, { list }] of chosen ?? []) lists.set(name, list);
  const nothing = registerNothing(register);
  // of a solve that has diverged: padding that is multiplied by zero must be finite
  const clean = new CallList();
  vectorLoop(clean, register, "clean", [0], plan.memory.length);
  lists.set("clean", clean);

  // load, and write lists and parameters
  const starts = new Map<string, number>();
  let bytes = address(plan.memory.length);
  for (const [name, list] of lists) {
    starts.set(name, bytes);
    bytes += 4 * (list.words.length + tailWords);
  }
  const segments = arranged && bound ? [...bound.segments.values(), ...arranged.segments] : [];
  const answering = tree?.responses?.slots;
  if (answering) segments.push(...answering.segments.values());
  const segmentStarts = segments.map(({ capacity }) => {
    bytes += 4 * capacity;
    return bytes - 4 * capacity;
  });
  const pool = 16 * Math.ceil(bytes / 16);
  const groups = tree && new ListGroups(lists, chosen);
  const tail = new CallList();
  tail.call(nothing, []);
  const programs = supply.load(
    target,
    groups && [...groups.first, { list: tail }],
    pool + address(arranged?.poolSize ?? 0),
  );
  const { executable } = programs;
  const i32 = new Int32Array(executable.memory);
  segments.forEach((segment, i) => {
    segment.place(i32, segmentStarts[i] / 4, nothing, programs);
  });
  const f64 = new Float64Array(executable.memory, 0, plan.memory.length);
  writeParameters(plan, f64);
  for (const index of ones) f64[index] = 1;
  totalStarts.forEach((start, i) => {
    f64.fill(start, plan.solver.totalStarts + 2 * i, plan.solver.totalStarts + 2 * i + 2);
  });

  if (bound && arranged) {
    arranged.load(i32, pool);
    const sized = [...lists].flatMap(([name, list]) =>
      list.sized.map((call) => ({ at: (starts.get(name) as number) / 4 + call.at, call })),
    );
    bound.load(i32, f64, sized);
    answering?.load(i32, f64);
  }
  const choice = new Choice(mechanism.contacts.length);
  const loading = groups?.loading(programs);
  const runs = new Map(
    [...lists].map(([name, list]) => {
      const members = withoutAny.has(name) ? undefined : chosen?.get(name);
      const changes: Changes = {
        chosen: members && { members, choice, wanted: name === "near.contacts" ? 0 : 1 },
        picked: list instanceof NumberedList ? pickedList(list) : undefined,
        load: loading?.(name),
      };
      return [name, new ListRun(i32, (starts.get(name) as number) / 4, list, nothing, programs, changes)];
    }),
  );
  const numbered = [...lists].flatMap(([name, list]) =>
    list instanceof NumberedList ? [runs.get(name) as ListRun] : [],
  );
  const pick = (numbers: Int32Array, count: number): void => {
    for (let k = 0; k < numbered.length; k++) numbered[k].pick(numbers, count);
  };
  const runner = (...names: string[]): (() => void) =>
    ListRun.runner(
      names.flatMap((name) => runs.get(name) ?? []),
      executable.run,
    );
  const { places, nodes, cones, dataEnd, solver, gaps } = plan;
  // without getters: one of them makes a dictionary of the object, in which every property is looked up by its name
  return {
    mechanism,
    f64,
    places,
    nodes,
    unknowns,
    coneSize,
    equalities,
    fixedConeSize: plan.fixedConeSize,
    fixedEqualities: plan.fixedEqualities,
    cones,
    parameters: new MapOnUse(() => parameterPlaces(plan)),
    nodeParameters: plan.nodeParameters,
    surfaces: plan.surfaces,
    turns: turnPlaces(mechanism, nodes),
    dataEnd,
    solver,
    gaps,
    programs: () => supply.all,
    loadAll: () => programs.addAll(),
    run: (name) => runner(name)(),
    runner,
    has: (name) => runs.has(name),
    choose: chosen && ((slots) => choice.choose(slots)),
    pools: slots,
    touch: bound,
    arranged,
    responses: tree?.responses,
    pick,
  };
}

/** Bodies of a loop, and those that others touch, are moved too much by what acts elsewhere for their own balance to tell their reach. */
function contactsComeAndGo({ loopJoints, contacts }: Mechanism): boolean {
  return loopJoints.length === 0 && contacts.every(({ other }) => other === worldIndex);
}

/** Slots by the offsets of cones. */
function coneSlots({ nodes, cones }: DataPlan): Map<number, number> {
  const slots = new Map<number, number>();
  let cone = 0;
  for (const node of nodes) {
    const slot = slotOf(node);
    for (let i = 0; i < node.roles.length; i++, cone++) if (slot !== undefined) slots.set(cones[cone].offset, slot);
  }
  return slots;
}

/** Those of the lists that iterations run which are for chosen contacts: the solver's directions are 1 and 2. */
const chosenNames = [
  ...[
    "look",
    "measure",
    "states",
    "linearise",
    "factor",
    "contacts",
    "newton",
    "chord",
    "finish",
    "correct.2",
    "responses",
    "place",
  ],
];
const chosenDirections = ["predict", "advance"].flatMap((name) => [`${name}.1`, `${name}.2`]);
/** Lists that run while no contact takes part need no others. */
const withoutAny = new Set(["near.newton", "near.chord"]);

/** Factors, right-hand side and solve of a step that no contact takes part in, bound at run time or not. */
function freeLists(
  { places, unknowns }: DataPlan,
  lists: ReadonlyMap<string, CallList>,
  ofSlots: ReadonlySet<Segment>,
  free: ReadonlyMap<Segment, Segment> | undefined,
  register: Register,
) {
  const without = (name: string): CallList => {
    const { list } = chosenList(lists.get(name) as CallList, register);
    // a hole without its segment is a call of nothing
    const holes = list.holes.filter(({ segment }) => !ofSlots.has(segment));
    list.holes.splice(
      0,
      list.holes.length,
      ...holes.map(({ at, segment }) => ({ at, segment: free?.get(segment) ?? segment })),
    );
    return list;
  };
  const rhs = new CallList();
  vectorLoop(rhs, register, "negate", [places.step, places.residual], unknowns);
  rhs.append(without("rhs"));
  return new Map([
    ["free.factor", without("factor")],
    ["free.rhs", rhs],
    ["free.solve", without("solve")],
  ]);
}

function chosenLists(lists: ReadonlyMap<string, CallList>, register: Register): Map<string, ChosenList> {
  return new Map(
    [...chosenNames, ...chosenDirections].flatMap((name): [string, ChosenList][] => {
      const list = lists.get(name);
      return list && list.groups.length > 0 ? [[`near.${name}`, chosenList(list, register)]] : [];
    }),
  );
}
