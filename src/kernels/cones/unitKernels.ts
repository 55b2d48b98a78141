/**
 * Units of one step, as kernels; simulation/step/units.ts has what they are and the tables a, b, c, d.
 *   V = max(|g| h, a hundredth of the fastest body's speed, a crawl, what rounding far from the origin allows)
 * Bodies that are far from everything hardly count: what falls out of the world loosens nothing that rests (simulation/step/farBodies.ts).
 *   1/tolerance = 1/(a · residual V + b · rounding + c) of every row        natural unit = d V² of every cone
 */
import type { Value } from "../../codegen/index.ts";
import { dotProduct, stateOffsets } from "../../math/index.ts";
import type { Body, Lanes } from "../memory/lanes.ts";
import { totals } from "./coneKernels.ts";

/** V as a fraction of the largest speed, for steps without gravity. */
export const speedFraction = 0.01;
/** Slowest V: this part of a body's size a step. */
const crawl = 1e-6;
/** Rounding of a difference of positions, in units of their size. */
export const positionRounding = 2e-15;

/** The first five are given, the others found. */
export const unitNumbers = {
  /** Residual that counts as solved, κ' at which distances must be resolved, largest distance from a body, largest body. */
  residual: 0,
  finestKappa: 1,
  reach: 2,
  size: 3,
  /** Whether the step goes on from the last one, 1 or 0. */
  goesOn: 4,
  /** V, what every speed is below, |g| h and the crawl. */
  speed: 5,
  fastest: 6,
  weight: 7,
  slowest: 8,
  /** Rounding of positions; residual V; V²; h; h V. */
  rounding: 9,
  unit: 10,
  square: 11,
  timestep: 12,
  length: 13,
  /** The μ at which predicted pairs are placed; given. */
  mu: 14,
  count: 15,
} as const;

/** Speed and distance from the origin. Operands: a body's state, its radius of gyration, how much it counts. */
export const pace: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const { velocity, angularVelocity } = stateOffsets;
  const [gyration, share] = [lanes.load(1), lanes.load(2)];
  const turning = m.mul(norm(lanes, 0, angularVelocity), gyration);
  lanes.total("max", totals.fastest, m.mul(share, m.add(norm(lanes, 0, velocity), turning)));
  for (let k = 0; k < 3; k++) lanes.total("max", totals.farthest, m.mul(share, m.abs(lanes.load(0, k))));
};

/** Operands: parameters of bodies, those that the tables are for. */
export const change: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  lanes.total("max", totals.changed, m.abs(m.sub(lanes.load(0), lanes.load(1))));
};

/** V and what follows from it, once. Operands: globals, totals, the numbers. */
export const speeds: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const number = (name: keyof typeof unitNumbers): Value => lanes.load(2, unitNumbers[name]);
  const largest = (total: number): Value => m.max(lanes.load(1, 2 * total), lanes.load(1, 2 * total + 1));
  const h = lanes.load(0);
  const weight = m.mul(h, norm(lanes, 0, 1));
  const fastest = largest(totals.fastest);
  const slowest = m.div(m.mul(m.constant(crawl), number("size")), h);
  const rounding = m.mul(m.constant(positionRounding), m.max(number("reach"), largest(totals.farthest)));
  // far from the origin, the slack κ/γ of an impact must stay above the rounding of positions
  const moving = m.add(fastest, weight);
  const resolvable = m.sqrt(m.div(m.mul(rounding, moving), m.mul(h, number("finestKappa"))));
  const speed = [m.mul(m.constant(speedFraction), fastest), slowest, resolvable].reduce(m.max, weight);
  const found = {
    ...{ speed, fastest: m.add(moving, slowest), weight, slowest, rounding },
    ...{ unit: m.mul(number("residual"), speed), square: m.mul(speed, speed), timestep: h, length: m.mul(h, speed) },
  };
  for (const [name, value] of Object.entries(found)) lanes.store(2, unitNumbers[name as keyof typeof found], value);
};

/** Operands: 1/tolerance, a, b, c of a row. Given: the numbers. */
export const tolerances: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const ofSpeed = m.mul(lanes.load(1), lanes.given(unitNumbers.unit));
  const ofRounding = m.mul(lanes.load(2), lanes.given(unitNumbers.rounding));
  lanes.store(0, 0, m.div(m.constant(1), m.add(m.add(ofSpeed, ofRounding), lanes.load(3))));
};

/** Operands: natural unit, d. Given: the numbers. */
export const naturalUnits: Body = (lanes) => {
  lanes.store(0, 0, lanes.arithmetic.mul(lanes.load(1), lanes.given(unitNumbers.square)));
};

/** Operands: weight·e, 1/weight, weight, e. */
export const weights: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  lanes.store(0, 0, m.mul(lanes.load(2), lanes.load(3)));
  lanes.store(1, 0, m.div(m.constant(1), lanes.load(2)));
};

function norm({ arithmetic: m, load }: Lanes, operand: number, index: number): Value {
  const entries = [0, 1, 2].map((k) => load(operand, index + k));
  return m.sqrt(dotProduct(m, entries, entries));
}
