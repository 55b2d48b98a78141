/**
 * The two conversions between joint coordinates and body states, made linear about a state, in attitude errors:
 *   minimal   ẋ = X ż + X_θ θ̇           joint positions and velocities by the states of the bodies
 *   maximal   ż = S ẋ + S_θ θ̇           the other way, along the spanning tree, now and one step earlier
 * with θ the joints' frames, the gears and the time step, which the coordinates are defined by. Gears: joint coordinates are
 * projected onto them first (gearTies.ts). Loops: what the tree gives is projected onto all constraints, now and one step earlier
 * (closure.ts). So S is tangent to them.
 * Tangents go forwards (push), cotangents backwards (pull); a Jacobian is its columns.
 */
import { previousPose } from "../equations/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";
import { Closure } from "./closure.ts";
import { addMatrixInto, addTransposedInto } from "./dense.ts";
import { GearTies, needsClosure, requireLinearGears } from "./gearTies.ts";
import { type GeometryValues, type GeometryVector, valuesOfMechanism } from "./geometry.ts";
import { frameSize, spinFunction, toMaximalFunction, toMinimalFunction } from "./jointFunctions.ts";

type Blocks<F extends { readonly parts: object }> = { -readonly [K in keyof F["parts"]]: Float64Array };
type MinimalBlocks = Blocks<ReturnType<typeof toMinimalFunction>>;
type MaximalBlocks = Blocks<ReturnType<typeof toMaximalFunction>>;

export class CoordinateMaps {
  readonly mechanism: Mechanism;
  /** Joint coordinates of all joints, then their rates, at the state of the last update. */
  readonly minimal: Float64Array;

  private readonly values: GeometryValues;
  private readonly toMinimal: MinimalBlocks[] = [];
  private readonly toMaximal: MaximalBlocks[] = [];
  private readonly spin: { readonly byNow: Float64Array; readonly byBefore: Float64Array }[];
  private readonly gearTies: GearTies | undefined;
  private readonly nowClosure: Closure | undefined;
  private readonly beforeClosure: Closure | undefined;
  private readonly tiedX: Float64Array;
  private readonly now: Float64Array;
  private readonly before: Float64Array;
  private state: Float64Array;
  private previous: Float64Array;
  /** The time step, and the interval of the state, which is a part of it. */
  private timestep = 1;
  private h = 1;

  /** `values` says where joints and gears are now; the default is as compiled. */
  constructor(mechanism: Mechanism, values: GeometryValues = valuesOfMechanism(mechanism)) {
    const count = mechanism.bodies.length;
    this.mechanism = mechanism;
    this.values = values;
    this.minimal = new Float64Array(2 * mechanism.coordinateCount);
    this.spin = mechanism.bodies.map(() => ({ byNow: new Float64Array(9), byBefore: new Float64Array(9) }));
    this.now = new Float64Array(6 * count);
    this.before = new Float64Array(6 * count);
    this.state = new Float64Array(mechanism.stateSize);
    this.previous = new Float64Array(7 * count);
    this.tiedX = new Float64Array(2 * mechanism.coordinateCount);
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
    const { mechanism, minimal } = this;
    const h = timestep / parts;
    this.state = state;
    this.timestep = timestep;
    this.h = h;
    mechanism.joints.forEach((joint, j) => {
      const made = toMinimalFunction(joint.shape, joint.parent !== worldIndex);
      const { input } = made;
      input[0] = h;
      input.set(this.values.frame(j), 1);
      if (joint.parent !== worldIndex)
        input.set(state.subarray(13 * joint.parent, 13 * joint.parent + 13), 1 + frameSize);
      input.set(state.subarray(13 * joint.child, 13 * joint.child + 13), 14 + frameSize);
      made.run();
      this.toMinimal[j] = copied(made.parts, this.toMinimal[j]);
      divideInto(this.toMinimal[j].byTimestep, parts);
      minimal.set(made.parts.values, joint.coordinateOffset);
      const { turns } = this.values;
      if (turns)
        joint.coordinates.forEach((_, i) => {
          minimal[joint.coordinateOffset + i] += turns(j, i);
        });
      minimal.set(made.parts.rates, mechanism.coordinateCount + joint.coordinateOffset);
    });
  }

  /** Linearises both ways about a state. */
  update(state: Float64Array, timestep: number, parts = 1): void {
    const { mechanism, minimal, previous } = this;
    requireLinearGears(mechanism);
    this.updateMinimal(state, timestep, parts);
    const { h } = this;
    mechanism.bodies.forEach((_, i) => {
      const [pose, velocity] = [state.subarray(13 * i, 13 * i + 7), state.subarray(13 * i + 7, 13 * i + 13)];
      const { position, orientation } = previousPose(
        { position: Array.from(pose.subarray(0, 3)), orientation: Array.from(pose.subarray(3)) },
        { linear: Array.from(velocity.subarray(0, 3)), angular: Array.from(velocity.subarray(3)) },
        h,
      );
      previous.set(position as number[], 7 * i);
      previous.set(orientation as number[], 7 * i + 3);
      const made = spinFunction();
      made.input[0] = h;
      made.input.set(pose.subarray(3), 1);
      made.input.set(orientation as number[], 5);
      made.run();
      this.spin[i].byNow.set(made.parts.byNow);
      this.spin[i].byBefore.set(made.parts.byBefore);
    });
    for (const { joint: j, reversed } of mechanism.tree) {
      const joint = mechanism.joints[j];
      const [near, far] = reversed ? [joint.child, joint.parent] : [joint.parent, joint.child];
      const made = toMaximalFunction({ type: joint.shape, nearMoves: near !== worldIndex, reversed });
      const { input } = made;
      const size = joint.coordinates.length;
      const at = joint.coordinateOffset;
      input[0] = h;
      input.set(this.values.frame(j), 1);
      input.set(minimal.subarray(at, at + size), 1 + frameSize);
      input.set(
        minimal.subarray(mechanism.coordinateCount + at, mechanism.coordinateCount + at + size),
        1 + frameSize + size,
      );
      const bodies = 1 + frameSize + 2 * size;
      if (near !== worldIndex) {
        input.set(state.subarray(13 * near, 13 * near + 7), bodies);
        input.set(previous.subarray(7 * near, 7 * near + 7), bodies + 7);
      }
      input.set(state.subarray(13 * far, 13 * far + 7), bodies + 14);
      input.set(previous.subarray(7 * far, 7 * far + 7), bodies + 21);
      made.run();
      this.toMaximal[j] = copied(made.parts, this.toMaximal[j]);
      divideInto(this.toMaximal[j].beforeByTimestep, parts);
    }
    this.gearTies?.update();
    this.nowClosure?.update((body) => state.subarray(13 * body, 13 * body + 7));
    this.beforeClosure?.update((body) => previous.subarray(7 * body, 7 * body + 7));
  }

  /** ẋ ← X ż + X_θ θ̇. */
  pushMinimalInto(xDot: Float64Array, zDot: Float64Array, theta?: GeometryVector): void {
    const { mechanism } = this;
    mechanism.joints.forEach(({ parent, child, coordinates, coordinateOffset }, j) => {
      const size = coordinates.length;
      const blocks = this.toMinimal[j];
      const rows = new Float64Array(2 * size);
      addMatrixInto(rows, blocks.byChild, zDot, 12 * child, 12);
      if (parent !== worldIndex) addMatrixInto(rows, blocks.byParent, zDot, 12 * parent, 12);
      if (theta) {
        addMatrixInto(rows, blocks.byFrame, theta.frame(j), 0, frameSize);
        addMatrixInto(rows, blocks.byTimestep, theta.timestep, 0, 1);
      }
      xDot.set(rows.subarray(0, size), coordinateOffset);
      xDot.set(rows.subarray(size), mechanism.coordinateCount + coordinateOffset);
    });
  }

  /** Adds Xᵀ x̄ to z̄ and X_θᵀ x̄ to θ̄. */
  pullMinimalInto(zBar: Float64Array, xBar: Float64Array, theta?: GeometryVector): void {
    const { mechanism } = this;
    mechanism.joints.forEach(({ parent, child, coordinates, coordinateOffset }, j) => {
      const size = coordinates.length;
      const blocks = this.toMinimal[j];
      const rows = new Float64Array(2 * size);
      rows.set(xBar.subarray(coordinateOffset, coordinateOffset + size));
      const rates = mechanism.coordinateCount + coordinateOffset;
      rows.set(xBar.subarray(rates, rates + size), size);
      addTransposedInto(zBar, 12 * child, 12, blocks.byChild, rows);
      if (parent !== worldIndex) addTransposedInto(zBar, 12 * parent, 12, blocks.byParent, rows);
      if (!theta) return;
      addTransposedInto(theta.frame(j), 0, frameSize, blocks.byFrame, rows);
      addTransposedInto(theta.timestep, 0, 1, blocks.byTimestep, rows);
    });
  }

  /** ż ← S ẋ + S_θ θ̇. */
  pushMaximalInto(zDot: Float64Array, given: Float64Array, theta?: GeometryVector): void {
    const { mechanism, now, before, h, timestep, state, gearTies } = this;
    now.fill(0);
    before.fill(0);
    const xDot = gearTies ? this.tiedX : given;
    if (gearTies) {
      xDot.set(given);
      gearTies.push(xDot, this.minimal, theta);
    }
    for (const { joint: j, reversed } of mechanism.tree) {
      const { parent, child, coordinates, coordinateOffset: at } = mechanism.joints[j];
      const [near, far] = reversed ? [child, parent] : [parent, child];
      const size = coordinates.length;
      const blocks = this.toMaximal[j];
      const here = now.subarray(6 * far, 6 * far + 6);
      const earlier = before.subarray(6 * far, 6 * far + 6);
      if (near !== worldIndex) {
        addMatrixInto(here, blocks.near, now, 6 * near, 6);
        addMatrixInto(earlier, blocks.nearBefore, before, 6 * near, 6);
      }
      addMatrixInto(here, blocks.values, xDot, at, size);
      addMatrixInto(earlier, blocks.beforeByValues, xDot, at, size);
      addMatrixInto(earlier, blocks.beforeByRates, xDot, mechanism.coordinateCount + at, size);
      if (!theta) continue;
      addMatrixInto(here, blocks.byFrame, theta.frame(j), 0, frameSize);
      addMatrixInto(earlier, blocks.beforeByFrame, theta.frame(j), 0, frameSize);
      addMatrixInto(earlier, blocks.beforeByTimestep, theta.timestep, 0, 1);
    }
    this.nowClosure?.push(now, theta);
    this.beforeClosure?.push(before, theta);
    const stretch = theta ? theta.timestep[0] / timestep : 0;
    mechanism.bodies.forEach((_, i) => {
      const spin = zDot.subarray(12 * i + 9, 12 * i + 12);
      for (let k = 0; k < 3; k++) {
        zDot[12 * i + k] = now[6 * i + k];
        zDot[12 * i + 3 + k] = now[6 * i + 3 + k];
        zDot[12 * i + 6 + k] = (now[6 * i + k] - before[6 * i + k]) / h - state[13 * i + 7 + k] * stretch;
        spin[k] = -state[13 * i + 10 + k] * stretch;
      }
      addMatrixInto(spin, this.spin[i].byNow, now, 6 * i + 3, 3);
      addMatrixInto(spin, this.spin[i].byBefore, before, 6 * i + 3, 3);
    });
  }

  /** Adds Sᵀ z̄ to x̄ and S_θᵀ z̄ to θ̄. */
  pullMaximalInto(given: Float64Array, zBar: Float64Array, theta?: GeometryVector): void {
    const { mechanism, now, before, h, timestep, state, gearTies } = this;
    now.fill(0);
    before.fill(0);
    const xBar = gearTies ? this.tiedX : given;
    if (gearTies) xBar.fill(0);
    mechanism.bodies.forEach((_, i) => {
      const spin = zBar.subarray(12 * i + 9, 12 * i + 12);
      for (let k = 0; k < 3; k++) {
        const overStep = zBar[12 * i + 6 + k] / h;
        now[6 * i + k] += zBar[12 * i + k] + overStep;
        now[6 * i + 3 + k] += zBar[12 * i + 3 + k];
        before[6 * i + k] -= overStep;
        if (theta)
          theta.timestep[0] -=
            (state[13 * i + 7 + k] * zBar[12 * i + 6 + k] + state[13 * i + 10 + k] * spin[k]) / timestep;
      }
      addTransposedInto(now, 6 * i + 3, 3, this.spin[i].byNow, spin);
      addTransposedInto(before, 6 * i + 3, 3, this.spin[i].byBefore, spin);
    });
    this.nowClosure?.pull(now, theta);
    this.beforeClosure?.pull(before, theta);
    for (const { joint: j, reversed } of [...mechanism.tree].reverse()) {
      const { parent, child, coordinates, coordinateOffset: at } = mechanism.joints[j];
      const [near, far] = reversed ? [child, parent] : [parent, child];
      const size = coordinates.length;
      const blocks = this.toMaximal[j];
      const here = now.subarray(6 * far, 6 * far + 6);
      const earlier = before.subarray(6 * far, 6 * far + 6);
      if (near !== worldIndex) {
        addTransposedInto(now, 6 * near, 6, blocks.near, here);
        addTransposedInto(before, 6 * near, 6, blocks.nearBefore, earlier);
      }
      addTransposedInto(xBar, at, size, blocks.values, here);
      addTransposedInto(xBar, at, size, blocks.beforeByValues, earlier);
      addTransposedInto(xBar, mechanism.coordinateCount + at, size, blocks.beforeByRates, earlier);
      if (!theta) continue;
      addTransposedInto(theta.frame(j), 0, frameSize, blocks.byFrame, here);
      addTransposedInto(theta.frame(j), 0, frameSize, blocks.beforeByFrame, earlier);
      addTransposedInto(theta.timestep, 0, 1, blocks.beforeByTimestep, earlier);
    }
    if (!gearTies) return;
    gearTies.pull(xBar, this.minimal, theta);
    for (let i = 0; i < xBar.length; i++) given[i] += xBar[i];
  }

  /** X: 2c × 12 a body, row-major. */
  minimalJacobian(): Float64Array {
    const rows = this.minimal.length;
    const columns = 12 * this.mechanism.bodies.length;
    return fromColumns(rows, columns, (out, tangent) => this.pushMinimalInto(out, tangent));
  }

  /** S: 12 a body × 2c, row-major. */
  maximalJacobian(): Float64Array {
    const columns = this.minimal.length;
    const rows = 12 * this.mechanism.bodies.length;
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

function divideInto(values: Float64Array, divisor: number): void {
  if (divisor !== 1) for (let i = 0; i < values.length; i++) values[i] /= divisor;
}

/** The parts of a function's output, kept; into the arrays kept before, if any. */
function copied<K extends string>(
  parts: Readonly<Record<K, Float64Array>>,
  kept: Record<K, Float64Array> | undefined,
): Record<K, Float64Array> {
  const copy = kept ?? ({} as Record<K, Float64Array>);
  for (const key of Object.keys(parts) as K[]) {
    if (kept) copy[key].set(parts[key]);
    else copy[key] = Float64Array.from(parts[key]);
  }
  return copy;
}
