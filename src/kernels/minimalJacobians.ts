/**
 * The lists that Jacobians in minimal coordinates need besides those of stepJacobians.ts, in order:
 *   coordinates  values and rates of all joints, poses one step ago, A and B of the tree's joints
 *   reach        S = dz/dx, the kinematic Jacobian now and one step earlier, root to leaves, and velocities from the two
 *   rhs.many     −D̃ S
 *   next         error of the next state, and its joint coordinates
 */
import { type MechanismJoint, worldIndex } from "../mechanism/index.ts";
import { nextLayout } from "./bodyKernels.ts";
import { nextPanelProgram, velocityPanelProgram } from "./bodyPanels.ts";
import {
  callProduct,
  type JacobianContext,
  type PlacedBlock,
  type PlacedJoint,
  panelAt,
  withPlaces,
} from "./jacobianPanels.ts";
import { address, CallList } from "./memory.ts";
import { stride } from "./nodeKernels.ts";
import { kernelsOfBodyMotion, toMaximalKernelOf, toMinimalKernelOf } from "./sensitivityLibrary.ts";
import { type KernelCall, pairedCalls } from "./system.ts";

/** Places in memory of what the lists hand on. */
interface Motion {
  /** 7 (of 8) a body: the pose one step ago. */
  readonly before: number;
  /** 9 (of 10) a body. */
  readonly spinByNow: number;
  readonly spinByBefore: number;
  /** Of each joint. */
  readonly values: readonly number[];
  readonly rates: readonly number[];
}

export function minimalLists(
  context: JacobianContext,
  blocks: readonly PlacedBlock[],
): { lists: Map<string, CallList>; joints: PlacedJoint[] } {
  const { mechanism, memory } = context.plan;
  const count = mechanism.bodies.length;
  const perJoint = (): number[] => mechanism.joints.map((joint) => memory.reserve(joint.coordinates.length));
  const motion: Motion = {
    before: memory.reserve(8 * count),
    spinByNow: memory.reserve(10 * count),
    spinByBefore: memory.reserve(10 * count),
    values: perJoint(),
    rates: perJoint(),
  };
  const coordinates = motionList(context, motion);
  const { calls, reach, joints } = treeLists(context, motion);
  coordinates.append(pairedCalls(calls, context.register, context.plan.sink));
  reach.append(velocityList(context, motion));
  const lists = new Map([
    ["coordinates", coordinates],
    ["reach", reach],
    ["rhs.many", rhsList(context, blocks)],
    ["next", nextList(context, motion)],
  ]);
  return { lists, joints };
}

/** Where bodies were, how their spin follows, and what the joints' coordinates are. */
function motionList(context: JacobianContext, motion: Motion): CallList {
  const { plan, register } = context;
  const { before, spin } = kernelsOfBodyMotion();
  const bodies = plan.mechanism.bodies.map((_, i) =>
    withPlaces({
      globals: plan.places.globals,
      pose: plan.places.state + 13 * i,
      velocity: plan.places.state + 13 * i + 7,
      before: motion.before + 8 * i,
      spinByNow: motion.spinByNow + 10 * i,
      spinByBefore: motion.spinByBefore + 10 * i,
    }),
  );
  const list = new CallList();
  for (const kernel of [before, spin]) {
    list.append(
      pairedCalls(
        bodies.map((addresses) => ({ kernel, addresses })),
        register,
        plan.sink,
      ),
    );
  }
  const joints = plan.mechanism.joints.map((joint) => toMinimalCall(context, motion, joint, "state").call);
  list.append(pairedCalls(joints, register, plan.sink));
  return list;
}

/** A and B of the tree's joints, and the walk that carries S along them. */
function treeLists(
  context: JacobianContext,
  motion: Motion,
): { calls: KernelCall[]; reach: CallList; joints: PlacedJoint[] } {
  const { plan, places, positionPanels, statePanels } = context;
  const { mechanism, memory } = plan;
  const count = mechanism.bodies.length;
  const calls: KernelCall[] = [];
  const joints: PlacedJoint[] = [];
  const reach = new CallList();
  for (const { joint: index, reversed } of mechanism.tree) {
    const joint = mechanism.joints[index];
    const [near, far] = reversed ? [joint.child, joint.parent] : [joint.parent, joint.child];
    const size = joint.coordinates.length;
    const block = (columns: number): number => memory.reserve(6 * stride(columns));
    const nearBlock = block(6);
    const nearBeforeBlock = block(6);
    const own = { values: block(size), beforeByValues: block(size), beforeByRates: block(size) };
    const addresses = withPlaces({
      globals: plan.places.globals,
      frame: plan.nodes[index].parameters,
      values: motion.values[index],
      rates: motion.rates[index],
      near: plan.places.state + 13 * Math.max(0, near),
      nearBefore: motion.before + 8 * Math.max(0, near),
      far: plan.places.state + 13 * far,
      farBefore: motion.before + 8 * far,
      nearBlock,
      nearBeforeBlock,
      valuesBlock: own.values,
      beforeByValues: own.beforeByValues,
      beforeByRates: own.beforeByRates,
    });
    calls.push({
      kernel: toMaximalKernelOf({ type: joint.shape, nearMoves: near !== worldIndex, reversed }),
      addresses,
    });
    joints.push({ far, coordinate: joint.coordinateOffset, count: size, ...own });
    if (near === worldIndex) continue;
    const carry = (start: number, rows: number, matrix: number, trips: number): void => {
      const shape = {
        rows: 6,
        columns: 6,
        matrixStride: 6,
        targetRows: rows * count,
        sourceRows: rows * count,
        sign: 1 as const,
      };
      const at = [panelAt(start, rows * far), address(matrix), panelAt(start, rows * near)];
      callProduct(reach, context, shape, at, trips);
    };
    carry(places.state, 12, nearBlock, positionPanels);
    carry(places.before, 6, nearBeforeBlock, statePanels);
  }
  return { calls, reach, joints };
}

/** Velocity rows of S. */
function velocityList({ plan, register, places, statePanels }: JacobianContext, motion: Motion): CallList {
  const count = plan.mechanism.bodies.length;
  const list = new CallList();
  const program = register(`velocityPanel.${12 * count}.${6 * count}`, () =>
    velocityPanelProgram(12 * count, 6 * count),
  );
  for (let i = 0; i < count; i++) {
    const spins = [motion.spinByNow + 10 * i, motion.spinByBefore + 10 * i, plan.places.globals].map(address);
    list.call(program, [panelAt(places.state, 12 * i), panelAt(places.before, 6 * i), ...spins], statePanels);
  }
  return list;
}

/** rhs ← rhs − D̃ S. Blocks that only know poses meet the columns of positions alone. */
function rhsList(context: JacobianContext, blocks: readonly PlacedBlock[]): CallList {
  const { plan, places, positionPanels, statePanels } = context;
  const count = plan.mechanism.bodies.length;
  const list = new CallList();
  const subtract = (
    row: number,
    rows: number,
    matrix: number,
    columns: number,
    source: number,
    trips: number,
  ): void => {
    const shape = {
      rows,
      columns,
      matrixStride: stride(columns),
      targetRows: plan.unknowns,
      sourceRows: 12 * count,
      sign: -1 as const,
    };
    callProduct(
      list,
      context,
      shape,
      [panelAt(places.step, row), address(matrix), panelAt(places.state, source)],
      trips,
    );
  };
  for (let i = 0; i < count; i++) subtract(6 * i, 6, places.byVelocity + 36 * i, 6, 12 * i + 6, statePanels);
  for (const { row, rowCount, index, columns, columnCount, column } of blocks) {
    if (columns === "state")
      subtract(row, rowCount, index, columnCount, 12 * column, columnCount === 6 ? positionPanels : statePanels);
  }
  return list;
}

/** Error of the next state, and joint coordinates of it. */
function nextList(context: JacobianContext, motion: Motion): CallList {
  const { plan, register, places } = context;
  const { mechanism, unknowns } = plan;
  const count = mechanism.bodies.length;
  const list = new CallList();
  const program = register(`nextPanel.${12 * count}.${unknowns}`, () => nextPanelProgram(12 * count, unknowns));
  for (let i = 0; i < count; i++) {
    const panels = [panelAt(places.error, 12 * i), panelAt(places.state, 12 * i), panelAt(places.step, 6 * i)];
    const matrices = [places.errorByAttitude + 10 * i, places.errorBySpin + 10 * i, plan.places.globals].map(address);
    list.call(program, [...panels, ...matrices], places.panels);
  }
  const outs = mechanism.joints.map((joint) => toMinimalCall(context, motion, joint, "next"));
  list.append(
    pairedCalls(
      outs.map(({ call }) => call),
      register,
      plan.sink,
    ),
  );
  mechanism.joints.forEach((joint, i) => {
    const rows = 2 * joint.coordinates.length;
    if (rows === 0) return;
    const target = panelAt(places.out, 2 * joint.coordinateOffset);
    const shape = {
      rows,
      columns: 12,
      matrixStride: 12,
      targetRows: 2 * mechanism.coordinateCount,
      sourceRows: 12 * count,
    };
    const product = (sign: 0 | 1, matrix: number, body: number): void =>
      callProduct(
        list,
        context,
        { ...shape, sign },
        [target, address(matrix), panelAt(places.error, 12 * body)],
        places.panels,
      );
    product(0, outs[i].byChild, joint.child);
    if (joint.parent !== worldIndex) product(1, outs[i].byParent, joint.parent);
  });
  return list;
}

/** Coordinates of a joint at the state or at the next state, with their derivatives. */
function toMinimalCall(
  { plan }: JacobianContext,
  motion: Motion,
  joint: MechanismJoint,
  when: "state" | "next",
): { call: KernelCall; byParent: number; byChild: number } {
  const { places, memory } = plan;
  const count = joint.coordinates.length;
  const byParent = memory.reserve(24 * count);
  const byChild = memory.reserve(24 * count);
  const pose = (body: number): number =>
    when === "state" ? places.state + 13 * body : places.next + nextLayout.size * body;
  const velocity = (body: number): number =>
    when === "state" ? places.state + 13 * body + 7 : places.unknown + 6 * body;
  const parent = Math.max(0, joint.parent);
  const addresses = withPlaces({
    globals: places.globals,
    frame: plan.nodes[joint.index].parameters,
    "pose.0": pose(parent),
    "velocity.0": velocity(parent),
    "pose.1": pose(joint.child),
    "velocity.1": velocity(joint.child),
    values: motion.values[joint.index],
    rates: motion.rates[joint.index],
    byParent,
    byChild,
  });
  const kernel = count > 0 ? toMinimalKernelOf(joint.shape, joint.parent !== worldIndex) : undefined;
  return { call: { kernel, addresses }, byParent, byChild };
}
