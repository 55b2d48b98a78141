/**
 * Where the solver starts, attempt by attempt. Every start lies on the central path at some scale of impulses and lengths.
 *
 * Dry friction makes the path fold: where contacts oppose each other (wedges, corners, grips) inside each other's friction cones, several
 * solutions are as good, and the path from a usual start may turn round just above the κ asked for. Another solution is then reached from
 * far off that path: from impulses too small to hold anything, shared unevenly among the contacts.
 */
import type { NodePlace } from "../../kernels/index.ts";
import { Random } from "../../math/index.ts";
import type { ConePoint } from "../runs/continuation.ts";

/** μ below which an attempt that fails has met a fold of the path, and κ' above most of them. */
export const foldsBelow = 1e-4;
export const foldedKappa = 1e-6;

/** Where the cone variables start, as factors on the natural impulse m v* and length h v*. */
export interface StartFactors {
  readonly impulse: number;
  readonly length: number;
  /** Part of v* that counts, where it is more than the natural speed. */
  readonly change: number;
}

export interface Attempt {
  readonly start: StartFactors;
  /** Whether to settle on the central path on the way, which sorts out how redundant contacts share their load. */
  readonly settle: boolean;
  /** μ above which the matrix is relaxed where it jams, if there are contacts (solver/interiorPoint.ts). */
  readonly relaxesAbove: number;
  /** Seed of an uneven share of the impulses among contacts; 0 for an even one. */
  readonly scatter: number;
}

/**
 * The first attempt and its retries. Of 199 failures in 120,000 steps the second solves 111, the third 104, both together 141; a fourth
 * (no second-order term, or a narrower neighbourhood) adds 6, and substeps solve the rest. The first one starts with less than v*: a tenth
 * fewer iterations on robots, no more failures. Where a step of a robot has met a fold of its path, so do its other starts, and a relaxed
 * matrix leads past it: of 15,000 steps of A1 under random torques 16 are taken in parts instead of 24, with Jacobians 12 instead of 15.
 */
export const usualAttempts: readonly Attempt[] = [
  {
    start: { impulse: 0.3, length: 1, change: 0.3 },
    settle: false,
    relaxesAbove: Number.POSITIVE_INFINITY,
    scatter: 0,
  },
  { start: { impulse: 1, length: 1, change: 1 }, settle: true, relaxesAbove: 0, scatter: 0 },
  { start: { impulse: 1, length: 0.1, change: 1 }, settle: false, relaxesAbove: foldsBelow, scatter: 0 },
];

/** The first one where κ is in SI: the change of units wants room. */
export const firstInSi: StartFactors = { impulse: 0.3, length: 1, change: 1 };

/**
 * Attempts for steps with contacts that two halves do not solve either. Of 36 steps of boxes in wedges and corners that all usual attempts and
 * substeps fail, a hundredth of the natural impulse alone solves 20, and each uneven one of it solves 59%; a tenth, 33%; a third, 21%.
 */
const scatteredAttempts = 24;
const gentle: StartFactors = { impulse: 0.01, length: 1, change: 1 };
export const farAttempts: readonly Attempt[] = Array.from({ length: 1 + scatteredAttempts }, (_, scatter) => ({
  start: gentle,
  settle: false,
  relaxesAbove: 0,
  scatter,
}));

/** Shares of contacts are powers of two, so that scattering rounds nothing. */
const shares = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];

/**
 * Shares the impulses of a start unevenly among the contacts: multiplies those of each by a share, and divides what they pair with by it, so
 * that b∘c stays. Equal seeds share alike, and 0 leaves all as it is.
 */
export function scatterContacts({ nodes, b, c }: ConePoint & { nodes: readonly NodePlace[] }, seed: number): void {
  if (seed === 0) return;
  const random = new Random(seed);
  for (const { kind, cone, roles } of nodes) {
    if (kind !== "contact") continue;
    const share = shares[random.integer(shares.length)];
    let at = cone;
    for (const role of roles) {
      const factor = role.impulse === "c" ? 1 / share : share;
      for (let k = at; k < at + role.size; k++) {
        b[k] *= factor;
        c[k] /= factor;
      }
      at += role.size;
    }
  }
}
