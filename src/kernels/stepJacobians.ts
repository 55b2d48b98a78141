/**
 * All Jacobians of a solved step at once, in panels of two columns:
 *   columns      maximal: 12 a body (attitude errors), then inputs;   minimal: joint positions, joint velocities, inputs
 *   S = dz/dx    minimal only: the kinematic Jacobian, root to leaves, now and one step earlier
 *   rhs = −D̃ S   from the nodes' blocks;     step = R⁻¹ rhs by the step's own factors;     next = d(error of z₊)
 *   out          minimal only: joint coordinates of z₊ by its error
 * The lists run in this order: `blocks`, `reach`, `rhs`, `solveMany`, `next`, `out`; what lies between them (scattering small
 * blocks into columns) is done by whoever calls.
 */
import { type MechanismJoint, worldIndex } from "../mechanism/index.ts";
import { nextLayout } from "./bodyKernels.ts";
import { nextPanelProgram, velocityPanelProgram } from "./bodyPanels.ts";
import type { Register } from "./elimination.ts";
import { address, CallList } from "./memory.ts";
import { stride } from "./nodeKernels.ts";
import { type PanelProduct, panelProductProgram, panelSolveProgram } from "./panelKernels.ts";
import type { SystemPlan } from "./plan.ts";
import type { DataBlock } from "./sensitivityKernels.ts";
import {
  dataKernelOf,
  kernelsOfBodyMotion,
  kernelsOfBodySensitivity,
  toMaximalKernelOf,
  toMinimalKernelOf,
} from "./sensitivityLibrary.ts";
import { type KernelCall, pairedCalls } from "./system.ts";

/** A block of D̃ in memory: rows among the unknowns, columns a body's state or inputs. */
export interface PlacedBlock {
  readonly index: number;
  readonly row: number;
  readonly rowCount: number;
  readonly columns: "state" | "input";
  /** Body, or offset in the input. */
  readonly column: number;
  readonly columnCount: number;
}

/** B blocks of a tree joint: what its own coordinates do to the far body. */
export interface PlacedJoint {
  readonly far: number;
  readonly coordinate: number;
  readonly count: number;
  readonly values: number;
  readonly beforeByValues: number;
  readonly beforeByRates: number;
}

export interface JacobianPlaces {
  readonly columns: number;
  readonly panels: number;
  /** Panels of `unknowns` rows. */
  readonly step: number;
  /** Panels of 12 rows a body: dz/dx, then the next state's error. */
  readonly state: number;
  readonly error: number;
  /** Panels of 6 rows a body: the earlier pose; and of 2 rows a coordinate: the result. Minimal only. */
  readonly before: number;
  readonly out: number;
  readonly blocks: readonly PlacedBlock[];
  readonly joints: readonly PlacedJoint[];
  /** d balance/d(v, ω), 6 × 6 a body; dφ₊/dδθ and dφ₊/dω₊, 9 a body each. */
  readonly byVelocity: number;
  readonly errorByAttitude: number;
  readonly errorBySpin: number;
}

export function stepJacobians(
  plan: SystemPlan,
  register: Register,
  coordinates: "maximal" | "minimal",
): { places: JacobianPlaces; lists: Map<string, CallList> } {
  const { mechanism, memory, unknowns } = plan;
  const count = mechanism.bodies.length;
  const isMinimal = coordinates === "minimal";
  const stateColumns = isMinimal ? 2 * mechanism.coordinateCount : 12 * count;
  const columns = stateColumns + mechanism.inputSize;
  const panels = (columns + 1) >> 1;
  const statePanels = (stateColumns + 1) >> 1;
  const positionPanels = (mechanism.coordinateCount + 1) >> 1;
  const stateRows = 12 * count;
  const beforeRows = 6 * count;
  const outRows = 2 * mechanism.coordinateCount;

  const reserveBodies = (size: number): number => memory.reserve(size * count);
  const carry = reserveBodies(12);
  const base = {
    columns,
    panels,
    byVelocity: reserveBodies(36),
    errorByAttitude: reserveBodies(10),
    errorBySpin: reserveBodies(10),
    step: memory.reserve(2 * unknowns * panels),
    state: isMinimal ? memory.reserve(2 * stateRows * panels) : 0,
    error: isMinimal ? memory.reserve(2 * stateRows * panels) : 0,
    before: isMinimal ? memory.reserve(2 * beforeRows * panels) : 0,
    out: isMinimal ? memory.reserve(2 * outRows * panels) : 0,
  };
  const panelAt = (start: number, row: number): number => address(start + 2 * row);

  // blocks of bodies and nodes
  const bodyAddresses = plan.bodies.map(
    ({ addresses }, i) =>
      new Map([
        ...addresses,
        ["carry", address(carry + 12 * i)],
        ["byVelocity", address(base.byVelocity + 36 * i)],
        ["errorByAttitude", address(base.errorByAttitude + 10 * i)],
        ["errorBySpin", address(base.errorBySpin + 10 * i)],
      ]),
  );
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
  const lists = new Map<string, CallList>();
  const bodyKernels = kernelsOfBodySensitivity();
  const blocksList = pairedCalls(
    bodyAddresses.map((addresses) => ({ kernel: bodyKernels.blocks, addresses })),
    register,
    plan.sink,
  );
  append(blocksList, pairedCalls(nodeCalls, register, plan.sink));
  lists.set("blocks", blocksList);
  lists.set("solveMany", solveMany());

  const joints: PlacedJoint[] = [];
  if (isMinimal) planMinimal();
  return { places: { ...base, blocks: placed, joints }, lists };

  function product(list: CallList, p: PanelProduct, addresses: readonly number[], trips: number): void {
    list.call(
      register(`panelProduct.${Object.values(p).join(".")}`, () => panelProductProgram(p)),
      addresses,
      trips,
    );
  }

  function solveMany(): CallList {
    const list = new CallList();
    const { sizes, elimination, starts } = plan;
    const { diagonal, eliminated, coupling } = plan.factorisation.factors;
    const rows = unknowns;
    const subtract = (target: number, matrix: number, source: number): void =>
      product(
        list,
        {
          rows: sizes[target],
          columns: sizes[source],
          matrixStride: stride(sizes[source]),
          targetRows: rows,
          sourceRows: rows,
          sign: -1,
        },
        [panelAt(base.step, starts[target]), address(matrix), panelAt(base.step, starts[source])],
        panels,
      );
    for (const i of elimination.order) {
      const program = register(`panelSolve.${sizes[i]}.${rows}`, () => panelSolveProgram(sizes[i], rows));
      list.call(program, [address(diagonal(i)), panelAt(base.step, starts[i])], panels);
      for (const j of elimination.later[i]) subtract(j, coupling(j, i), i);
    }
    for (const i of [...elimination.order].reverse())
      for (const j of elimination.later[i]) subtract(i, eliminated(i, j), j);
    return list;
  }

  /** S by the tree, rhs by products, and the way back to joint coordinates. */
  function planMinimal(): void {
    const before = reserveBodies(8);
    const spinByNow = reserveBodies(10);
    const spinByBefore = reserveBodies(10);
    const values = mechanism.joints.map((joint) => memory.reserve(joint.coordinates.length));
    const rates = mechanism.joints.map((joint) => memory.reserve(joint.coordinates.length));
    const motion = kernelsOfBodyMotion();
    const { globals } = plan.places;

    // where bodies were, what the joints' coordinates are
    const motionAddresses = mechanism.bodies.map(
      (_, i) =>
        new Map(
          Object.entries({
            globals,
            pose: plan.places.state + 13 * i,
            velocity: plan.places.state + 13 * i + 7,
            before: before + 8 * i,
            spinByNow: spinByNow + 10 * i,
            spinByBefore: spinByBefore + 10 * i,
          }).map(([name, index]) => [name, address(index)]),
        ),
    );
    const motionList = pairedCalls(
      motionAddresses.map((addresses) => ({ kernel: motion.before, addresses })),
      register,
      plan.sink,
    );
    append(
      motionList,
      pairedCalls(
        motionAddresses.map((addresses) => ({ kernel: motion.spin, addresses })),
        register,
        plan.sink,
      ),
    );
    append(
      motionList,
      pairedCalls(
        mechanism.joints.map((joint) => toMinimalCall(joint, "state").call),
        register,
        plan.sink,
      ),
    );

    // A and B of the tree's joints
    const reach = new CallList();
    const treeCalls: KernelCall[] = [];
    for (const { joint: index, reversed } of mechanism.tree) {
      const joint = mechanism.joints[index];
      const [near, far] = reversed ? [joint.child, joint.parent] : [joint.parent, joint.child];
      const size = joint.coordinates.length;
      const block = (columnCount: number): number => memory.reserve(6 * stride(columnCount));
      const at = {
        near: block(6),
        nearBefore: block(6),
        values: block(size),
        beforeByValues: block(size),
        beforeByRates: block(size),
      };
      const addresses = new Map(
        Object.entries({
          globals,
          frame: plan.nodes[index].parameters,
          values: values[index],
          rates: rates[index],
          near: plan.places.state + 13 * Math.max(0, near),
          nearBefore: before + 8 * Math.max(0, near),
          far: plan.places.state + 13 * far,
          farBefore: before + 8 * far,
          nearBlock: at.near,
          nearBeforeBlock: at.nearBefore,
          valuesBlock: at.values,
          beforeByValues: at.beforeByValues,
          beforeByRates: at.beforeByRates,
        }).map(([name, place]) => [name, address(place)]),
      );
      treeCalls.push({
        kernel: toMaximalKernelOf({ type: joint.shape, nearMoves: near !== worldIndex, reversed }),
        addresses,
      });
      joints.push({
        far,
        coordinate: joint.coordinateOffset,
        count: size,
        values: at.values,
        beforeByValues: at.beforeByValues,
        beforeByRates: at.beforeByRates,
      });
      if (near === worldIndex) continue;
      const shape = { rows: 6, columns: 6, matrixStride: 6, sign: 1 as const };
      product(
        reach,
        { ...shape, targetRows: stateRows, sourceRows: stateRows },
        [panelAt(base.state, 12 * far), address(at.near), panelAt(base.state, 12 * near)],
        positionPanels,
      );
      product(
        reach,
        { ...shape, targetRows: beforeRows, sourceRows: beforeRows },
        [panelAt(base.before, 6 * far), address(at.nearBefore), panelAt(base.before, 6 * near)],
        statePanels,
      );
    }
    append(motionList, pairedCalls(treeCalls, register, plan.sink));
    lists.set("coordinates", motionList);

    // velocity rows of S
    const velocityProgram = register(`velocityPanel.${stateRows}.${beforeRows}`, () =>
      velocityPanelProgram(stateRows, beforeRows),
    );
    mechanism.bodies.forEach((_, i) => {
      reach.call(
        velocityProgram,
        [
          panelAt(base.state, 12 * i),
          panelAt(base.before, 6 * i),
          address(spinByNow + 10 * i),
          address(spinByBefore + 10 * i),
          address(globals),
        ],
        statePanels,
      );
    });
    lists.set("reach", reach);

    // rhs = −D̃ S
    const rhs = new CallList();
    mechanism.bodies.forEach((_, i) => {
      const shape = {
        rows: 6,
        columns: 6,
        matrixStride: 6,
        targetRows: unknowns,
        sourceRows: stateRows,
        sign: -1 as const,
      };
      product(
        rhs,
        shape,
        [panelAt(base.step, 6 * i), address(base.byVelocity + 36 * i), panelAt(base.state, 12 * i + 6)],
        statePanels,
      );
    });
    for (const block of placed) {
      if (block.columns !== "state") continue;
      const shape = {
        rows: block.rowCount,
        columns: block.columnCount,
        matrixStride: stride(block.columnCount),
        targetRows: unknowns,
        sourceRows: stateRows,
        sign: -1 as const,
      };
      product(
        rhs,
        shape,
        [panelAt(base.step, block.row), address(block.index), panelAt(base.state, 12 * block.column)],
        block.columnCount === 6 ? positionPanels : statePanels,
      );
    }
    lists.set("rhs.many", rhs);

    // error of the next state, and joint coordinates of it
    const next = new CallList();
    const nextProgram = register(`nextPanel.${stateRows}.${unknowns}`, () => nextPanelProgram(stateRows, unknowns));
    mechanism.bodies.forEach((_, i) => {
      next.call(
        nextProgram,
        [
          panelAt(base.error, 12 * i),
          panelAt(base.state, 12 * i),
          panelAt(base.step, 6 * i),
          address(base.errorByAttitude + 10 * i),
          address(base.errorBySpin + 10 * i),
          address(globals),
        ],
        panels,
      );
    });
    const outCalls = mechanism.joints.map((joint) => toMinimalCall(joint, "next"));
    append(
      next,
      pairedCalls(
        outCalls.map(({ call }) => call),
        register,
        plan.sink,
      ),
    );
    mechanism.joints.forEach((joint, i) => {
      const size = joint.coordinates.length;
      if (size === 0) return;
      const { byParent, byChild } = outCalls[i];
      const target = panelAt(base.out, 2 * joint.coordinateOffset);
      const shape = { rows: 2 * size, columns: 12, matrixStride: 12, targetRows: outRows, sourceRows: stateRows };
      product(next, { ...shape, sign: 0 }, [target, address(byChild), panelAt(base.error, 12 * joint.child)], panels);
      if (joint.parent !== worldIndex)
        product(
          next,
          { ...shape, sign: 1 },
          [target, address(byParent), panelAt(base.error, 12 * joint.parent)],
          panels,
        );
    });
    lists.set("next", next);

    function toMinimalCall(
      joint: MechanismJoint,
      when: "state" | "next",
    ): { call: KernelCall; byParent: number; byChild: number } {
      const byParent = memory.reserve(24 * joint.coordinates.length);
      const byChild = memory.reserve(24 * joint.coordinates.length);
      const pose = (body: number): number =>
        when === "state" ? plan.places.state + 13 * body : plan.places.next + nextLayout.size * body;
      const velocity = (body: number): number =>
        when === "state" ? plan.places.state + 13 * body + 7 : plan.places.unknown + 6 * body;
      const parent = Math.max(0, joint.parent);
      const addresses = new Map(
        Object.entries({
          globals,
          frame: plan.nodes[joint.index].parameters,
          "pose.0": pose(parent),
          "velocity.0": velocity(parent),
          "pose.1": pose(joint.child),
          "velocity.1": velocity(joint.child),
          values: values[joint.index],
          rates: rates[joint.index],
          byParent,
          byChild,
        }).map(([name, place]) => [name, address(place)]),
      );
      const kernel =
        joint.coordinates.length > 0 ? toMinimalKernelOf(joint.shape, joint.parent !== worldIndex) : undefined;
      return { call: { kernel, addresses }, byParent, byChild };
    }
  }
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

function append(list: CallList, more: CallList): void {
  for (const word of more.words) list.words.push(word);
  list.entries += more.entries;
}
