/**
 * What a predicted start does to ports before and after the sweeps (portVisits.ts; simulation/step/predictedStart.ts), as kernels:
 *   neutral  cones of joints and gears neither push nor yield in the free step
 *   gather   rates after the free step and last impulses, and whether a limit is near enough to take part
 *   push     impulses of the sweeps, on what they act on
 *   slack    distances and slips of contacts that are not in the sweeps, after the step with these impulses
 *   land     the same of limits and gears, with their pairs
 *   place    pairs on the central path that are nearest: with x an impulse, y what it pairs with, β and γ their units and βγ that of the cone,
 *              b/β − c/γ = x/β − y/γ,   (b/β)(c/γ) = μ;        friction as in math/cones/frictionPath.ts
 */
import { type Program, ProgramBuilder, type Value } from "../../codegen/index.ts";
import { coneFormulas, dotProduct, frictionOnPath } from "../../math/index.ts";
import type { Body, Lanes } from "../memory/lanes.ts";
import { portNumbers as at } from "./portVisits.ts";
import { unitNumbers } from "./unitKernels.ts";

/** Limits take part in the sweeps from here on, after the free step (radians, radii of gyration); the others stay half as far away. */
const reach = 0.1;
/** Least distance of a contact that is out of the sweeps, though it takes part in the solve, in units of V h. */
const farAway = 5;
/** Smallest friction coefficient that pairs are placed with. */
const smallestCoefficient = 1e-3;

/** Operands: b, c, right-hand side. */
export const neutral: Body = (lanes) => {
  [0, 1, 0].forEach((value, operand) => {
    lanes.store(operand, 0, lanes.arithmetic.constant(value));
  });
};

/**
 * Operands: the port's numbers, the coordinate's step, row of the distance, weight, last impulse. `free`: of a limit on so many coordinates,
 * their steps, and the rates of the distance as the last operand.
 */
export const gatherLimit =
  (free?: number): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const h = lanes.given(unitNumbers.timestep);
    const rate = m.sub(limitRate(lanes, free, 1, 5), m.div(lanes.load(2), h));
    const isBeyond = [m.mul(m.constant(reach), lanes.load(0, at.length)), m.mul(h, rate)] as const;
    lanes.store(0, at.x, lanes.load(4));
    lanes.store(0, at.free, rate);
    lanes.store(0, at.perUnit, m.div(h, lanes.load(3)));
    lanes.store(0, at.near, m.ifLess(...isBeyond, m.constant(0), m.constant(1)));
  };

/** Operands: the ports' numbers, rows, weights, last impulses, friction coefficient; of each body that moves, their gradient and its step. */
export const gatherContact =
  (ports: 1 | 3, bodies: 1 | 2 = 1): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const h = lanes.given(unitNumbers.timestep);
    const rate = (port: number): Value => rateOf(lanes, 5, bodies, port);
    lanes.store(0, at.x, lanes.load(3));
    lanes.store(0, at.free, m.sub(rate(0), m.div(lanes.load(1), h)));
    lanes.store(0, at.perUnit, m.div(h, lanes.load(2)));
    if (ports === 1) return;
    lanes.store(0, at.coefficient, lanes.load(4));
    lanes.store(0, at.perUnit + 1, m.div(m.constant(1), lanes.load(2, 1)));
    for (let k = 1; k <= 2; k++) {
      lanes.store(0, at.x + k, lanes.load(3, 1 + k));
      lanes.store(0, at.free + k, m.sub(rate(k), lanes.load(1, 1 + k)));
    }
  };

/** Impulses and rates of a solution. Operands: the ports' numbers, b, c, h. */
export function gatherSolved(ports: 1 | 3): Program {
  const b = new ProgramBuilder(`ports.solved.${ports}`, 4);
  b.store(0, at.x, b.load(1, 0));
  b.store(0, at.free, b.div(b.load(2, 0), b.load(3, 0)));
  for (let k = 1; k < ports; k++) {
    b.store(0, at.x + k, b.load(1, 1 + k));
    b.store(0, at.free + k, b.load(2, 1 + k));
  }
  return b.finish();
}

/** Operands: the port's numbers, what acts on the coordinate. */
export function pushLimit(): Program {
  const b = new ProgramBuilder("ports.push.limit", 2);
  b.store(1, 0, b.mul(b.load(0, at.sign), b.load(0, at.x)), true);
  return b.finish();
}

/** The same of a limit on so many coordinates. Operands besides: what its impulse does to each. */
export function pushMixed(free: number): Program {
  const b = new ProgramBuilder(`ports.push.mixed.${free}`, 3);
  for (let k = 0; k < free; k++) b.store(1, k, b.mul(b.load(2, k), b.load(0, at.x)), true);
  return b.finish();
}

/** Operands: the ports' numbers, their directions, what acts on the body. */
export function pushContact(ports: 1 | 3): Program {
  const b = new ProgramBuilder(`ports.push.${ports}`, 3);
  for (let k = 0; k < 6; k += 2) {
    let force = b.loadAdjacent(2, k);
    for (let port = 0; port < ports; port++)
      force = b.add(force, b.mul(b.loadAdjacent(1, 6 * port + k), b.splat(b.load(0, at.x + port))));
    b.storeAdjacent(2, k, force);
  }
  return b.finish();
}

/**
 * Places a limit that is not in the sweeps: its slack after the step, and its pair. Operands: its numbers, weight, b, c, β, γ, the coordinate's step,
 * row; `free` as for `gatherLimit`.
 */
export const landLimit =
  (free?: number): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const h = lanes.given(unitNumbers.timestep);
    const slack = m.sub(m.mul(h, limitRate(lanes, free, 6, 8)), lanes.load(7));
    place(lanes, 1, farPair(lanes, slack, lanes.load(1), leastOfLimit(lanes)));
  };

/** The same at the slack that it has. Operands: its numbers, weight, b, c, β, γ. */
export const placeFarLimit: Body = (lanes) => {
  place(lanes, 1, farPair(lanes, lanes.load(3), lanes.load(1), leastOfLimit(lanes)));
};

/** Places a limit in the sweeps. Operands: its numbers, weight, b, c, β, γ. */
export const placeNearLimit: Body = (lanes) => {
  place(lanes, 1, nearPair(lanes));
};

/** Places a gear's range. Operands: weight, b, c, β, γ, the length's step, row. */
export const landGear =
  (sign: 1 | -1): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const slack = m.sub(m.mul(m.constant(sign), lanes.load(5)), lanes.load(6));
    place(lanes, 0, farPair(lanes, slack, lanes.load(0), m.constant(reach / 2)));
  };

/** Operands: weight, b, c, β, γ. */
export const placeFarGear: Body = (lanes) => {
  place(lanes, 0, farPair(lanes, lanes.load(2), lanes.load(0), lanes.arithmetic.constant(reach / 2)));
};

/** Where it is not in the sweeps. Operands: whether it is, rows, c; of each body that moves, the gradient of its ports and its step. */
export const slackOfContact =
  (ports: 1 | 3, bodies: 1 | 2 = 1): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const h = lanes.given(unitNumbers.timestep);
    const rate = (port: number): Value => rateOf(lanes, 3, bodies, port);
    const put = (index: number, value: Value): void => {
      lanes.store(2, index, m.ifLess(lanes.load(0), m.constant(0.5), value, lanes.load(2, index)));
    };
    put(0, m.sub(m.mul(h, rate(0)), lanes.load(1)));
    for (let k = 1; k < ports; k++) put(1 + k, m.sub(rate(k), lanes.load(1, 1 + k)));
  };

/**
 * Places a contact, in the sweeps or not: its gap, and friction within the bound that follows. Operands: its numbers, weights, b, c, β, γ, whether
 * it is in the sweeps, friction coefficient.
 */
export const placeContact =
  (ports: 1 | 3): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const either = (near: Value, far: Value): Value => m.ifLess(lanes.load(6), m.constant(0.5), far, near);
    const [V, h] = [lanes.given(unitNumbers.speed), lanes.given(unitNumbers.timestep)];
    const far = farPair(lanes, lanes.load(3), lanes.load(1), m.mul(m.mul(m.constant(farAway), V), h));
    const gap = eitherPair(either, nearPair(lanes), far);
    place(lanes, 1, gap);
    if (ports === 1) return;
    const unit = lanes.load(1, 1);
    const answer = either(lanes.load(0, at.own + 1), m.div(lanes.given(unitNumbers.square), unit));
    const beta = m.sqrt(m.div(unit, answer));
    const gamma = m.mul(beta, answer);
    const bound = m.mul(m.max(lanes.load(7), m.constant(smallestCoefficient)), gap.b);
    const z = [1, 2].map((k) => {
      const impulse = either(lanes.load(0, at.x + k), m.constant(0));
      const slip = either(lanes.load(0, at.rate + k), lanes.load(3, 1 + k));
      return m.sub(m.div(impulse, beta), m.div(slip, gamma));
    });
    const [xi, eta] = frictionOnPath(m, bound, z, lanes.given(unitNumbers.mu), beta, gamma);
    [bound, ...xi].forEach((entry, k) => {
      lanes.store(2, 1 + k, entry);
    });
    eta.forEach((entry, k) => {
      lanes.store(3, 1 + k, entry);
    });
    lanes.store(4, 1, beta);
    lanes.store(5, 1, gamma);
  };

const pairNames = ["b", "c", "beta", "gamma"] as const;
type Pair = Readonly<Record<(typeof pairNames)[number], Value>>;

function eitherPair(either: (near: Value, far: Value) => Value, near: Pair, far: Pair): Pair {
  const [b, c, beta, gamma] = pairNames.map((name) => either(near[name], far[name]));
  return { b, c, beta, gamma };
}

/** Operands behind that of the weight: b, c, β, γ. */
function place(lanes: Lanes, weight: number, pair: Pair): void {
  pairNames.forEach((name, i) => {
    lanes.store(weight + 1 + i, 0, pair[name]);
  });
}

/** The pair that the sweeps have found: β and γ by what the port answers to itself. Operands: numbers, weight. */
function nearPair(lanes: Lanes): Pair {
  const { arithmetic: m } = lanes;
  const h = lanes.given(unitNumbers.timestep);
  const answer = m.mul(h, lanes.load(0, at.own));
  const beta = m.sqrt(m.div(lanes.load(1), answer));
  const gamma = m.mul(beta, answer);
  const z = m.sub(m.div(lanes.load(0, at.x), beta), m.div(m.mul(h, lanes.load(0, at.rate)), gamma));
  const [[b], [c]] = coneFormulas.orthant.pairOnPath(m, [z], lanes.given(unitNumbers.mu), beta, gamma);
  return { b, c, beta, gamma };
}

/** The pair at a slack, or at the least one. */
function farPair(lanes: Lanes, slack: Value, weight: Value, least: Value): Pair {
  const { arithmetic: m } = lanes;
  const c = m.max(slack, least);
  const beta = m.div(weight, c);
  return { b: m.mul(lanes.given(unitNumbers.mu), beta), c, beta, gamma: c };
}

/** Rate of a limit's distance. Operands: numbers, and as said the steps of its coordinates and what the distance changes by for each. */
function limitRate(lanes: Lanes, free: number | undefined, steps: number, rates: number): Value {
  const { arithmetic: m } = lanes;
  if (free === undefined) return m.mul(lanes.load(0, at.sign), lanes.load(steps));
  const each = Array.from({ length: free }, (_, k) => k);
  const load = (operand: number): Value[] => each.map((k) => lanes.load(operand, k));
  return dotProduct(m, load(rates), load(steps));
}

function leastOfLimit({ arithmetic: m, load }: Lanes): Value {
  return m.mul(m.constant(reach / 2), load(0, at.length));
}

/** Rate of a port in the steps of its bodies: from this operand on, of each the gradient of all ports and the step. */
function rateOf(lanes: Lanes, operand: number, bodies: 1 | 2, port: number): Value {
  const six = (body: number, of: number, from: number): Value[] =>
    [0, 1, 2, 3, 4, 5].map((k) => lanes.load(operand + 2 * body + of, from + k));
  const each = bodies === 1 ? [0] : [0, 1];
  const gradients = each.flatMap((body) => six(body, 0, 6 * port));
  const steps = each.flatMap((body) => six(body, 1, 0));
  return dotProduct(lanes.arithmetic, gradients, steps);
}
