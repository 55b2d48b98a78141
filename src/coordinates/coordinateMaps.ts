/**
 * The two conversions between joint coordinates and body states, made linear about a state, in attitude errors:
 *   minimal   ẋ = X ż + X_θ θ̇           joint positions and velocities by the states of the bodies
 *   maximal   ż = S ẋ + S_θ θ̇           the other way, along the spanning tree, now and one step earlier
 * with θ the joints' frames, the gears and the time step, which the coordinates are defined by. Gears: joint coordinates are
 * projected onto them first (gearTies.ts). Loops: what the tree gives is projected onto all constraints, now and one step earlier
 * (closure.ts). So S is tangent to them.
 * Tangents go forwards (push), cotangents backwards (pull); a Jacobian is its columns. The blocks of joints and bodies are computed by
 * kernels (mapKernels.ts) when something first asks for them after an update, those of θ only where θ is given. Nothing is allocated, save
 * where loops are closed.
 */

import {
  angularVelocityAt,
  attitudeAt,
  bodyAt,
  bodyTangentSize,
  cached,
  poseSize,
  tangentAngularVelocityAt,
  tangentAt,
  tangentVelocityAt,
  velocityAt,
} from "../math/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";
import { Closure } from "./closure.ts";
import { addMatrixInto, addTransposedInto } from "./dense.ts";
import { GearTies, needsClosure } from "./gearTies.ts";
import { type GeometryValues, type GeometryVector, valuesOfMechanism } from "./geometry.ts";
import { sectionOf } from "./mapKernels.ts";
import {
  bodyBlocks,
  frameSize,
  type InputPlaces,
  inputPlaces,
  maximalBlocks,
  maximalParameterBlocks,
  minimalBlocks,
  minimalParameterBlocks,
  type SectionName,
  sectionLayout,
} from "./sectionLayout.ts";

/** A joint, and which way the tree goes through it. */
interface Edge {
  readonly joint: number;
  readonly near: number;
  readonly far: number;
  readonly size: number;
  /** Its first coordinate. */
  readonly at: number;
  readonly blocks: ReturnType<typeof maximalBlocks>;
}

/** The outputs of a section, and whether they are those of the last update. */
interface Part {
  readonly entries: Float64Array;
  /** Where the blocks of each joint begin. */
  readonly joints: Int32Array;
  isCurrent: boolean;
}

export class CoordinateMaps {
  readonly mechanism: Mechanism;
  /** Joint coordinates of all joints, then their rates, at the state of the last update. */
  readonly minimal: Float64Array;

  private readonly values: GeometryValues;
  private readonly frames: readonly ArrayLike<number>[];
  private readonly places: InputPlaces;
  private readonly inputs: Float64Array;
  /** The state of the last update. */
  private readonly state: Float64Array;
  private readonly parts = new Map<SectionName, Part>();
  private readonly edges: readonly Edge[];
  private readonly gearTies: GearTies | undefined;
  private readonly nowClosure: Closure | undefined;
  private readonly beforeClosure: Closure | undefined;
  private readonly tiedX: Float64Array;
  private readonly now: Float64Array;
  private readonly before: Float64Array;
  /** The time step, and in how many parts of it the state is written. */
  private timestep = 1;
  private stepParts = 1;

  /** `values` says where joints and gears are now; the default is as compiled. Its frames are read again with each update. */
  constructor(mechanism: Mechanism, values: GeometryValues = valuesOfMechanism(mechanism)) {
    const { bodies, joints, tree, coordinateCount, stateSize } = mechanism;
    this.mechanism = mechanism;
    this.values = values;
    this.frames = joints.map((_, j) => values.frame(j));
    this.places = inputPlaces(mechanism);
    const { states, minimal, size } = this.places;
    this.inputs = new Float64Array(size);
    this.state = this.inputs.subarray(states, states + stateSize);
    this.minimal = this.inputs.subarray(minimal, minimal + 2 * coordinateCount);
    this.edges = tree.map(({ joint, reversed }) => {
      const { parent, child, coordinates, coordinateOffset: at } = joints[joint];
      const [near, far] = reversed ? [child, parent] : [parent, child];
      return { joint, near, far, size: coordinates.length, at, blocks: maximalBlocks(coordinates.length) };
    });
    this.now = new Float64Array(6 * bodies.length);
    this.before = new Float64Array(6 * bodies.length);
    this.tiedX = new Float64Array(2 * coordinateCount);
    this.gearTies = GearTies.of(mechanism, values);
    if (needsClosure(mechanism)) {
      this.nowClosure = new Closure(mechanism, values);
      this.beforeClosure = new Closure(mechanism, values);
    }
  }

  /**
   * Linearises the way to joint coordinates about a state, whose velocities are means over the time step or, given in how many `parts`,
   * over a part of it. θ̇ has the time step itself.
   */
  updateMinimal(state: Float64Array, timestep: number, parts = 1): void {
    const { mechanism, minimal, inputs, places, frames } = this;
    const { turns } = this.values;
    this.timestep = timestep;
    this.stepParts = parts;
    inputs[0] = timestep / parts;
    for (let j = 0; j < frames.length; j++) {
      const frame = frames[j];
      for (let i = 0; i < frameSize; i++) inputs[places.frames + frameSize * j + i] = frame[i];
    }
    this.state.set(state);
    for (const part of this.parts.values()) part.isCurrent = false;
    sectionOf(mechanism, "values").runInto(minimal, inputs);
    if (!turns) return;
    for (const { index, coordinates, coordinateOffset } of mechanism.joints)
      for (let i = 0; i < coordinates.length; i++) minimal[coordinateOffset + i] += turns(index, i);
  }

  /** Linearises both ways about a state. */
  update(state: Float64Array, timestep: number, parts = 1): void {
    this.updateMinimal(state, timestep, parts);
    this.gearTies?.update();
    if (!this.nowClosure) return;
    const { entries } = this.part("maximal");
    this.nowClosure.update(this.moves(false), (body) => this.state.subarray(bodyAt(body), velocityAt(body)));
    this.beforeClosure?.update(this.moves(true), (body) => {
      const at = bodyBlocks.size * body + bodyBlocks.previous;
      return entries.subarray(at, at + poseSize);
    });
  }

  /** What each coordinate of the tree moves (δx, δθ per body): now, or one step earlier, where the rates do. */
  private moves(isBefore: boolean): Float64Array[] {
    const { entries, joints } = this.part("maximal");
    const size = 6 * this.mechanism.bodies.length;
    const moves: Float64Array[] = [];
    for (const { joint, near, far, size: count, blocks } of this.edges) {
      const from = joints[joint];
      const above = from + (isBefore ? blocks.nearBefore : blocks.near);
      if (near !== worldIndex)
        for (const move of moves) addMatrixInto(move, 6 * far, 6, entries, above, move, 6 * near, 6);
      const own = from + (isBefore ? blocks.beforeByRates : blocks.values);
      for (let c = 0; c < count; c++) {
        const move = new Float64Array(size);
        for (let i = 0; i < 6; i++) move[6 * far + i] = entries[own + i * count + c];
        moves.push(move);
      }
    }
    return moves;
  }

  /** The blocks of a section at the state of the last update. */
  private part(name: SectionName): Part {
    const part = cached(this.parts, name, () => {
      const { joints, size } = sectionLayout(this.mechanism, name);
      return { entries: new Float64Array(size), joints, isCurrent: false };
    });
    if (!part.isCurrent) sectionOf(this.mechanism, name).runInto(part.entries, this.inputs);
    part.isCurrent = true;
    return part;
  }

  /** ẋ ← X ż + X_θ θ̇. */
  pushMinimalInto(xDot: Float64Array, zDot: Float64Array, theta?: GeometryVector): void {
    const { mechanism, stepParts } = this;
    const { entries, joints } = this.part("minimal");
    const byParameters = theta && this.part("minimalParameters");
    xDot.fill(0);
    for (const { index, parent, child, coordinates, coordinateOffset } of mechanism.joints) {
      const size = coordinates.length;
      const blocks = minimalBlocks(size);
      for (let half = 0; half < 2; half++) {
        const at = half * mechanism.coordinateCount + coordinateOffset;
        const from = joints[index] + bodyTangentSize * size * half;
        addMatrixInto(xDot, at, size, entries, from + blocks.byChild, zDot, tangentAt(child), bodyTangentSize);
        if (parent !== worldIndex)
          addMatrixInto(xDot, at, size, entries, from + blocks.byParent, zDot, tangentAt(parent), bodyTangentSize);
        if (!theta || !byParameters) continue;
        const { byFrame, byTimestep } = minimalParameterBlocks(size);
        const begin = byParameters.joints[index];
        const frameAt = begin + byFrame + frameSize * size * half;
        addMatrixInto(xDot, at, size, byParameters.entries, frameAt, theta.frame(index), 0, frameSize);
        for (let i = 0; i < size; i++)
          xDot[at + i] += (byParameters.entries[begin + byTimestep + size * half + i] / stepParts) * theta.timestep[0];
      }
    }
  }

  /** Adds Xᵀ x̄ to z̄ and X_θᵀ x̄ to θ̄. */
  pullMinimalInto(zBar: Float64Array, xBar: Float64Array, theta?: GeometryVector): void {
    const { mechanism, stepParts } = this;
    const { entries, joints } = this.part("minimal");
    const byParameters = theta && this.part("minimalParameters");
    for (const { index, parent, child, coordinates, coordinateOffset } of mechanism.joints) {
      const size = coordinates.length;
      const blocks = minimalBlocks(size);
      for (let half = 0; half < 2; half++) {
        const at = half * mechanism.coordinateCount + coordinateOffset;
        const from = joints[index] + bodyTangentSize * size * half;
        addTransposedInto(zBar, tangentAt(child), bodyTangentSize, entries, from + blocks.byChild, xBar, at, size);
        if (parent !== worldIndex)
          addTransposedInto(zBar, tangentAt(parent), bodyTangentSize, entries, from + blocks.byParent, xBar, at, size);
        if (!theta || !byParameters) continue;
        const { byFrame, byTimestep } = minimalParameterBlocks(size);
        const begin = byParameters.joints[index];
        const frameAt = begin + byFrame + frameSize * size * half;
        addTransposedInto(theta.frame(index), 0, frameSize, byParameters.entries, frameAt, xBar, at, size);
        for (let i = 0; i < size; i++)
          theta.timestep[0] += (byParameters.entries[begin + byTimestep + size * half + i] / stepParts) * xBar[at + i];
      }
    }
  }

  /** ż ← S ẋ + S_θ θ̇. */
  pushMaximalInto(zDot: Float64Array, given: Float64Array, theta?: GeometryVector): void {
    const { mechanism, now, before, timestep, stepParts, state, gearTies } = this;
    const { entries, joints } = this.part("maximal");
    const byParameters = theta && this.part("maximalParameters");
    const h = timestep / stepParts;
    const rates = mechanism.coordinateCount;
    now.fill(0);
    before.fill(0);
    const xDot = gearTies ? this.tiedX : given;
    if (gearTies) {
      xDot.set(given);
      gearTies.push(xDot, this.minimal, theta);
    }
    for (const { joint, near, far, size, at, blocks } of this.edges) {
      const from = joints[joint];
      if (near !== worldIndex) {
        addMatrixInto(now, 6 * far, 6, entries, from + blocks.near, now, 6 * near, 6);
        addMatrixInto(before, 6 * far, 6, entries, from + blocks.nearBefore, before, 6 * near, 6);
      }
      addMatrixInto(now, 6 * far, 6, entries, from + blocks.values, xDot, at, size);
      addMatrixInto(before, 6 * far, 6, entries, from + blocks.beforeByValues, xDot, at, size);
      addMatrixInto(before, 6 * far, 6, entries, from + blocks.beforeByRates, xDot, rates + at, size);
      if (!theta || !byParameters) continue;
      const { byFrame, beforeByFrame, beforeByTimestep } = maximalParameterBlocks;
      const begin = byParameters.joints[joint];
      addMatrixInto(now, 6 * far, 6, byParameters.entries, begin + byFrame, theta.frame(joint), 0, frameSize);
      addMatrixInto(before, 6 * far, 6, byParameters.entries, begin + beforeByFrame, theta.frame(joint), 0, frameSize);
      for (let i = 0; i < 6; i++)
        before[6 * far + i] += (byParameters.entries[begin + beforeByTimestep + i] / stepParts) * theta.timestep[0];
    }
    this.nowClosure?.push(now, theta);
    this.beforeClosure?.push(before, theta);
    const stretch = theta ? theta.timestep[0] / timestep : 0;
    for (let i = 0; i < mechanism.bodies.length; i++) {
      const spin = bodyBlocks.size * i;
      const [x, attitude, v] = [tangentAt(i), attitudeAt(i), tangentVelocityAt(i)];
      const [w, velocity, angularVelocity] = [tangentAngularVelocityAt(i), velocityAt(i), angularVelocityAt(i)];
      for (let k = 0; k < 3; k++) {
        zDot[x + k] = now[6 * i + k];
        zDot[attitude + k] = now[6 * i + 3 + k];
        zDot[v + k] = (now[6 * i + k] - before[6 * i + k]) / h - state[velocity + k] * stretch;
        zDot[w + k] = -state[angularVelocity + k] * stretch;
      }
      addMatrixInto(zDot, w, 3, entries, spin + bodyBlocks.spinByNow, now, 6 * i + 3, 3);
      addMatrixInto(zDot, w, 3, entries, spin + bodyBlocks.spinByBefore, before, 6 * i + 3, 3);
    }
  }

  /** Adds Sᵀ z̄ to x̄ and S_θᵀ z̄ to θ̄. */
  pullMaximalInto(given: Float64Array, zBar: Float64Array, theta?: GeometryVector): void {
    const { mechanism, now, before, timestep, stepParts, state, gearTies, edges } = this;
    const { entries, joints } = this.part("maximal");
    const byParameters = theta && this.part("maximalParameters");
    const h = timestep / stepParts;
    const rates = mechanism.coordinateCount;
    now.fill(0);
    before.fill(0);
    const xBar = gearTies ? this.tiedX : given;
    if (gearTies) xBar.fill(0);
    for (let i = 0; i < mechanism.bodies.length; i++) {
      const spin = bodyBlocks.size * i;
      const [x, attitude, v] = [tangentAt(i), attitudeAt(i), tangentVelocityAt(i)];
      const [w, velocity, angularVelocity] = [tangentAngularVelocityAt(i), velocityAt(i), angularVelocityAt(i)];
      for (let k = 0; k < 3; k++) {
        const overStep = zBar[v + k] / h;
        now[6 * i + k] += zBar[x + k] + overStep;
        now[6 * i + 3 + k] += zBar[attitude + k];
        before[6 * i + k] -= overStep;
        if (theta)
          theta.timestep[0] -=
            (state[velocity + k] * zBar[v + k] + state[angularVelocity + k] * zBar[w + k]) / timestep;
      }
      addTransposedInto(now, 6 * i + 3, 3, entries, spin + bodyBlocks.spinByNow, zBar, w, 3);
      addTransposedInto(before, 6 * i + 3, 3, entries, spin + bodyBlocks.spinByBefore, zBar, w, 3);
    }
    this.nowClosure?.pull(now, theta);
    this.beforeClosure?.pull(before, theta);
    for (let e = edges.length - 1; e >= 0; e--) {
      const { joint, near, far, size, at, blocks } = edges[e];
      const from = joints[joint];
      if (near !== worldIndex) {
        addTransposedInto(now, 6 * near, 6, entries, from + blocks.near, now, 6 * far, 6);
        addTransposedInto(before, 6 * near, 6, entries, from + blocks.nearBefore, before, 6 * far, 6);
      }
      addTransposedInto(xBar, at, size, entries, from + blocks.values, now, 6 * far, 6);
      addTransposedInto(xBar, at, size, entries, from + blocks.beforeByValues, before, 6 * far, 6);
      addTransposedInto(xBar, rates + at, size, entries, from + blocks.beforeByRates, before, 6 * far, 6);
      if (!theta || !byParameters) continue;
      const { byFrame, beforeByFrame, beforeByTimestep } = maximalParameterBlocks;
      const begin = byParameters.joints[joint];
      const frame = theta.frame(joint);
      addTransposedInto(frame, 0, frameSize, byParameters.entries, begin + byFrame, now, 6 * far, 6);
      addTransposedInto(frame, 0, frameSize, byParameters.entries, begin + beforeByFrame, before, 6 * far, 6);
      for (let i = 0; i < 6; i++)
        theta.timestep[0] += (byParameters.entries[begin + beforeByTimestep + i] / stepParts) * before[6 * far + i];
    }
    if (!gearTies) return;
    gearTies.pull(xBar, this.minimal, theta);
    for (let i = 0; i < xBar.length; i++) given[i] += xBar[i];
  }

  /** X: 2c × 12 per body, row-major. */
  minimalJacobian(): Float64Array {
    const rows = this.minimal.length;
    const columns = bodyTangentSize * this.mechanism.bodies.length;
    return fromColumns(rows, columns, (out, tangent) => this.pushMinimalInto(out, tangent));
  }

  /** S: 12 per body × 2c, row-major. */
  maximalJacobian(): Float64Array {
    const columns = this.minimal.length;
    const rows = bodyTangentSize * this.mechanism.bodies.length;
    return fromColumns(rows, columns, (out, tangent) => this.pushMaximalInto(out, tangent));
  }
}

/** The matrix whose columns `push` gives for the unit tangents. */
function fromColumns(
  rows: number,
  columns: number,
  push: (out: Float64Array, tangent: Float64Array) => void,
): Float64Array {
  const matrix = new Float64Array(rows * columns);
  const tangent = new Float64Array(columns);
  const out = new Float64Array(rows);
  for (let j = 0; j < columns; j++) {
    tangent[j] = 1;
    push(out, tangent);
    tangent[j] = 0;
    for (let i = 0; i < rows; i++) matrix[i * columns + j] = out[i];
  }
  return matrix;
}
