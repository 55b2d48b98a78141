/**
 * The lists that Jacobians in minimal coordinates need besides those of stepJacobians.ts, in order:
 *   coordinates  values and rates of all joints, poses one step ago, A and B of the tree's joints
 *   readings     rows Y and Y' of the next state's coordinates, straight into the panels
 *   tree         cotangents of states → cotangents of joint positions and velocities, Sᵀ, leaves to root
 */
import { turningCoordinates } from "../equations/index.ts";
import { type Mechanism, type MechanismJoint, worldIndex } from "../mechanism/index.ts";
import { nextLayout } from "./bodyKernels.ts";
import { jointPanels } from "./cotangentPanels.ts";
import { type JacobianContext, panelAt, panelSizes, type RowPlace, withPlaces } from "./jacobianPanels.ts";
import { address, CallList } from "./memory.ts";
import { callOverPanels, panelIndex } from "./panelBuilder.ts";
import { kernelsOfBodyMotion, readingKernelOf, readingRowsKernelOf, toMaximalKernelOf } from "./sensitivityLibrary.ts";
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

/** Coordinates whose positions have rows of their own. Joints that close loops have no columns that they could follow from. */
function valueRowsOf({ loopJoints }: Mechanism, { shape, index, coordinates }: MechanismJoint): number[] {
  return loopJoints.includes(index) ? coordinates.map((_, i) => i) : turningCoordinates(shape);
}

export function minimalRows(mechanism: Mechanism): RowPlace[] {
  return mechanism.joints.flatMap((joint) => {
    const bodies = [joint.parent, joint.child].filter((body) => body !== worldIndex);
    const row = (kind: RowPlace["kind"], i: number): RowPlace => ({ kind, index: joint.coordinateOffset + i, bodies });
    return [
      ...joint.coordinates.map((_, i) => row("rate", i)),
      ...valueRowsOf(mechanism, joint).map((i) => row("value", i)),
    ];
  });
}

export function minimalLists(context: JacobianContext, rows: readonly RowPlace[]): Map<string, CallList> {
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
  const { calls, tree } = treeLists(context, motion);
  coordinates.append(pairedCalls(calls, context.register, context.plan.sink));
  return new Map([
    ["coordinates", coordinates],
    ["readings", readingList(context, rows)],
    ["tree", tree],
  ]);
}

/** Where bodies were, how their spin follows, and what the joints' coordinates are. */
function motionList({ plan, register }: JacobianContext, motion: Motion): CallList {
  const { before, spin } = kernelsOfBodyMotion();
  const { mechanism, places } = plan;
  const bodies = mechanism.bodies.map((_, i) =>
    withPlaces({
      globals: places.globals,
      pose: places.state + 13 * i,
      velocity: places.state + 13 * i + 7,
      before: motion.before + 8 * i,
      spinByNow: motion.spinByNow + 10 * i,
      spinByBefore: motion.spinByBefore + 10 * i,
    }),
  );
  const list = new CallList();
  const append = (calls: readonly KernelCall[]): void => list.append(pairedCalls(calls, register, plan.sink));
  for (const kernel of [before, spin]) append(bodies.map((addresses) => ({ kernel, addresses })));
  append(
    mechanism.joints.map(({ index, shape, parent, child, coordinates }) => ({
      kernel: coordinates.length > 0 ? readingKernelOf(shape, parent !== worldIndex) : undefined,
      addresses: withPlaces({
        globals: places.globals,
        frame: plan.nodes[index].parameters,
        "earlier.0": motion.before + 8 * Math.max(0, parent),
        "earlier.1": motion.before + 8 * child,
        "now.0": places.state + 13 * Math.max(0, parent),
        "now.1": places.state + 13 * child,
        values: motion.values[index],
        rates: motion.rates[index],
      }),
    })),
  );
  return list;
}

/** A and B of the tree's joints, and the walk that takes cotangents back along them. */
function treeLists(context: JacobianContext, motion: Motion): { calls: KernelCall[]; tree: CallList } {
  const { plan, places, register, all } = context;
  const { mechanism, memory } = plan;
  const sizes = panelSizes(plan);
  const calls: KernelCall[] = [];
  const tree = new CallList();
  for (const { joint: index, reversed } of [...mechanism.tree].reverse()) {
    const joint = mechanism.joints[index];
    const [near, far] = reversed ? [joint.child, joint.parent] : [joint.parent, joint.child];
    const nearOrAny = Math.max(0, near);
    const blocks = toMaximalKernelOf({ type: joint.shape, nearMoves: near !== worldIndex, reversed });
    const start = memory.reserve(blocks.size);
    const addresses = withPlaces({
      globals: plan.places.globals,
      frame: plan.nodes[index].parameters,
      values: motion.values[index],
      rates: motion.rates[index],
      near: plan.places.state + 13 * nearOrAny,
      nearBefore: motion.before + 8 * nearOrAny,
      far: plan.places.state + 13 * far,
      farBefore: motion.before + 8 * far,
      blocks: start,
    });
    calls.push({ kernel: blocks.kernel, addresses });
    const program = jointPanels(blocks.kernel.program.name, blocks, joint.coordinates.length, sizes);
    const at = [
      ...[start, motion.spinByNow + 10 * far, motion.spinByBefore + 10 * far, plan.places.globals].map(address),
      ...[places.pose, places.velocity, places.before].map((panels) => panelAt(panels, 6 * far)),
      ...[places.pose, places.before].map((panels) => panelAt(panels, 6 * nearOrAny)),
      panelAt(places.out, joint.coordinateOffset),
      panelAt(places.out, mechanism.coordinateCount + joint.coordinateOffset),
    ];
    callOverPanels(tree, register, program, at, all);
  }
  return { calls, tree };
}

/** What each coordinate of the next state takes from states and steps. */
function readingList({ plan, register, places: panels }: JacobianContext, rows: readonly RowPlace[]): CallList {
  const { mechanism, places, unknowns } = plan;
  const states = 6 * mechanism.bodies.length;
  const vectorOf = new Map(rows.map(({ kind, index }, vector) => [`${kind}.${index}`, vector]));
  const calls = mechanism.joints.map((joint): KernelCall => {
    const { shape, parent, child, coordinateOffset } = joint;
    const ownRows = [
      ...joint.coordinates.map((_, i) => `rate.${coordinateOffset + i}`),
      ...valueRowsOf(mechanism, joint).map((i) => `value.${coordinateOffset + i}`),
    ];
    const addresses = withPlaces({ globals: places.globals, frame: plan.nodes[joint.index].parameters });
    [parent, child].forEach((body, k) => {
      if (body === worldIndex) return;
      const set = (name: string, index: number): void => {
        addresses.set(name, address(index));
      };
      set(`earlier.${k}`, places.state + 13 * body);
      set(`now.${k}`, places.next + nextLayout.size * body);
      set(`byAttitude.${k}`, panels.errorByAttitude + 10 * body);
      set(`bySpin.${k}`, panels.errorBySpin + 10 * body);
      ownRows.forEach((name, r) => {
        const vector = vectorOf.get(name) as number;
        set(`pose.${k}.${r}`, panelIndex(panels.pose, states, 6 * body, vector));
        set(`step.${k}.${r}`, panelIndex(panels.step, unknowns, 6 * body, vector));
      });
    });
    const kernel =
      ownRows.length > 0 ? readingRowsKernelOf(shape, parent !== worldIndex, valueRowsOf(mechanism, joint)) : undefined;
    return { kernel, addresses };
  });
  return pairedCalls(calls, register, plan.sink);
}
