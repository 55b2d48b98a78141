/**
 * The basis in which bodies are eliminated: the world's axes, so that bodies that move as one turn by the same numbers. A body moves by a
 * *twist* (w, θ), w of its centre of mass, and what acts on it is a *wrench* (f, m) about that centre:
 *   steps of velocities from twists      δv₊ = w,   δω₊ = L θ,   L = (√(1−|ψ₊|²) − [ψ₊]×) Rᵀ,   ψ₊ = h ω₊ / 2
 *   wrenches from rows of a balance      f, R τ
 * L is what turns q₊ = q · (√(1−|ψ₊|²), ψ₊) in the world by h θ, which in the body's axes is h T θ with T = R₊ᵀ. In an impact nothing moves
 * on, and L = Rᵀ. A body on its own turns along with none: its twists and wrenches are steps and rows as they are, R and L are one, and
 * T = dθ₊/dω₊ over h.
 * One that is carried by another with twist (w, θ), at d from its centre, has the twist (w + θ × d, θ); the wrench (f, m) on it is
 * (f, m + d × f) on the other, and so is a row over its twists one over the other's.
 */
import {
  cross,
  dot,
  type Graph,
  matMul,
  matVec,
  mul,
  neg,
  type Scalar,
  sqrt,
  sub,
  transpose,
  vadd,
  vscale,
} from "../symbolic/index.ts";

/** R, T and L of a body. */
export interface TwistBasis {
  readonly rotation: readonly (readonly Scalar[])[];
  readonly tilt: readonly (readonly Scalar[])[];
  readonly spin: readonly (readonly Scalar[])[];
}

/** Numbers of a basis as they lie in memory. */
export const basisLayout = { rotation: 0, tilt: 9, spin: 18, size: 28 } as const;

export function basisSymbols(graph: Graph, name: string): TwistBasis {
  const matrix = (part: string): Scalar[][] => {
    const entries = graph.symbols(`${name}.${part}`, 9);
    return [0, 3, 6].map((row) => entries.slice(row, row + 3));
  };
  return { rotation: matrix("turned"), tilt: matrix("tilted"), spin: matrix("spin") };
}

/** The basis of a body on its own. */
export function ownBasis(tilt: readonly (readonly Scalar[])[]): TwistBasis {
  const one = [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? 1 : 0)));
  return { rotation: one, tilt, spin: one };
}

/** L of a step. */
export function spinOfTwist(
  rotation: readonly (readonly Scalar[])[],
  angular: readonly Scalar[],
  h: Scalar,
): Scalar[][] {
  const psi = vscale(angular, mul(0.5, h));
  const root = sqrt(sub(1, dot(psi, psi)));
  const [x, y, z] = psi;
  const turn = [
    [root, z, neg(y)],
    [neg(z), root, x],
    [y, neg(x), root],
  ];
  return matMul(turn, transpose(rotation));
}

/** Six rows of a balance, the last three in the body's axes, as a wrench. */
export function wrenchOf(rows: readonly Scalar[], { rotation }: TwistBasis): Scalar[] {
  return [...rows.slice(0, 3), ...matVec(rotation, rows.slice(3))];
}

/** The other way. */
export function balanceOf(wrench: readonly Scalar[], { rotation }: TwistBasis): Scalar[] {
  return [...wrench.slice(0, 3), ...matVec(transpose(rotation), wrench.slice(3))];
}

/** Steps of (v₊, ω₊) from a twist. */
export function stepOfTwist(twist: readonly Scalar[], { spin }: TwistBasis): Scalar[] {
  return [...twist.slice(0, 3), ...matVec(spin, twist.slice(3))];
}

/** A row over steps of (v₊, ω₊) as one over twists. */
export function overTwists(row: readonly Scalar[], { spin }: TwistBasis): Scalar[] {
  return [...row.slice(0, 3), ...matVec(transpose(spin), row.slice(3))];
}

/** A wrench on a body, or a row over its twists, on the one that carries it with its centre at d. */
export function carriedBy(six: readonly Scalar[], d: readonly Scalar[]): Scalar[] {
  const moving = six.slice(0, 3);
  return [...moving, ...vadd(six.slice(3), cross(d, moving))];
}
