/**
 * Where a body starts, from its recorded poses and from how these belong to it. With yᵢ, Rᵢ the recorded positions and rotations of some
 * frames before the start, at times tᵢ ≤ 0, p the recorded point in the body and s the scale of recorded lengths, the centre of mass was
 * at yᵢ/s − Rᵢ p. Position and velocity at the start are weighted sums of these, flight under gravity g allowed for:
 *   x = Σ aᵢ (yᵢ/s − Rᵢ p) + α g      v = Σ bᵢ (yᵢ/s − Rᵢ p) + β g
 * The weights do not depend on θ (starts.ts makes them), so the sums Σ aᵢ yᵢ, Σ aᵢ Rᵢ and so on are the record of a start. A local
 * change δ, 12 numbers as in all tangents of states, moves it where starts are found with the parameters.
 */
import { type NumericFunction, numericFunction } from "../coordinates/index.ts";
import { bodyStateSize, bodyTangentSize, stateOffsets, tangentAt } from "../math/index.ts";
import {
  add,
  derivative,
  div,
  type Expr,
  Graph,
  mul,
  quaternionConjugate,
  quaternionMultiply,
  type Scalar,
  sqrt,
  square,
  sub,
  sum,
  vadd,
} from "../symbolic/index.ts";
import { measuredSize } from "./parameterSet.ts";

/** Numbers of a start's record, per body: Σ a y 3, Σ a R 9, α; Σ b y 3, Σ b R 9, β; orientation 4, angular velocity 3. */
export const startSize = 33;
export const startOffsets = { position: 0, velocity: 13, orientation: 26, angularVelocity: 30 } as const;
/** Numbers of a local change, per body. */
export const localSize: number = bodyTangentSize;

const outsideSize = measuredSize + 3;

/** The start of one body. Write `record`, `outside` (point, scale, gravity) and `local`; `run`; read `state` and the columns. */
export class StartFunction {
  readonly record: Float64Array;
  readonly outside: Float64Array;
  readonly local: Float64Array;
  /** 13 numbers, as in states. */
  readonly state: Float64Array;
  private readonly columns: Float64Array;
  private readonly made: NumericFunction;

  constructor() {
    const graph = new Graph();
    const symbols = (name: string, count: number): Expr[] =>
      Array.from({ length: count }, (_, i) => graph.symbol(`${name}${i}`));
    const record = symbols("record", startSize);
    const outside = symbols("outside", outsideSize);
    const local = symbols("local", localSize);
    const state = startOf(record, outside, local);
    const columns = [...outside, ...local].flatMap((symbol) => tangentOf(state, symbol));
    this.made = numericFunction("start", [...record, ...outside, ...local], [...state, ...columns]);
    const { input, output } = this.made;
    this.record = input.subarray(0, startSize);
    this.outside = input.subarray(startSize, startSize + outsideSize);
    this.local = input.subarray(startSize + outsideSize);
    this.state = output.subarray(0, bodyStateSize);
    this.columns = output.subarray(bodyStateSize);
  }

  run(): void {
    this.made.run();
  }

  /** The state's tangent, 12 numbers, for a change of one number of `outside`. */
  byOutside(i: number): Float64Array {
    return this.columns.subarray(tangentAt(i), tangentAt(i + 1));
  }

  /** The same for one number of `local`. */
  byLocal(i: number): Float64Array {
    return this.byOutside(outsideSize + i);
  }
}

function startOf(record: readonly Expr[], outside: readonly Expr[], local: readonly Expr[]): Scalar[] {
  const [point, scale, gravity] = [outside.slice(0, 3), outside[3], outside.slice(4)];
  const place = (at: number, change: readonly Expr[]): Scalar[] =>
    [0, 1, 2].map((i) => {
      const row = record.slice(at + 3 + 3 * i, at + 6 + 3 * i);
      const turned = sum(row.map((entry, j) => mul(entry, point[j])));
      return sum([sub(div(record[at + i], scale), turned), mul(record[at + 12], gravity[i]), change[i]]);
    });
  const half = local.slice(3, 6).map((entry) => mul(0.5, entry));
  const turn = [sqrt(sub(1, sum(half.map(square)))), ...half];
  const { position, velocity, orientation, angularVelocity } = startOffsets;
  return [
    ...place(position, local.slice(0, 3)),
    ...quaternionMultiply(record.slice(orientation, orientation + 4), turn),
    ...place(velocity, local.slice(6, 9)),
    ...vadd(record.slice(angularVelocity, angularVelocity + 3), local.slice(9)),
  ];
}

/** 12 numbers: a quaternion's change dq as the attitude error 2 vec(q⁻¹ dq). */
function tangentOf(state: readonly Scalar[], symbol: Expr): Scalar[] {
  const { orientation, velocity } = stateOffsets;
  const d = state.map((entry) => derivative(entry, symbol));
  const turn = quaternionMultiply(
    quaternionConjugate(state.slice(orientation, velocity)),
    d.slice(orientation, velocity),
  );
  return [...d.slice(0, 3), ...turn.slice(1).map((entry) => add(entry, entry)), ...d.slice(velocity)];
}
