/**
 * A mechanism made ready to run: its memory, its kernels, and the call lists that evaluate, factor and solve one step.
 * It knows where everything lies; what the numbers mean for the solver is the simulation's business.
 */
import type { Executable, Program, Target } from "../codegen/index.ts";
import {
  contactParameterNames,
  dragParameterNames,
  gearParameterNames,
  globalNames,
  jointParameterNames,
  thrusterParameterNames,
} from "../equations/index.ts";
import type { Mechanism } from "../mechanism/index.ts";
import type { Cone } from "../solver/index.ts";
import { bodyParameterNames } from "./bodyKernels.ts";
import { totalStarts } from "./coneKernels.ts";
import { factorList, type Register, solveList } from "./elimination.ts";
import { address, CallList } from "./memory.ts";
import { type NodePlace, type Places, planSystem, type SystemPlan } from "./plan.ts";
import { type SolverPlaces, solverLists } from "./solverLists.ts";
import { jointSpecies } from "./species.ts";
import { type Kernel, stages } from "./staging.ts";

export interface System {
  readonly mechanism: Mechanism;
  readonly f64: Float64Array;
  readonly places: Places;
  readonly nodes: readonly NodePlace[];
  readonly unknowns: number;
  readonly coneSize: number;
  readonly equalities: number;
  readonly cones: readonly Cone[];
  /** Memory index of a parameter, by path: "bodies.rod.mass", "joints.hinge.stiffness.0", "timestep". */
  readonly parameters: ReadonlyMap<string, number>;
  /** Matrix blocks that are added to, and so must be zero before an evaluation: [start, end). */
  readonly zeroed: readonly [number, number];
  /** Everything that defines a solved step lies before this index, in the same places in every system of the mechanism. */
  readonly dataEnd: number;
  /** Points, directions and numbers of the solver (solverLists.ts). */
  readonly solver: SolverPlaces;
  /** Row of the residual and slack of every distance that must come out positive. */
  readonly gaps: SystemPlan["gaps"];
  readonly programs: readonly Program[];
  /** Runs a call list: a stage, "factor", "solve", or one of an extension. */
  run(list: string): void;
  /** The same as a function, for inner loops. */
  runner(list: string): () => void;
}

/** More memory and more call lists for the same mechanism, e.g. for gradients. */
export type Extension = (plan: SystemPlan, register: Register) => ReadonlyMap<string, CallList>;

export function buildSystem(mechanism: Mechanism, target: Target, extension?: Extension): System {
  const plan = planSystem(mechanism);
  const programs: Program[] = [];
  const register = registerInto(programs);
  const lists = new Map<string, CallList>();
  for (const stage of stages) {
    const calls = [
      ...plan.bodies.map(({ kernels, addresses }) => ({ kernel: kernels.kernels[stage], addresses })),
      ...plan.nodes.map((node) => ({ kernel: node.spec.kernels.kernels[stage], addresses: node.addresses })),
    ];
    lists.set(stage, pairedCalls(calls, register, plan.sink));
  }
  const vector = (node: number): number => plan.places.step + plan.starts[node];
  lists.set("factor", factorList(plan.sizes, plan.factorisation, register));
  lists.set("solve", solveList(plan.sizes, plan.elimination, plan.factorisation.factors, vector, register));
  const { bodies, unknowns, coneSize, equalities } = plan;
  const vectors = { ...plan, bodyCount: bodies.length, rows: unknowns + equalities };
  for (const [name, list] of solverLists(vectors, lists, register)) lists.set(name, list);
  for (const [name, list] of extension?.(plan, register) ?? []) lists.set(name, list);

  // load, and write lists and parameters
  const starts = new Map<string, number>();
  let bytes = address(plan.memory.length);
  for (const [name, list] of lists) {
    starts.set(name, bytes);
    bytes += 4 * list.words.length;
  }
  const executable: Executable = target.load(programs, bytes);
  const i32 = new Int32Array(executable.memory);
  for (const [name, list] of lists) i32.set(list.words, (starts.get(name) as number) / 4);
  const f64 = new Float64Array(executable.memory, 0, plan.memory.length);
  const parameters = writeParameters(plan, f64);
  totalStarts.forEach((start, i) => {
    f64.fill(start, plan.solver.totalStarts + 2 * i, plan.solver.totalStarts + 2 * i + 2);
  });

  const runners = new Map(
    [...lists].map(([name, { entries }]): [string, () => void] => {
      const start = starts.get(name) as number;
      return [name, () => executable.run(start, entries)];
    }),
  );
  const { places, nodes, cones, zeroed, dataEnd, solver, gaps } = plan;
  return {
    mechanism,
    f64,
    places,
    nodes,
    unknowns,
    coneSize,
    equalities,
    cones,
    parameters,
    zeroed,
    dataEnd,
    solver,
    gaps,
    programs,
    run: (name) => runners.get(name)?.(),
    runner: (name) => runners.get(name) as () => void,
  };
}

/** Numbers programs by their key as they are asked for. */
function registerInto(programs: Program[]): Register {
  const numbers = new Map<string, number>();
  return (key, make) => {
    let number = numbers.get(key);
    if (number === undefined) {
      number = programs.push(make()) - 1;
      numbers.set(key, number);
    }
    return number;
  };
}

/** One use of a kernel: undefined where a node has none at this moment. */
export interface KernelCall {
  readonly kernel: Kernel | undefined;
  readonly addresses: ReadonlyMap<string, number>;
}

/** Two nodes of a species share a call; the odd one out runs beside itself, writing its second lane into the sink. */
export function pairedCalls(calls: readonly KernelCall[], register: Register, sink: number): CallList {
  const list = new CallList();
  const groups = new Map<Kernel, ReadonlyMap<string, number>[]>();
  for (const { kernel, addresses } of calls) if (kernel) groups.set(kernel, [...(groups.get(kernel) ?? []), addresses]);
  for (const [kernel, members] of groups) {
    const number = register(kernel.program.name, () => kernel.program);
    for (let i = 0; i < members.length; i += 2) {
      const addresses = kernel.operands.flatMap((operand) => {
        const first = members[i].get(operand) as number;
        const second =
          i + 1 < members.length ? (members[i + 1].get(operand) as number) : kernel.written.has(operand) ? sink : first;
        return [first, second];
      });
      list.call(number, addresses);
    }
  }
  return list;
}

function writeParameters({ mechanism, places, nodes }: SystemPlan, f64: Float64Array): Map<string, number> {
  const names = new Map<string, number>();
  const write = (path: string, keys: readonly string[], start: number, values: readonly number[]): void =>
    keys.forEach((key, i) => {
      names.set(path === "" ? key : `${path}.${key}`, start + i);
      f64[start + i] = values[i];
    });
  write("", globalNames, places.globals, [mechanism.timestep, ...mechanism.gravity, mechanism.springConservation]);
  for (const body of mechanism.bodies) {
    const [[xx, xy, xz], [, yy, yz], [, , zz]] = body.inertia;
    const start = places.bodyParameters + bodyParameterNames.length * body.index;
    write(`bodies.${body.name}`, bodyParameterNames, start, [body.mass, xx, yy, zz, xy, xz, yz]);
  }
  const termCounts = new Map<number, number>();
  for (const { spec, parameters: start } of nodes) {
    const values = spec.parameterValues;
    if (spec.kind === "joint") {
      const joint = mechanism.joints[spec.index];
      write(`joints.${joint.name}`, jointParameterNames(jointSpecies(joint)), start, values);
    } else if (spec.kind === "contact")
      write(`contacts.${mechanism.contacts[spec.index].name}`, contactParameterNames, start, values);
    else if (spec.kind === "thruster")
      write(`thrusters.${mechanism.thrusters[spec.index].name}`, thrusterParameterNames, start, values);
    else if (spec.kind === "drag")
      write(`drag.${mechanism.bodies[spec.index].name}`, dragParameterNames, start, values);
    else if (spec.kind === "gear")
      write(
        `gears.${mechanism.gears[spec.index].name}`,
        gearParameterNames[mechanism.gears[spec.index].kind],
        start,
        values,
      );
    else {
      const term = termCounts.get(spec.index) ?? 0;
      termCounts.set(spec.index, term + 1);
      write(`gears.${mechanism.gears[spec.index].name}`, [`ratio.${term}`], start, values);
    }
  }
  return names;
}
