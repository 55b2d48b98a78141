/**
 * What a step does before it is solved and after it, as kernels: velocities of the last step, how much they must change as far as the residual tells
 * (v*, simulation/step/units.ts), which contacts are near and how the others are left out (simulation/step/nearContacts.ts).
 */
import type { Value } from "../../codegen/index.ts";
import type { ConeRole } from "../../equations/index.ts";
import { coneFormulas, dotProduct, largestAbsolute, poseSize, stateOffsets } from "../../math/index.ts";
import type { Body, Lanes } from "../memory/lanes.ts";
import { totals } from "./coneKernels.ts";
import { unitNumbers } from "./unitKernels.ts";

/** Widths in units of V h. Without the second, lists would be rewritten in every second step. */
const entering = 10;
const leaving = 40;
/** Width in units of h times the change of speed that the balance of the contact's own body asks for. */
const enteringAsked = 1;
const leavingAsked = 1.5;
/** Impulse of a contact that takes no part: its product with any distance is vanishing. */
const noImpulse = 1e-60;
/** What pairs with it in a friction cone: any velocity, m/s, will do. */
const anySpeed = 1;

/** Operands: a body's unknowns, its velocities. */
export const velocities: Body = (lanes) => {
  for (let k = 0; k < 6; k++) lanes.store(0, k, lanes.load(1, k));
};

/** Operands: the length of a gear's range, that of one of its terms. */
export const lengthen: Body = (lanes) => {
  lanes.store(0, 0, lanes.arithmetic.add(lanes.load(0), lanes.load(1)));
};

/** Change of speed that a body's own balance asks for. Operands: that, its six rows, changes per unit of them. */
export const askedOfBody: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const asked = [0, 1, 2, 3, 4, 5].map((k) => m.mul(m.abs(lanes.load(1, k)), lanes.load(2, k))).reduce(m.max);
  lanes.store(0, 0, asked);
  lanes.total("max", totals.change, asked);
};

/** Operands: a row, the change per unit of it. */
export const asked: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  lanes.total("max", totals.change, m.mul(m.abs(lanes.load(0)), lanes.load(1)));
};

/** The same of distances: only what would be crossed counts. */
export const askedOfDistance: Body = (lanes) => {
  lanes.total("max", totals.change, lanes.arithmetic.mul(lanes.load(0), lanes.load(1)));
};

/**
 * 1 where a contact is near, 0 where it is not. Operands: that, whether it took part in the last step, what its body asks for, its slack, its
 * row. Given: the numbers of the units.
 */
export const nearness: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const [zero, one] = [m.constant(0), m.constant(1)];
  const stays = m.mul(lanes.load(1), lanes.given(unitNumbers.goesOn));
  const distance = distanceOf(lanes, 3, 4);
  const isBeyond = (length: Value, stay: number, enter: number, otherwise: Value): Value =>
    m.ifLess(m.mul(length, m.ifLess(zero, stays, m.constant(stay), m.constant(enter))), distance, otherwise, one);
  const asks = m.mul(lanes.given(unitNumbers.timestep), lanes.load(2));
  const near = isBeyond(
    lanes.given(unitNumbers.length),
    leaving,
    entering,
    isBeyond(asks, leavingAsked, enteringAsked, zero),
  );
  lanes.store(0, 0, near);
  lanes.total("add", totals.near, near);
};

/**
 * Leaves a contact out that takes no part: its impulses vanish, slips are not known, and nothing is left to be solved for. Operands: b, c, their steps, its
 * rows, whether it takes part.
 */
export const leave =
  (roles: readonly ConeRole[]): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const [zero, half] = [m.constant(0), m.constant(0.5)];
    const takesPart = lanes.load(5);
    const put = (operand: number, index: number, value: Value): void => {
      lanes.store(operand, index, m.ifLess(takesPart, half, value, lanes.load(operand, index)));
    };
    const distance = distanceOf(lanes, 1, 4);
    let at = 0;
    for (const { size, impulse, pairedWith } of roles) {
      const other = pairedWith === "length" ? distance : m.constant(anySpeed);
      const first = [m.constant(noImpulse), other];
      if (impulse === "c") first.reverse();
      for (let k = 0; k < size; k++) {
        for (const side of [0, 1]) put(side, at + k, k === 0 ? first[side] : zero);
        for (const side of [2, 3]) put(side, at + k, zero);
      }
      at += size;
    }
    for (let row = 0; row < rowsOf(roles); row++) put(4, row, zero);
  };

/** Settles, after the solve, distance and slip as the residual has them, so that the pairs of a contact that took no part solve its equations too. */
export const settleLeft =
  (roles: readonly ConeRole[]): Body =>
  (lanes) => {
    const { arithmetic: m } = lanes;
    const any = m.constant(anySpeed);
    const distance = distanceOf(lanes, 1, 4);
    lanes.total("min", totals.distance, distance);
    lanes.store(1, 0, distance);
    const rows = Array.from({ length: rowsOf(roles) }, (_, row) => lanes.load(4, row));
    if (roles.length > 1 && roles[1].start === "friction") {
      // η = (more than |slip|, slip)
      const slips = rows.slice(2).map(m.neg);
      slips.forEach((slip, k) => {
        lanes.store(1, 2 + k, slip);
      });
      lanes.store(1, 1, m.add(any, m.sqrt(dotProduct(m, slips, slips))));
    } else if (roles.length > 1) {
      // η = ψ ± slip, with more than |slip| for ψ
      const sides = roles.length - 2;
      const slips = rows.slice(1, 1 + sides);
      const most = m.add(any, largestAbsolute(m, slips));
      slips.forEach((slip, k) => {
        lanes.store(1, 1 + k, m.sub(most, slip));
      });
      lanes.store(0, 1 + sides, most);
    }
    rows.forEach((_, row) => {
      lanes.store(4, row, m.constant(0));
    });
  };

/**
 * A pair of a limit from another pair and how its slack has changed, onto the central path at μ, with γ in proportion to V h. Operands: b, c,
 * β, γ, product, weight, b and c of the other pair, slacks of the last step and of the one before, two numbers with γ = (first V h)/second.
 * Given: numbers of the units.
 */
export const startSmooth: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const gamma = m.div(m.mul(lanes.load(10), lanes.given(unitNumbers.length)), lanes.load(11));
  const beta = m.div(lanes.load(5), gamma);
  const slack = m.add(lanes.load(7), m.sub(lanes.load(8), lanes.load(9)));
  const z = m.sub(m.div(lanes.load(6), beta), m.div(slack, gamma));
  const [[b], [c]] = coneFormulas.orthant.pairOnPath(m, [z], lanes.given(unitNumbers.mu), beta, gamma);
  [b, c, beta, gamma, m.mul(b, c)].forEach((value, operand) => {
    lanes.store(operand, 0, value);
  });
};

/** Next pose, its quaternion freed of rounding, and velocities. Operands: a body's next state, its next pose, its unknowns. */
export const nextState: Body = (lanes) => {
  const { arithmetic: m } = lanes;
  const { orientation, velocity } = stateOffsets;
  const pose = Array.from({ length: poseSize }, (_, k) => lanes.load(1, k));
  const turn = pose.slice(orientation);
  const scale = m.div(m.constant(1), m.sqrt(dotProduct(m, turn, turn)));
  pose.forEach((entry, k) => {
    lanes.store(0, k, k < orientation ? entry : m.mul(entry, scale));
  });
  for (let k = 0; k < 6; k++) lanes.store(0, velocity + k, lanes.load(2, k));
};

/** E = s − φ. Operands of a slack and of its row. */
function distanceOf({ arithmetic: m, load }: Lanes, slack: number, row: number): Value {
  return m.sub(load(slack), load(row));
}

const rowsOf = (roles: readonly ConeRole[]): number => roles.reduce((sum, { rows }) => sum + rows.length, 0);

/** A name for what bodies made of these roles are. */
export const nameOfRoles = (roles: readonly ConeRole[]): string =>
  roles.map(({ start, size }) => `${start}${size}`).join(".");
