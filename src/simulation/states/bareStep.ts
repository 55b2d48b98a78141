/**
 * A step of the engine as a projection. From rest, with nothing but constraint impulses acting, a step of 1 s solves
 *   M Δ = Jᵀλ + Nᵀγ,   c(z ⊕ Δ) = 0,   0 ≤ φ(z ⊕ Δ) ⊥ γ ≥ 0
 * which are the conditions for the smallest ½ ΔᵀMΔ: the nearest configuration in the metric of the masses. It runs on a
 * mechanism of its own, stripped of springs, dampers, motors, drag and friction, and with or without limits and contacts.
 */
import type { Target } from "../../codegen/index.ts";
import { bodyParameterNames, nextPose } from "../../equations/index.ts";
import { buildSystem, type System } from "../../kernels/index.ts";
import { bodyAt, bodyStateSize, orientationAt, stateOffsets } from "../../math/index.ts";
import { type Mechanism, unloaded } from "../../mechanism/index.ts";
import { Stepper } from "../step/stepper.ts";
import { type Configuration, configurationNow } from "./configuration.ts";

/** Farthest that a Newton step turns a body: |ψ| = sin(angle/2). Beyond, its linearisation says little. */
const largestTurn = 0.25;

export class BareStep {
  private readonly system: System;
  private readonly stepper: Stepper;

  constructor(mechanism: Mechanism, target: Target, inequalities: boolean) {
    this.system = buildSystem(bareMechanism(mechanism, inequalities), target);
    this.stepper = new Stepper(this.system, target);
  }

  /** Takes over what the parameters of another system of the same mechanism are set to. */
  adopt(source: System): void {
    for (const [path, index] of this.system.parameters) {
      const from = source.parameters.get(path);
      if (from !== undefined) this.system.f64[index] = source.f64[from];
    }
  }

  set(path: string, value: number): void {
    this.system.f64[this.system.parameters.get(path) as number] = value;
  }

  /** The next step starts from there. */
  startAt(where: Configuration): void {
    const { turns, mechanism } = this.system;
    const angles = Float64Array.from(turns.angles, ({ joint, coordinate }) =>
      where.coordinate(mechanism.joints[joint], coordinate),
    );
    const gears = new Float64Array(turns.gears.length);
    this.stepper.history.restore({ angles, gears, interval: undefined, warm: undefined });
  }

  /** The nearest valid configuration, `size` away or so; undefined where the step has no solution. */
  project(configuration: Float64Array, size: number): Float64Array | undefined {
    this.setScale(size);
    const next = new Float64Array(configuration.length);
    // too fast to step on is no matter: the velocities are not kept
    const found = this.stepper.step(configuration, next, { allowTooFast: true });
    return found ? atRest(next) : undefined;
  }

  /** Moves by fractions of the step's first Newton iteration, Δ = −M⁻¹Jᵀ(JM⁻¹Jᵀ)⁻¹c, no body turning too far. */
  newtonStep(configuration: Float64Array, size: number): (fraction: number) => Float64Array {
    this.setScale(size);
    const { f64, places, mechanism } = this.system;
    this.stepper.step(configuration, new Float64Array(configuration.length), { fallback: false, maxIterations: 1 });
    const velocities = f64.slice(places.unknown, places.unknown + 6 * mechanism.bodies.length);
    let most = 1;
    for (let at = 3; at < velocities.length; at += 6) {
      const turn = Math.sqrt(velocities[at] ** 2 + velocities[at + 1] ** 2 + velocities[at + 2] ** 2) / 2;
      most = Math.min(most, largestTurn / turn);
    }
    return (fraction) => moved(configuration, velocities, fraction * most);
  }

  /** The solver takes its units from gravity: here one that moves bodies by `size` in 1 s, and that wrenches cancel. */
  private setScale(size: number): void {
    const { f64, places, mechanism } = this.system;
    f64.set([1, 0, 0, -size], places.globals);
    for (const { index } of mechanism.bodies) {
      f64[places.wrench + 6 * index + 2] = f64[places.bodyParameters + bodyParameterNames.length * index] * size;
    }
  }
}

/** The same bodies, joints, gears and contacts, with nothing that acts but constraints. */
function bareMechanism(mechanism: Mechanism, inequalities: boolean): Mechanism {
  const contacts = inequalities ? mechanism.contacts : [];
  return {
    ...mechanism,
    bodies: mechanism.bodies.map((body) => ({ ...body, gravityScale: 1 })),
    joints: mechanism.joints.map((joint) => ({
      ...joint,
      tiltLimit: inequalities ? joint.tiltLimit : null,
      coordinates: joint.coordinates.map((coordinate) => ({
        ...coordinate,
        ...unloaded,
        ...(inequalities ? {} : { lower: null, upper: null }),
      })),
    })),
    gears: mechanism.gears
      .filter(({ kind }) => kind === "equality" || (kind === "range" && inequalities))
      .map((gear, index) => ({ ...gear, index })),
    contacts: contacts.map((contact) => ({
      ...contact,
      model: "impact" as const,
      frictionCoefficient: 0,
      ...{ restitution: null, torsionalFriction: null, rollingFriction: null },
    })),
    thrusters: [],
    fluid: null,
    inputSize: 0,
    inputNames: [],
  };
}

/** The state without its velocities. */
export function atRest(state: Float64Array): Float64Array {
  const configuration = Float64Array.from(state);
  for (let at = stateOffsets.velocity; at < configuration.length; at += bodyStateSize)
    configuration.fill(0, at, at + 6);
  return configuration;
}

/** Every body moved by a fraction of its (v, ω) times 1 s. */
function moved(configuration: Float64Array, velocities: Float64Array, fraction: number): Float64Array {
  const next = new Float64Array(configuration.length);
  const where = configurationNow(configuration);
  for (let i = 0; bodyAt(i) < configuration.length; i++) {
    const [x, y, z, ...spin] = Array.from(velocities.subarray(6 * i, 6 * i + 6), (entry) => fraction * entry);
    const pose = nextPose(where.pose(i), { linear: [x, y, z], angular: spin }, 1);
    next.set(pose.position as number[], bodyAt(i));
    next.set(pose.orientation as number[], orientationAt(i));
  }
  return next;
}
