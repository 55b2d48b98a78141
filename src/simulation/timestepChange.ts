/**
 * A change of the time step keeps the interval momentum: v stays, and ω' solves Π(ω', h') = Π(ω, h), with
 * Π = √(1−|ψ|²) Jω − ψ × Jω and ψ = hω/2. Solved by fixed-point iteration on ω' = J⁻¹(Π + ψ'×Jω')/√(1−|ψ'|²), which
 * contracts by about |ψ'| per round. A shorter interval can express every momentum that a longer one can, but not the other way round.
 *
 * What stays is the momentum, not the instant it belongs to: the middle of an interval moves by (h − h')/2, and forces do not act for that
 * time. docs/solver.md says what it amounts to.
 */
import { type Matrix3, matrix3, type Vector3, vector } from "../math/index.ts";

const mostRounds = 200;
/** What the momentum may be off by, relative to itself. */
const tolerance = 1e-12;

/** Returns whether the longer interval can express the momentum. */
export function changeIntervalInto(
  state: Float64Array,
  body: number,
  inertia: Matrix3,
  from: number,
  to: number,
): boolean {
  const at = 13 * body + 10;
  const { spin, fits } = changedSpin([state[at], state[at + 1], state[at + 2]], inertia, from, to);
  state.set(spin, at);
  return fits;
}

/** ω', and whether the interval `to` can express the momentum; where it cannot, ω' means nothing. */
export function changedSpin(
  spin: Vector3,
  inertia: Matrix3,
  from: number,
  to: number,
): { readonly spin: Vector3; readonly fits: boolean } {
  const momentum = intervalMomentum(inertia, spin, from);
  const inverse = matrix3.inverse(inertia);
  let guess = spin;
  for (let round = 0; round < mostRounds; round++) {
    const psi = vector.scale(guess, to / 2);
    const root = Math.sqrt(Math.max(0.1, 1 - vector.dot(psi, psi)));
    const jw = matrix3.transform(inertia, guess);
    const next = vector.scale(matrix3.transform(inverse, vector.add(momentum, vector.cross(psi, jw))), 1 / root);
    const change = vector.norm(vector.sub(next, guess));
    guess = next;
    if (change <= 4e-16 * vector.norm(next)) break;
  }
  const off = vector.norm(vector.sub(intervalMomentum(inertia, guess, to), momentum));
  return { spin: guess, fits: off <= tolerance * vector.norm(momentum) };
}

export function intervalMomentum(inertia: Matrix3, spin: Vector3, h: number): Vector3 {
  const psi = vector.scale(spin, h / 2);
  const jw = matrix3.transform(inertia, spin);
  return vector.sub(vector.scale(jw, Math.sqrt(1 - vector.dot(psi, psi))), vector.cross(psi, jw));
}
