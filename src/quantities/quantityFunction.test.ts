/** Values of quantities against plain sums, and Jacobians of every named one against central differences. */
import { describe, expect, it } from "vitest";
import { matrixOf, times, turnedBack } from "../../test/physics/jointOracle.ts";
import { maximalState, minimalState } from "../coordinates/index.ts";
import { bodyTangentSize, Random } from "../math/index.ts";
import { compile, type MechanismContact, type Vector3 } from "../mechanism/index.ts";
import { models } from "../models/index.ts";
import { atan2, cos, mul, type Scalar, square, sub } from "../symbolic/index.ts";
import { Quantities, quantityNames } from "./quantities.ts";
import { QuantityFunction, type QuantityPoint, type SparseJacobian } from "./quantityFunction.ts";

const step = 1e-6;
/** Second-order differences of step 1e-6: rounding 1e-10, truncation 1e-12, times what the quantities measure. */
const tolerance = 1e-8;

const mechanism = compile(models.a1());

function randomPoint(seed: number): Required<QuantityPoint> {
  const random = new Random(seed);
  const joints = Object.fromEntries(
    mechanism.joints.map(({ name, coordinates }) => [
      name,
      {
        position: coordinates.map(() => random.uniform(-0.6, 0.6)),
        velocity: coordinates.map(() => random.uniform(-1, 1)),
      },
    ]),
  );
  const state = maximalState(mechanism, joints);
  return {
    state,
    minimal: minimalState(mechanism, state),
    input: Float64Array.from({ length: mechanism.inputSize }, () => random.normal()),
    impulse: Float64Array.from({ length: 3 * mechanism.contacts.length }, () => random.normal()),
    time: random.uniform(0, 2),
    parameters: [random.normal()],
  };
}

/** The state moved along one tangent of a body. */
function moved(state: Float64Array, column: number, amount: number): Float64Array {
  const out = Float64Array.from(state);
  const at = 13 * Math.floor(column / bodyTangentSize);
  const part = column % bodyTangentSize;
  if (part < 3) out[at + part] += amount;
  else if (part >= 6) out[at + 1 + part] += amount;
  else {
    const [w, x, y, z] = state.subarray(at + 3, at + 7);
    const half = [0, 0, 0];
    half[part - 3] = amount / 2;
    const [a, b, c] = half;
    out.set(
      [w - x * a - y * b - z * c, x + w * a + y * c - z * b, y + w * b + z * a - x * c, z + w * c + x * b - y * a],
      at + 3,
    );
  }
  return out;
}

/** Largest difference between a Jacobian and the differences of the values along `vary`. */
function worst(
  made: QuantityFunction,
  point: QuantityPoint,
  jacobian: SparseJacobian,
  columns: number,
  vary: (column: number, amount: number) => Partial<QuantityPoint>,
): number {
  const dense = new Float64Array(made.values.length * columns);
  jacobian.entries.forEach((entry, i) => {
    dense[jacobian.rows[i] * columns + jacobian.columns[i]] += entry;
  });
  const at = (column: number, amount: number): Float64Array => {
    made.evaluate({ ...point, ...vary(column, amount) });
    return Float64Array.from(made.values);
  };
  let largest = 0;
  for (let column = 0; column < columns; column++) {
    const [ahead, behind] = [at(column, step), at(column, -step)];
    ahead.forEach((value, row) => {
      largest = Math.max(largest, Math.abs((value - behind[row]) / (2 * step) - dense[row * columns + column]));
    });
  }
  return largest;
}

function check(rowsOf: (q: Quantities) => readonly Scalar[], seed: number): void {
  const q = new Quantities(mechanism);
  const made = new QuantityFunction(q, rowsOf(q));
  const point = randomPoint(seed);
  const { state, minimal, input, impulse, parameters, time } = point;
  const used: QuantityPoint = {
    state,
    minimal,
    input,
    impulse,
    time,
    parameters: parameters.length === q.parameterNames.length ? parameters : [],
  };
  made.linearize(used);
  const copies = [made.byMinimal, made.byState, made.byInput, made.byImpulse].map(({ rows, columns, entries }) => ({
    rows,
    columns,
    entries: Float64Array.from(entries),
  }));
  const plus = (values: Float64Array, i: number, amount: number): Float64Array =>
    values.map((value, j) => (i === j ? value + amount : value));
  const errors = [
    worst(made, used, copies[0], minimal.length, (i, a) => ({ minimal: plus(minimal, i, a) })),
    worst(made, used, copies[1], bodyTangentSize * mechanism.bodies.length, (i, a) => ({ state: moved(state, i, a) })),
    worst(made, used, copies[2], input.length, (i, a) => ({ input: plus(input, i, a) })),
    worst(made, used, copies[3], impulse.length, (i, a) => ({ impulse: plus(impulse, i, a) })),
  ];
  expect(Math.max(...errors)).toBeLessThan(tolerance);
}

describe("derivatives", () => {
  it("of every named quantity equal central differences", () => {
    const names = quantityNames(mechanism);
    expect(names.length).toBeGreaterThan(200);
    check((q) => names.map((name) => q.named(name)), 1);
  });

  it("of points, axes and products of quantities equal central differences", () => {
    check((q) => {
      const trunk = q.body("trunk");
      const point = q.body("FR_calf").point([0.01, 0.02, -0.1]);
      return [
        ...point.position,
        ...point.velocity,
        ...trunk.axes.flat(),
        mul(cos(q.coordinate("FR_thigh_joint.angle")), sub(q.centerOfMass.position[2], q.parameter("height"))),
        atan2(trunk.axes[0][1], trunk.axes[0][0]),
        mul(q.time, q.input("FL_calf_joint.angle")),
        mul(q.contact("FR_calf").normalImpulse, trunk.position[2]),
        sub(square(q.contact("RL_calf").frictionImpulse[1]), q.contact("RL_calf").distance),
      ];
    }, 2);
  });
});

describe("values", () => {
  it("of joint coordinates are those of the minimal state, of bodies those of the state", () => {
    const q = new Quantities(mechanism);
    const point = randomPoint(3);
    const made = new QuantityFunction(q, [q.rate("RR_hip_joint.angle"), q.named("bodies.RL_thigh.velocity.y")]);
    made.evaluate(point);
    const rate = mechanism.coordinateCount + mechanism.coordinateNames.indexOf("RR_hip_joint.angle");
    const body = mechanism.bodies.findIndex(({ name }) => name === "RL_thigh");
    expect(Array.from(made.values)).toEqual([point.minimal[rate], point.state[13 * body + 8]]);
  });

  it("of bodies, of the whole and of contacts are those of rotation matrices and sums", () => {
    const q = new Quantities(mechanism);
    const place: Vector3 = [0.01, -0.02, 0.1];
    const calf = q.body("FR_calf");
    const { centerOfMass, momentum } = q;
    const foot = mechanism.contacts.find(({ name }) => name === "FR_calf") as MechanismContact;
    const made = new QuantityFunction(q, [
      ...calf.axes.flat(),
      ...calf.point(place).position,
      ...calf.point(place).velocity,
      ...centerOfMass.position,
      ...centerOfMass.velocity,
      ...momentum.linear,
      ...momentum.angular,
      q.contact("FR_calf").distance,
    ]);
    const given = randomPoint(4);
    made.evaluate(given);

    const bodies = mechanism.bodies.map(({ mass, inertia, index }) => {
      const [x, , v, w] = [0, 3, 7, 10].map((at) =>
        Array.from(given.state).slice(13 * index + at, 13 * index + at + 3),
      );
      const turn = matrixOf(given.state.subarray(13 * index + 3, 13 * index + 7));
      const spin = times(turn, w as unknown as Vector3);
      const own = times(turn, times(inertia, w as unknown as Vector3));
      return { mass, turn, x, v, spin, own };
    });
    const total = bodies.reduce((sum, { mass }) => sum + mass, 0);
    const over = (read: (body: (typeof bodies)[number]) => readonly number[]): number[] =>
      [0, 1, 2].map((k) => bodies.reduce((sum, body) => sum + body.mass * read(body)[k], 0));
    const { turn, x, v, spin } = bodies[mechanism.bodies.findIndex(({ name }) => name === "FR_calf")];
    const arm = times(turn, place);
    const linear = over((body) => body.v);
    const angular = bodies.reduce<readonly number[]>(
      (sum, body) => {
        const orbit = crossOf(body.x, body.v);
        return sum.map((entry, k) => entry + body.mass * orbit[k] + body.own[k]);
      },
      [0, 0, 0],
    );
    const expected = [
      ...turnedBack(turn).flat(),
      ...x.map((entry, k) => entry + arm[k]),
      ...v.map((entry, k) => entry + crossOf(spin, arm)[k]),
      ...over((body) => body.x).map((entry) => entry / total),
      ...linear.map((entry) => entry / total),
      ...linear,
      ...angular,
      x[2] + times(turn, foot.point)[2] - foot.radius,
    ];
    expect(made.values.length).toBe(expected.length);
    made.values.forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(1e-12);
    });
  });
});

function crossOf(a: readonly number[], b: readonly number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

describe("errors", () => {
  it("name what does not exist and the nearest name", () => {
    const q = new Quantities(mechanism);
    expect(() => q.named("bodies.trunk.position.w")).toThrow(/unknown-quantity .*did you mean "bodies.trunk.position/);
    expect(() => q.coordinate("FR_hip_joint.angel")).toThrow(/did you mean "FR_hip_joint.angle"/);
    expect(() => q.body("trnk")).toThrow(/did you mean "trunk"/);
  });
  it("say which numbers are missing", () => {
    const q = new Quantities(mechanism);
    const made = new QuantityFunction(q, [q.coordinate("FR_hip_joint.angle")]);
    expect(() => made.evaluate({})).toThrow(/wrong-size at minimal: is missing; give 36 numbers/);
  });
  it("refuse symbols of other quantities", () => {
    const [a, b] = [new Quantities(mechanism), new Quantities(mechanism)];
    expect(() => new QuantityFunction(a, [b.time])).toThrow(/other quantities/);
  });
});
