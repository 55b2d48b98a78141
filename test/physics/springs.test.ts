/**
 * Springs from soft to far stiffer than the time step resolves, K = h² k / m. With y = (θ + ρθ₋)/(1+ρ) the linear spring
 * of weights (1, 2ρ, ρ²)/(1+ρ)² obeys, for w = y + i v √(m/k) and κ = √K/(1+ρ),
 *   w₊ = w (1 − iκρ)/(1 + iκ),   so that   E = ½ m v² + ½ k y²   falls by (1 + κ²ρ²)/(1 + κ²) a step: never gains, and at ρ = 1 is kept.
 * The stretch itself may first grow: a spring too stiff for its step, let go at θ₀, goes as (−ρ)ⁿ (1 + n(1+ρ)) θ₀, at ρ = 0.9 up to 7 θ₀.
 */
import { afterAll, describe, expect, it } from "vitest";
import {
  compile,
  customBody,
  maximalState,
  prismatic,
  revolute,
  Simulation,
  spherical,
  type Vector3,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { type BodyState, bodyState, run } from "./measures.ts";
import { printTable } from "./table.ts";

const h = 0.01;
const steps = 2000;
const stiffnesses = [0.01, 0.1, 1, 10, 50, 100, 1000, 10_000];
/** ρ = 1 has no damping at all, and its root nears −1 beyond this. */
const stiffestConserving = 50;
const defaultConservation = 0.9;

/** Rounding alone: E falls with every step. */
const GAIN_TOLERANCE = 1e-12;
/** Ten steps of the linear spring's decay: rounding, magnified by up to 1e4. */
const RATE_TOLERANCE = 1e-9;
/** Mean of the last tenth against the first. Rotations are not quite linear, and 200 steps do not average that out. */
const TREND_TOLERANCE = 1e-3;

const mass = 1.3;
const inertia: Vector3 = [0.8, 1, 1.2];

const stretchOf = ({ orientation }: BodyState): Vector3 => quaternion.toRotationVector(orientation);
const joints = {
  prismatic: { joint: prismatic, inert: mass, start: [0.03], stretch: ({ position }: BodyState) => position },
  revolute: { joint: revolute, inert: inertia[2], start: [0.03], stretch: stretchOf },
  spherical: { joint: spherical, inert: inertia[1], start: [0.02, -0.01, 0.02], stretch: stretchOf },
};
type SpringJoint = keyof typeof joints;

interface Spring {
  /** E at the start and after every step. */
  readonly energies: number[];
  /** Largest stretch over the first. */
  readonly overshoot: number;
}

function release(kind: SpringJoint, K: number, rho: number): Spring {
  const { joint, inert, start, stretch } = joints[kind];
  const stiffness = (K * inert) / h ** 2;
  const mechanism = compile({
    timestep: h,
    gravity: [0, 0, 0],
    springConservation: rho,
    bodies: { body: customBody({ mass, inertia }) },
    joints: { spring: joint({ parent: "world", child: "body", stiffness }) },
  });
  const energy = (state: Float64Array): number => {
    const body = bodyState(state, 0);
    const rate = kind === "prismatic" ? body.velocity : body.spin;
    const y = vector.sub(stretch(body), vector.scale(rate, (rho / (1 + rho)) * h));
    const inertial = kind === "prismatic" ? [mass, mass, mass] : inertia;
    return 0.5 * (inertial.reduce((sum, m, i) => sum + m * rate[i] ** 2, 0) + stiffness * vector.dot(y, y));
  };
  // a swing across the stretch, so that the spherical joint moves in space
  const velocity = kind === "spherical" ? [0.1, 0.1, -0.1] : [0];
  const begin = maximalState(mechanism, { spring: { position: start, velocity } });
  const energies = [energy(begin)];
  let largest = 0;
  run(new Simulation(mechanism), begin, steps, (state) => {
    energies.push(energy(state));
    largest = Math.max(largest, vector.norm(stretch(bodyState(state, 0))));
  });
  return { energies, overshoot: largest / vector.norm(start) };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.each(Object.keys(joints) as SpringJoint[])("an undamped spring on a %s joint", (kind) => {
  const rows: (string | number)[][] = [];
  const header = ["h²k/m", "ρ", "largest gain", "largest stretch", "energy left", "trend"];
  afterAll(() => printTable(`Spring, ${kind}, ${steps} steps`, header, rows));

  it.each(stiffnesses)("of h²k/m = %d never gains energy by default", (K) => {
    const { energies, overshoot } = release(kind, K, defaultConservation);
    const gain = Math.max(...energies) / energies[0] - 1;
    rows.push([K, defaultConservation, gain, overshoot, energies[steps] / energies[0], ""]);
    expect(gain).toBeLessThan(GAIN_TOLERANCE);
    if (kind !== "prismatic") return;
    const kappa = K / (1 + defaultConservation) ** 2;
    const factor = (1 + defaultConservation ** 2 * kappa) / (1 + kappa);
    expect(Math.abs(energies[10] / energies[0] / factor ** 10 - 1)).toBeLessThan(RATE_TOLERANCE);
  });

  const conserving = stiffnesses.filter((K) => K <= stiffestConserving);
  it.each(conserving)("of h²k/m = %d keeps its energy without trend at conservation 1", (K) => {
    const { energies, overshoot } = release(kind, K, 1);
    const trend = (mean(energies.slice(-steps / 10)) - mean(energies.slice(0, steps / 10))) / energies[0];
    rows.push([K, 1, Math.max(...energies) / energies[0] - 1, overshoot, energies[steps] / energies[0], trend]);
    expect(Math.abs(trend)).toBeLessThan(TREND_TOLERANCE);
  });
});
