/**
 * All Jacobians of a solved step at once, in panels of two columns (panelKernels.ts):
 *   columns      maximal: 12 a body (attitude errors), then inputs;   minimal: joint positions, joint velocities, inputs
 *   blocks       D̃ of every node, and what a body's next state takes from its state and step
 *   solveMany    step = R⁻¹ rhs by the step's own factors, all columns
 * Minimal coordinates have more lists (minimalJacobians.ts). What lies between the lists (scattering small blocks into columns)
 * is done by whoever calls.
 */
import { worldIndex } from "../mechanism/index.ts";
import type { Register } from "./elimination.ts";
import {
  callProduct,
  type JacobianContext,
  type PanelPlaces,
  type PlacedBlock,
  type PlacedJoint,
  panelAt,
  withPlaces,
} from "./jacobianPanels.ts";
import { address, CallList } from "./memory.ts";
import { minimalLists } from "./minimalJacobians.ts";
import { stride } from "./nodeKernels.ts";
import { panelSolveProgram } from "./panelKernels.ts";
import type { SystemPlan } from "./plan.ts";
import type { DataBlock } from "./sensitivityKernels.ts";
import { dataKernelOf, kernelsOfBodySensitivity } from "./sensitivityLibrary.ts";
import { type KernelCall, pairedCalls } from "./system.ts";

export interface JacobianPlaces extends PanelPlaces {
  readonly blocks: readonly PlacedBlock[];
  readonly joints: readonly PlacedJoint[];
}

export function stepJacobians(
  plan: SystemPlan,
  register: Register,
  coordinates: "maximal" | "minimal",
): { places: JacobianPlaces; lists: Map<string, CallList> } {
  const { mechanism } = plan;
  const isMinimal = coordinates === "minimal";
  const stateColumns = isMinimal ? 2 * mechanism.coordinateCount : 12 * mechanism.bodies.length;
  const places = reservePanels(plan, stateColumns + mechanism.inputSize, isMinimal);
  const context: JacobianContext = {
    plan,
    register,
    places,
    statePanels: (stateColumns + 1) >> 1,
    positionPanels: (mechanism.coordinateCount + 1) >> 1,
  };
  const { blocks, list } = blockList(context);
  const lists = new Map<string, CallList>([
    ["blocks", list],
    ["solveMany", solveMany(context)],
  ]);
  const minimal = isMinimal ? minimalLists(context, blocks) : undefined;
  for (const [name, more] of minimal?.lists ?? []) lists.set(name, more);
  return { places: { ...places, blocks, joints: minimal?.joints ?? [] }, lists };
}

function reservePanels({ mechanism, memory, unknowns }: SystemPlan, columns: number, isMinimal: boolean): PanelPlaces {
  const count = mechanism.bodies.length;
  const panels = (columns + 1) >> 1;
  const reserve = (rows: number): number => memory.reserve(2 * rows * panels);
  return {
    columns,
    panels,
    byVelocity: memory.reserve(36 * count),
    errorByAttitude: memory.reserve(10 * count),
    errorBySpin: memory.reserve(10 * count),
    step: reserve(unknowns),
    state: isMinimal ? reserve(12 * count) : 0,
    error: isMinimal ? reserve(12 * count) : 0,
    before: isMinimal ? reserve(6 * count) : 0,
    out: isMinimal ? reserve(2 * mechanism.coordinateCount) : 0,
  };
}

/** Blocks of bodies and nodes. */
function blockList({ plan, register, places }: JacobianContext): { blocks: PlacedBlock[]; list: CallList } {
  const { mechanism, memory } = plan;
  const carry = memory.reserve(12 * mechanism.bodies.length);
  const bodyCalls = plan.bodies.map(({ addresses }, i): KernelCall => {
    const own = {
      carry: carry + 12 * i,
      byVelocity: places.byVelocity + 36 * i,
      errorByAttitude: places.errorByAttitude + 10 * i,
      errorBySpin: places.errorBySpin + 10 * i,
    };
    return { kernel: kernelsOfBodySensitivity().blocks, addresses: withPlaces(own, addresses) };
  });
  const placed: PlacedBlock[] = [];
  const nodeCalls = plan.nodes.map((node): KernelCall => {
    const { kernel, blocks } = dataKernelOf(node.spec.kernels.name, node.spec.kernels.equations);
    const addresses = new Map(node.addresses);
    node.bodies.forEach((body, k) => {
      if (body !== worldIndex) addresses.set(`carry.${k}`, address(carry + 12 * body));
    });
    for (const block of blocks) {
      const index = memory.reserve(block.rowCount * stride(block.columnCount));
      addresses.set(block.operand, address(index));
      placed.push(placedBlock(block, index, node.bodies, node.multiplier, node.spec.input));
    }
    return { kernel: blocks.length > 0 ? kernel : undefined, addresses };
  });
  const list = pairedCalls(bodyCalls, register, plan.sink);
  list.append(pairedCalls(nodeCalls, register, plan.sink));
  return { blocks: placed, list };
}

function placedBlock(
  block: DataBlock,
  index: number,
  bodies: readonly number[],
  multiplier: number,
  input: number,
): PlacedBlock {
  return {
    index,
    row: block.rows === "own" ? multiplier : 6 * bodies[block.rows],
    rowCount: block.rowCount,
    columns: block.columns === "input" ? "input" : "state",
    column: block.columns === "input" ? input : bodies[block.columns],
    columnCount: block.columnCount,
  };
}

function solveMany(context: JacobianContext): CallList {
  const { plan, register, places } = context;
  const { sizes, elimination, starts, unknowns: rows } = plan;
  const { diagonal, eliminated, coupling } = plan.factorisation.factors;
  const list = new CallList();
  const subtract = (target: number, matrix: number, source: number): void => {
    const shape = { rows: sizes[target], columns: sizes[source], matrixStride: stride(sizes[source]) };
    const addresses = [panelAt(places.step, starts[target]), address(matrix), panelAt(places.step, starts[source])];
    callProduct(list, context, { ...shape, targetRows: rows, sourceRows: rows, sign: -1 }, addresses, places.panels);
  };
  for (const i of elimination.order) {
    const program = register(`panelSolve.${sizes[i]}.${rows}`, () => panelSolveProgram(sizes[i], rows));
    list.call(program, [address(diagonal(i)), panelAt(places.step, starts[i])], places.panels);
    for (const j of elimination.later[i]) subtract(j, coupling(j, i), i);
  }
  for (const i of [...elimination.order].reverse())
    for (const j of elimination.later[i]) subtract(i, eliminated(i, j), j);
  return list;
}
