/** Joints stay together: every kind, and closed loops, redundant ones among them. */
import { afterAll, describe, expect, it } from "vitest";
import {
  box,
  compile,
  type JointDescription,
  type Mechanism,
  type MechanismDescription,
  maximalState,
  prismatic,
  revolute,
  Simulation,
  spherical,
  type Vector3,
} from "../../src/index.ts";
import { vector } from "../../src/math/index.ts";
import { chain, jointCases, randomState } from "./jointCases.ts";
import { constraintError, run } from "./measures.ts";
import { printTable } from "./table.ts";

/** Metres or radians. The constraint holds at the end of each step to the solver's tolerance; nothing adds up over steps. */
const CONSTRAINT_TOLERANCE = 1e-8;
/** The last tenth of a run may be this much worse than the first: chance, not drift. */
const DRIFT_FACTOR = 10;
const steps = 3_000;
const timestep = 0.01;

const header = ["mechanism", "largest error", "first tenth", "last tenth", "iterations", "substepped"];

/** Runs, checks the joints at every step, and adds a row. */
function expectTogether(name: string, mechanism: Mechanism, start: Float64Array, rows: (string | number)[][]): void {
  let [first, middle, last] = [0, 0, 0];
  const { iterations, substepped } = run(new Simulation(mechanism), start, steps, (state, k) => {
    const error = constraintError(mechanism, state);
    if (k < steps / 10) first = Math.max(first, error);
    else if (k < 0.9 * steps) middle = Math.max(middle, error);
    else last = Math.max(last, error);
  });
  const largest = Math.max(first, middle, last);
  rows.push([name, largest, first, last, iterations / steps, substepped]);
  expect(largest).toBeLessThan(CONSTRAINT_TOLERANCE);
  expect(last).toBeLessThan(DRIFT_FACTOR * first + Number.EPSILON);
}

describe("a hanging chain of two links", () => {
  const rows: (string | number)[][] = [];
  afterAll(() =>
    printTable(`Constraint error, m or rad: chain of 2 links, ${steps} steps at h = ${timestep}`, header, rows),
  );

  it.each(jointCases)("joined by $name stays together to 1e-8 for 3,000 steps", ({ name, form }) => {
    // springs, so that what can slide does not fall for ever
    const forces = form.kind === "fixed" ? {} : { stiffness: 20 };
    const mechanism = chain({ form, timestep, links: 2, floats: false, gravity: [2, -1, 9], forces });
    expectTogether(name, mechanism, randomState(mechanism, 3, 0.5, 0.2), rows);
  });
});

const x: Vector3 = [1, 0, 0];
const y: Vector3 = [0, 1, 0];

/** A bar between two points given in the world at zero coordinates; the joints' anchors are given so too. */
function linkage(
  bars: Readonly<Record<string, readonly [Vector3, Vector3]>>,
  joints: readonly LinkageJoint[],
  gravity: Vector3,
): Mechanism {
  const centreOf = (body: string): Vector3 =>
    body === "world" ? vector.zero : vector.scale(vector.add(...bars[body]), 0.5);
  const description: MechanismDescription = {
    timestep,
    gravity,
    bodies: Object.fromEntries(
      Object.entries(bars).map(([name, [from, to]]) => {
        const size = vector.sub(to, from).map((entry) => 0.05 + Math.abs(entry)) as unknown as Vector3;
        return [name, box({ size, mass: 1 })];
      }),
    ),
    joints: Object.fromEntries(
      joints.map(({ make, parent, child, at, axis }): [string, JointDescription] => [
        `${parent}-${child}`,
        make({
          parent,
          child,
          parentAnchor: vector.sub(at, centreOf(parent)),
          childAnchor: vector.sub(at, centreOf(child)),
          // the axis of a ball is nobody's
          ...(axis && { axis }),
        }),
      ]),
    ),
  };
  return compile(description);
}

interface LinkageJoint {
  readonly make: typeof revolute;
  readonly parent: string;
  readonly child: string;
  readonly at: Vector3;
  readonly axis?: Vector3;
}

const hinge = (parent: string, child: string, at: Vector3, axis: Vector3 = x): LinkageJoint => ({
  make: revolute,
  parent,
  child,
  at,
  axis,
});
const ball = (parent: string, child: string, at: Vector3): LinkageJoint => ({ make: spherical, parent, child, at });
const slider = (parent: string, child: string, at: Vector3, axis: Vector3): LinkageJoint => ({
  make: prismatic,
  parent,
  child,
  at,
  axis,
});

const bar = (from: Vector3, to: Vector3): readonly [Vector3, Vector3] => [from, to];

const tilted: Vector3 = [0, 4, -9];

/** Loops that zero coordinates close; a body in the world sits where its bar is, so each chain of zero joints agrees. */
const loops: Readonly<Record<string, () => Mechanism>> = {
  "planar four-bar, three redundant rows": () =>
    linkage(
      {
        left: bar([0, 0, 0], [0, 0, -0.5]),
        right: bar([0, 0.7, 0], [0, 0.7, -0.5]),
        coupler: bar([0, 0, -0.5], [0, 0.7, -0.5]),
      },
      [
        hinge("world", "left", [0, 0, 0]),
        hinge("world", "right", [0, 0.7, 0]),
        hinge("left", "coupler", [0, 0, -0.5]),
        hinge("right", "coupler", [0, 0.7, -0.5]),
      ],
      tilted,
    ),
  "slider-crank, three redundant rows": () =>
    linkage(
      {
        crank: bar([0, 0, 0], [0, 0.1, -0.3]),
        rod: bar([0, 0.1, -0.3], [0, 0.8, 0]),
        slide: bar([0, 0.75, 0], [0, 0.85, 0]),
      },
      [
        hinge("world", "crank", [0, 0, 0]),
        hinge("crank", "rod", [0, 0.1, -0.3]),
        hinge("rod", "slide", [0, 0.8, 0]),
        slider("world", "slide", [0, 0.8, 0], y),
      ],
      tilted,
    ),
  "spatial loop: two hinges across, two balls": () =>
    linkage(
      {
        crank: bar([0, 0, 0], [0, 0, -0.3]),
        coupler: bar([0, 0, -0.3], [0.6, 0, -0.5]),
        rocker: bar([0.6, 0, 0], [0.6, 0, -0.5]),
      },
      [
        hinge("world", "crank", [0, 0, 0], x),
        ball("crank", "coupler", [0, 0, -0.3]),
        ball("coupler", "rocker", [0.6, 0, -0.5]),
        hinge("world", "rocker", [0.6, 0, 0], y),
      ],
      [1, 3, -9],
    ),
  "two loops: a four-bar under a four-bar": () =>
    linkage(
      {
        left: bar([0, 0, 0], [0, 0, -0.5]),
        right: bar([0, 0.7, 0], [0, 0.7, -0.5]),
        platform: bar([0, 0, -0.5], [0, 0.7, -0.5]),
        left2: bar([0, 0.1, -0.5], [0, 0.1, -0.9]),
        right2: bar([0, 0.6, -0.5], [0, 0.6, -0.9]),
        platform2: bar([0, 0.1, -0.9], [0, 0.6, -0.9]),
      },
      [
        hinge("world", "left", [0, 0, 0]),
        hinge("world", "right", [0, 0.7, 0]),
        hinge("left", "platform", [0, 0, -0.5]),
        hinge("right", "platform", [0, 0.7, -0.5]),
        hinge("platform", "left2", [0, 0.1, -0.5]),
        hinge("platform", "right2", [0, 0.6, -0.5]),
        hinge("left2", "platform2", [0, 0.1, -0.9]),
        hinge("right2", "platform2", [0, 0.6, -0.9]),
      ],
      tilted,
    ),
};

describe("a closed loop", () => {
  const rows: (string | number)[][] = [];
  afterAll(() => printTable(`Constraint error, m or rad: loops, ${steps} steps at h = ${timestep}`, header, rows));

  it.each(Object.keys(loops))("%s stays closed to 1e-8 for 3,000 steps", (name) => {
    const mechanism = loops[name]();
    const start = maximalState(mechanism);
    expect(constraintError(mechanism, start)).toBeLessThan(1e-15);
    expectTogether(name, mechanism, start, rows);
  });
});
