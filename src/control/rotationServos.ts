/**
 * Servos on the entries of a joint's rotation vector, with the motion given. Their targets are one attitude, so that each target changes
 * what all of them do: the force on entry i and the torques that it turns with,
 *   fᵢ = −h kᵢ (eᵢ + w₊Δ₊ − w₋Δ₋) − dᵢ (Δ₊ + ρΔ₋)/(1+ρ),      τ = Σ fᵢ deᵢ/d(spin) at r,
 * with the departure e from the targets, its increments Δ₊ = e(r₊) − e(r) and Δ₋ = e(r) − e(r₋), and the weights of equations/joint.ts. From forces to targets is a small Newton iteration.
 */
import {
  damperWeights,
  departureFrom,
  nextPose,
  type Pose,
  poseBeforeIn,
  poseIn,
  relativePose,
  rotationVector,
  springWeights,
  worldPose,
} from "../equations/index.ts";
import { type MechanismJoint, worldIndex } from "../mechanism/index.ts";
import { leastSquares } from "./leastSquares.ts";

/** Gains of one entry that has a servo. */
export interface ServoGains {
  readonly stiffness: number;
  readonly damping: number;
}

const newtonSteps = 30;
/** Change of a target, rad, for slopes; and where the iteration may stop: rounding of an angle. */
const difference = 1e-6;
const settled = 1e-14;

export class RotationServos {
  private readonly before: readonly number[];
  private readonly r: readonly number[];
  private readonly next: readonly number[];
  private readonly h: number;
  private readonly rho: number;
  /** Gains by entry of the rotation vector; undefined where there is no servo. */
  private readonly gains: readonly (ServoGains | undefined)[];

  constructor(
    joint: MechanismJoint,
    gains: readonly (ServoGains | undefined)[],
    state: Float64Array,
    velocities: Float64Array,
    h: number,
    damperCentering: number,
  ) {
    const now = (body: number): Pose => poseIn(state, body);
    const then = (body: number): Pose => {
      if (body === worldIndex) return worldPose;
      const [linear, angular] = [0, 3].map((k) => Array.from(velocities.subarray(6 * body + k, 6 * body + k + 3)));
      return nextPose(now(body), { linear, angular }, h);
    };
    const past = (body: number): Pose => poseBeforeIn(state, body, h);
    const across = (at: (body: number) => Pose): number[] =>
      relativePose(joint.frames, at(joint.parent), at(joint.child)).rotation as number[];
    this.before = across(past);
    this.r = across(now);
    this.next = across(then);
    this.h = h;
    this.rho = damperCentering;
    this.gains = gains;
  }

  /** Targets that ask for nothing but damping: where the joint is going. */
  get ahead(): number[] {
    const vector = rotationVector.vector(this.next) as number[];
    return this.gains.map((gains, k) => (gains ? vector[k] : 0));
  }

  /** Torques about the child's axes by a force on each entry, 3 each. */
  directions(targets: readonly number[]): number[][] {
    return departureFrom(targets).bySpin(this.r) as number[][];
  }

  /** Impulses on the entries. */
  forces(targets: readonly number[]): number[] {
    const { vector } = departureFrom(targets);
    const [before, now, then] = [vector(this.before), vector(this.r), vector(this.next)] as number[][];
    const spring = springWeights(this.rho) as Record<"forward" | "backward", number>;
    const damper = damperWeights(this.rho) as Record<"forward" | "last", number>;
    return this.gains.map((gains, k) => {
      if (!gains) return 0;
      const [ahead, behind] = [then[k] - now[k], now[k] - before[k]];
      const gap = now[k] + spring.forward * ahead - spring.backward * behind;
      return -this.h * gains.stiffness * gap - gains.damping * damper.forward * (ahead + damper.last * behind);
    });
  }

  /** The targets near `from` that give these impulses. */
  targetsFor(impulses: readonly number[], from: readonly number[]): number[] {
    const open = this.gains.flatMap((gains, k) => (gains && gains.stiffness > 0 ? [k] : []));
    const targets = [...from];
    for (let n = 0; n < newtonSteps; n++) {
      const at = this.forces(targets);
      const slopes = open.map((k) => {
        const moved = targets.map((target, l) => (l === k ? target + difference : target));
        const there = this.forces(moved);
        return Float64Array.from(open, (l) => (there[l] - at[l]) / difference);
      });
      const step = leastSquares(
        slopes,
        Float64Array.from(open, (k) => at[k] - impulses[k]),
      );
      open.forEach((k, i) => {
        targets[k] += step[i];
      });
      if (step.every((entry) => Math.abs(entry) < settled)) break;
    }
    return targets;
  }
}
