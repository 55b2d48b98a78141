/**
 * All Jacobians of a solved step at once, row by row: with y = Y z + Y' s read off the next state, s the solved velocities and impulses,
 *   μ = R⁻ᵀ Y'ᵀ,      dy/dz = Y − μᵀ D̃                            [solution_sensitivity, transposed]
 * Every row is a vector in panels (panelBuilder.ts). There are fewer rows than columns: positions follow from velocities, so only those
 * need a solve, 6 a body in maximal coordinates or one a coordinate in minimal ones, and inputs add columns for nothing.
 *   blocks       D̃ of every node, and what a body's next state takes from its state and step
 *   solveMany    μ = R⁻ᵀ μ by the step's own factors, all rows
 *   data         cotangents of states and inputs, −μᵀ D̃
 * Minimal coordinates have more lists (minimalJacobians.ts).
 */
import { worldIndex } from "../mechanism/index.ts";
import { dataPanels, velocityPanels } from "./cotangentPanels.ts";
import type { Register } from "./elimination.ts";
import {
  type JacobianContext,
  type PanelPlaces,
  panelAt,
  panelSizes,
  type RowPlace,
  withPlaces,
} from "./jacobianPanels.ts";
import { address, CallList } from "./memory.ts";
import { minimalLists, minimalRows } from "./minimalJacobians.ts";
import { callOverPanels } from "./panelBuilder.ts";
import { solveTransposedPanels, subtractTransposedPanels } from "./panelKernels.ts";
import { rowOrder, touchedPanels } from "./panelRows.ts";
import type { SystemPlan } from "./plan.ts";
import { dataKernelOf, kernelsOfBodySensitivity } from "./sensitivityLibrary.ts";
import { type KernelCall, pairedCalls } from "./system.ts";

export interface JacobianPlaces extends PanelPlaces {
  /** What the rows are, in their order in the panels. Maximal: entry `index` of (v₊, ω₊) of all bodies. */
  readonly rows: readonly RowPlace[];
}

export function stepJacobians(
  plan: SystemPlan,
  register: Register,
  coordinates: "maximal" | "minimal",
): { places: JacobianPlaces; lists: Map<string, CallList> } {
  const { mechanism } = plan;
  const isMinimal = coordinates === "minimal";
  const unordered = isMinimal ? minimalRows(mechanism) : maximalRows(mechanism.bodies.length);
  const order = rowOrder(
    plan,
    unordered.map(({ bodies }) => bodies),
  );
  const rows = order.map((row) => unordered[row]);
  const places = reservePanels(plan, (rows.length + 1) >> 1, isMinimal);
  const context: JacobianContext = { plan, register, places, all: [0, places.panels] };
  const touched = touchedPanels(
    plan,
    rows.map(({ bodies }) => bodies),
  );
  const { blocks, data } = dataLists(context, isMinimal);
  const lists = new Map<string, CallList>([
    ["blocks", blocks],
    ["solveMany", solveMany(context, touched)],
    ["data", data],
  ]);
  if (isMinimal) for (const [name, list] of minimalLists(context, rows)) lists.set(name, list);
  return { places: { ...places, rows }, lists };
}

function maximalRows(bodyCount: number): RowPlace[] {
  return Array.from({ length: 6 * bodyCount }, (_, index) => ({
    kind: "rate",
    index,
    bodies: [Math.floor(index / 6)],
  }));
}

function reservePanels({ mechanism, memory, unknowns }: SystemPlan, panels: number, isMinimal: boolean): PanelPlaces {
  const count = mechanism.bodies.length;
  const reserve = (rows: number): number => memory.reserve(2 * rows * panels);
  return {
    panels,
    step: reserve(unknowns),
    pose: reserve(6 * count),
    velocity: reserve(6 * count),
    input: reserve(mechanism.inputSize),
    before: isMinimal ? reserve(6 * count) : 0,
    out: isMinimal ? reserve(2 * mechanism.coordinateCount) : 0,
    errorByAttitude: memory.reserve(10 * count),
    errorBySpin: memory.reserve(10 * count),
  };
}

/** The blocks of bodies and nodes, and what they do to cotangents. */
function dataLists(context: JacobianContext, isMinimal: boolean): { blocks: CallList; data: CallList } {
  const { plan, register, places, all } = context;
  const { memory } = plan;
  const sizes = panelSizes(plan);
  const data = new CallList();
  const ofBody = kernelsOfBodySensitivity();
  const bodyCalls = plan.bodies.map(({ addresses }, i): KernelCall => {
    const byVelocity = memory.reserve(ofBody.byVelocity.length);
    const own = {
      byVelocity,
      errorByAttitude: places.errorByAttitude + 10 * i,
      errorBySpin: places.errorBySpin + 10 * i,
    };
    const at = [panelAt(places.step, 6 * i), panelAt(places.velocity, 6 * i), panelAt(places.before, 6 * i)];
    callOverPanels(
      data,
      register,
      velocityPanels(ofBody.byVelocity, sizes, isMinimal),
      [address(byVelocity), ...at],
      all,
    );
    return { kernel: ofBody.blocks, addresses: withPlaces(own, addresses) };
  });
  const nodeCalls = plan.nodes.map((node): KernelCall => {
    const { name, equations } = node.spec.kernels;
    const { kernel, entries, size } = dataKernelOf(name, equations);
    if (entries.length === 0) return { kernel: undefined, addresses: node.addresses };
    const start = memory.reserve(size);
    const addresses = withPlaces({ data: start }, node.addresses);
    node.bodies.forEach((body, k) => {
      if (body !== worldIndex) addresses.set(`errorByAttitude.${k}`, address(places.errorByAttitude + 10 * body));
    });
    const [first, second] = [0, 1].map((k) => Math.max(0, node.bodies[k] ?? 0));
    const at = [
      ...[6 * first, 6 * second, node.multiplier].map((row) => panelAt(places.step, row)),
      ...[first, second].map((body) => panelAt(places.pose, 6 * body)),
      ...[first, second].map((body) => panelAt(places.velocity, 6 * body)),
      panelAt(places.input, node.spec.input),
    ];
    callOverPanels(data, register, dataPanels(name, entries, sizes), [address(start), ...at], all);
    return { kernel, addresses };
  });
  const blocks = pairedCalls(bodyCalls, register, plan.sink);
  blocks.append(pairedCalls(nodeCalls, register, plan.sink));
  return { blocks, data };
}

function solveMany(
  { plan, register, places, all }: JacobianContext,
  touched: readonly (readonly [number, number])[],
): CallList {
  const { sizes, elimination, starts, unknowns } = plan;
  const { diagonal, eliminated, coupling } = plan.factorisation.factors;
  const list = new CallList();
  const vector = (node: number): number => panelAt(places.step, starts[node]);
  const subtract = (target: number, matrix: number, source: number, panels: readonly [number, number]): void => {
    const program = subtractTransposedPanels(sizes[source], sizes[target], unknowns);
    callOverPanels(list, register, program, [vector(target), address(matrix), vector(source)], panels);
  };
  for (const i of elimination.order) for (const j of elimination.later[i]) subtract(j, eliminated(i, j), i, touched[i]);
  for (const i of [...elimination.order].reverse()) {
    const later = elimination.later[i];
    const own = [address(diagonal(i)), vector(i)];
    if (later.length === 1) {
      const [j] = later;
      const at = [...own, address(coupling(j, i)), vector(j)];
      callOverPanels(list, register, solveTransposedPanels(sizes[i], sizes[j], unknowns), at, all);
      continue;
    }
    for (const j of later) subtract(i, coupling(j, i), j, all);
    callOverPanels(list, register, solveTransposedPanels(sizes[i], 0, unknowns), own, all);
  }
  return list;
}
