/**
 * Joint coordinates ⇄ body states as kernels over one small memory of their own: no allocation, two joints at once.
 *   minimal   values and rates of every joint from the states of its bodies
 *   maximal   along the spanning tree, level by level: each body's pose now and one step earlier from the body before it, and then
 *             v = (x − x₋)/h,   ω = 2 vec(q₋⁻¹ q)/h
 * The expressions are those of equations/: jointGeometry.ts one way, jointTransform.ts the other.
 *
 * Memory: h │ frames │ states 13 per body │ earlier poses 7 per body │ values │ rates │ sink │ call lists
 */
import { chooseTarget, type Target } from "../codegen/index.ts";
import {
  attitudeError,
  childPose,
  coordinates,
  earlierTransform,
  frameParameters,
  framesFrom,
  type JointType,
  jointTransform,
  type Pose,
  parentPose,
  poseBefore,
  poseOf,
  relativePose,
  worldPose,
} from "../equations/index.ts";
import { bodyStateSize, poseSize } from "../math/index.ts";
import { type Mechanism, type MechanismJoint, worldIndex } from "../mechanism/index.ts";
import { div, type Expr, vsub } from "../symbolic/index.ts";
import { type AnglesNear, addTurnsInto, type RepeatingCoordinate, repeatingCoordinates } from "./angles.ts";
import { type Call, CallLists, type Kernel, keyOf, symbolOperands as symbols } from "./callLists.ts";
import { frameNumbers } from "./geometry.ts";

const frameSize = frameParameters.length;

export class CoordinateKernels {
  private readonly lists: CallLists;
  private readonly f64: Float64Array;
  private readonly places: Places;
  /** Joint values, then rates. */
  private readonly values: Float64Array;
  private readonly repeating: readonly RepeatingCoordinate[];
  /** The joints whose frames are in memory. */
  private placed: readonly MechanismJoint[] | undefined;

  constructor(mechanism: Mechanism, target: Target = chooseTarget()) {
    this.repeating = repeatingCoordinates(mechanism);
    this.places = placesOf(mechanism);
    const { sink, end } = this.places;
    this.lists = new CallLists(target, end, sink, [
      minimalCalls(mechanism, this.places),
      maximalCalls(mechanism, this.places),
    ]);
    this.f64 = this.lists.f64;
    this.values = this.f64.subarray(this.places.values, this.places.sink);
  }

  /** Joint values, then rates, of a state whose velocities are means over an interval h. `x` and `known` may be one array. */
  minimalInto(
    x: Float64Array,
    joints: readonly MechanismJoint[],
    state: Float64Array,
    h: number,
    known?: AnglesNear,
  ): void {
    const { f64, places, values } = this;
    this.place(joints, h);
    f64.set(state, places.states);
    this.lists.run(minimalList);
    addTurnsInto(values, this.repeating, joints, known);
    for (let i = 0; i < x.length; i++) x[i] = values[i];
  }

  /** The state of joint values and rates. False where a body would turn more than half a turn per interval: it has no state. */
  maximalInto(state: Float64Array, joints: readonly MechanismJoint[], x: Float64Array, h: number): boolean {
    const { f64, places } = this;
    this.place(joints, h);
    f64.set(x, places.values);
    this.lists.run(maximalList);
    let sum = 0;
    for (let i = 0; i < state.length; i++) {
      state[i] = f64[places.states + i];
      sum += state[i];
    }
    return Number.isFinite(sum);
  }

  /** Writes the time step, and the joints' frames where they are others than the last time. */
  private place(joints: readonly MechanismJoint[], h: number): void {
    this.f64[0] = h;
    if (joints === this.placed) return;
    joints.forEach((joint, j) => {
      this.f64.set(frameNumbers(joint.frames), this.places.frames + frameSize * j);
    });
    this.placed = joints;
  }
}

const [minimalList, maximalList] = [0, 1];

interface Places {
  readonly frames: number;
  readonly states: number;
  readonly earlier: number;
  readonly values: number;
  readonly rates: number;
  readonly sink: number;
  readonly end: number;
}

function placesOf({ joints, bodies, coordinateCount }: Mechanism): Places {
  const frames = 2;
  const states = frames + frameSize * joints.length;
  const earlier = states + bodyStateSize * bodies.length;
  const values = earlier + poseSize * bodies.length;
  const rates = values + coordinateCount;
  const sink = rates + coordinateCount;
  return { frames, states, earlier, values, rates, sink, end: sink + bodyStateSize };
}

/** Values and rates of every joint: operands h, frame, parent, child, values, rates. */
function minimalCalls(mechanism: Mechanism, places: Places): Call[][] {
  const stateAt = (body: number): number => places.states + bodyStateSize * Math.max(0, body);
  return [
    mechanism.joints.map(({ shape, parent, child, coordinateOffset }, j): Call => {
      const parentMoves = parent !== worldIndex;
      return {
        species: `minimal.${keyOf(shape)}${parentMoves ? "" : "w"}`,
        make: () => minimalKernel(shape, parentMoves),
        operands: [
          0,
          places.frames + frameSize * j,
          stateAt(parent),
          stateAt(child),
          places.values + coordinateOffset,
          places.rates + coordinateOffset,
        ],
        outputs: 2,
      };
    }),
  ];
}

function minimalKernel(type: JointType, parentMoves: boolean): Kernel {
  const s = symbols({ h: 1, frame: frameSize, parent: bodyStateSize, child: bodyStateSize });
  const [h] = s.of.h;
  const before = (state: readonly Expr[]): Pose => poseBefore(state, h);
  const frames = framesFrom(s.of.frame);
  const now = relativePose(frames, parentMoves ? poseOf(s.of.parent) : worldPose, poseOf(s.of.child));
  const earlier = relativePose(frames, parentMoves ? before(s.of.parent) : worldPose, before(s.of.child));
  const free = coordinates(type);
  return s.kernel([
    free.map((coordinate) => coordinate.value(now)),
    free.map((coordinate) => div(coordinate.increment(earlier, now), h)),
  ]);
}

/** Poses along the tree, level by level, then velocities of all bodies. */
function maximalCalls(mechanism: Mechanism, places: Places): Call[][] {
  const stateAt = (body: number): number => places.states + bodyStateSize * Math.max(0, body);
  const earlierAt = (body: number): number => places.earlier + poseSize * Math.max(0, body);
  const depths = new Map<number, number>([[worldIndex, 0]]);
  const levels: Call[][] = [];
  for (const { joint: j, reversed } of mechanism.tree) {
    const { shape, parent, child, coordinateOffset } = mechanism.joints[j];
    const [near, far] = reversed ? [child, parent] : [parent, child];
    const depth = depths.get(near) as number;
    depths.set(far, depth + 1);
    const nearMoves = near !== worldIndex;
    levels[depth] ??= [];
    levels[depth].push({
      species: `maximal.${keyOf(shape)}${nearMoves ? "" : "w"}${reversed ? "r" : ""}`,
      make: () => maximalKernel(shape, nearMoves, reversed),
      operands: [
        0,
        places.frames + frameSize * j,
        places.values + coordinateOffset,
        places.rates + coordinateOffset,
        stateAt(near),
        earlierAt(near),
        stateAt(far),
        earlierAt(far),
      ],
      outputs: 2,
    });
  }
  const velocities = mechanism.bodies.map(
    (_, i): Call => ({
      species: "velocities",
      make: velocityKernel,
      operands: [0, stateAt(i), earlierAt(i), stateAt(i) + poseSize],
      outputs: 1,
    }),
  );
  return [...levels, velocities];
}

function maximalKernel(type: JointType, nearMoves: boolean, reversed: boolean): Kernel {
  const count = coordinates(type).length;
  const s = symbols({ h: 1, frame: frameSize, values: count, rates: count, near: poseSize, nearBefore: poseSize });
  const { values, rates, near, nearBefore } = s.of;
  const frames = framesFrom(s.of.frame);
  const place = reversed ? parentPose : childPose;
  const now = place(frames, jointTransform(type, frames, values), nearMoves ? poseOf(near) : worldPose);
  const transform = earlierTransform(type, frames, values, rates, s.of.h[0]);
  const before = place(frames, transform, nearMoves ? poseOf(nearBefore) : worldPose);
  return s.kernel([now, before].map(({ position, orientation }) => [...position, ...orientation]));
}

function velocityKernel(): Kernel {
  const s = symbols({ h: 1, now: poseSize, before: poseSize });
  const { now, before } = s.of;
  const linear = vsub(now.slice(0, 3), before.slice(0, 3));
  const angular = attitudeError(before.slice(3), now.slice(3));
  return s.kernel([[...linear, ...angular].map((entry) => div(entry, s.of.h[0]))]);
}

/** Calls that go by plain numbers before kernels are made: set-up code converts a state or two, and compiling takes milliseconds. */
const callsBefore = 4;
const known = new WeakMap<object, { calls: number; kernels?: CoordinateKernels }>();

/**
 * The kernels of a mechanism and of all copies of it whose frames or masses differ, once they pay: none for the first few calls. Numbers
 * and kernels give the same bits.
 */
export function coordinateKernels(mechanism: Mechanism): CoordinateKernels | undefined {
  const entry = known.get(mechanism.tree) ?? { calls: 0 };
  known.set(mechanism.tree, entry);
  if (entry.calls++ < callsBefore) return undefined;
  entry.kernels ??= new CoordinateKernels(mechanism);
  return entry.kernels;
}
