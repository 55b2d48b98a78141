/** Forces from outside: gravity, wrenches, motors; and joints that leave nothing free. */
import { afterAll, describe, expect, it } from "vitest";
import {
  box,
  compile,
  customBody,
  fixed,
  floating,
  jointFreedom,
  jointRates,
  maximalState,
  Simulation,
  type Vector3,
} from "../../src/index.ts";
import { matrix3, quaternion, vector } from "../../src/math/index.ts";
import { jointCases } from "./jointCases.ts";
import { bodyState, distance, run } from "./measures.ts";
import { printTable } from "./table.ts";

const h = 0.01;
/** The linear balance is solved to rounding. */
const EXACT = 1e-12;
/** Relative; a spin's momentum over a step is (J/h)·sin(hω), and hω stays below 0.02. */
const SPIN_TOLERANCE = 1e-4;

const mass = 2.5;
const inertia: Vector3 = [0.3, 0.5, 0.7];

function freeBody(gravity: Vector3) {
  const mechanism = compile({
    timestep: h,
    gravity,
    bodies: { body: customBody({ mass, inertia }) },
    joints: { base: floating({ parent: "world", child: "body" }) },
  });
  return { mechanism, simulation: new Simulation(mechanism) };
}

describe("a free body", () => {
  it.each<Vector3>([
    [0, 0, -9.81],
    [3, 0, 0],
    [-1, 4, 2],
  ])("falls along gravity (%d, %d, %d), as fast as the steps add up", (...gravity) => {
    const { mechanism, simulation } = freeBody(gravity);
    const steps = 100;
    const body = bodyState(run(simulation, maximalState(mechanism), steps).final, 0);
    expect(distance(body.velocity, vector.scale(gravity, steps * h))).toBeLessThan(EXACT);
    expect(distance(body.position, vector.scale(gravity, (h * h * steps * (steps + 1)) / 2))).toBeLessThan(EXACT);
  });

  it("goes by the gravity that is set as a parameter", () => {
    const { mechanism, simulation } = freeBody([0, 0, -9.81]);
    simulation.setParameter("gravity.x", 1.5);
    simulation.setParameter("gravity.z", 0);
    const body = bodyState(run(simulation, maximalState(mechanism), 10).final, 0);
    expect(distance(body.velocity, [1.5 * 10 * h, 0, 0])).toBeLessThan(EXACT);
  });

  it("accelerates at force / mass under a wrench, whichever way it is turned, until the wrench is taken away", () => {
    const { mechanism, simulation } = freeBody([0, 0, 0]);
    const force: Vector3 = [1, -2, 3];
    const start = maximalState(mechanism, { base: { position: [0, 0, 0, 0.5, -1, 0.3] } });
    simulation.setWrench("body", { force });
    const pushed = run(simulation, start, 50).final;
    const speed = vector.scale(force, (50 * h) / mass);
    expect(distance(bodyState(pushed, 0).velocity, speed)).toBeLessThan(EXACT);
    simulation.setWrench("body", {});
    expect(distance(bodyState(run(simulation, pushed, 50).final, 0).velocity, speed)).toBeLessThan(EXACT);
  });

  it("spins up at torque / J about each of its own axes", () => {
    const rows = [0, 1, 2].map((axis) => {
      const { mechanism, simulation } = freeBody([0, 0, 0]);
      const torque: [number, number, number] = [0, 0, 0];
      torque[axis] = 0.4;
      simulation.setWrench("body", { torque });
      const steps = 100;
      const spin = bodyState(run(simulation, maximalState(mechanism), steps).final, 0).spin[axis];
      const expected = (torque[axis] / inertia[axis]) * steps * h;
      expect(Math.abs(spin / expected - 1)).toBeLessThan(SPIN_TOLERANCE);
      return ["xyz"[axis], spin, expected, spin / expected - 1];
    });
    printTable("Spin after 1 s under 0.4 N·m", ["axis", "spin, rad/s", "theory", "relative error"], rows);
  });
});

describe("a fixed joint", () => {
  /** Metres or radians after a second of free flight with spin: the step of the whole is the sum of its parts' steps. */
  const WELD_TOLERANCE = 1e-12;

  it("welds two bodies into one that moves as their sum, to rounding", () => {
    const [first, second] = [box({ size: [0.4, 0.2, 0.1], mass: 1 }), box({ size: [0.1, 0.3, 0.2], mass: 2 })];
    const offset: Vector3 = [0.3, 0.1, -0.2];
    const turn = quaternion.fromAxisAngle(vector.normalize([1, 2, 3]), 0.7);
    // the sum, in the first body's axes, about the common centre of mass
    const centre = vector.scale(offset, 2 / 3);
    const sum = matrix3.add(
      matrix3.parallelAxis(first.inertia, 1, centre),
      matrix3.parallelAxis(matrix3.rotateInertia(second.inertia, turn), 2, vector.sub(offset, centre)),
    );
    const spin = [1, -2, 1.5];
    const errors = [0.05, 0.01].map((timestep) => {
      const common = { timestep, gravity: [0, 0, 0] as Vector3 };
      const welded = compile({
        ...common,
        bodies: { first, second },
        joints: {
          base: floating({ parent: "world", child: "first", childAnchor: centre }),
          weld: fixed({ parent: "first", child: "second", parentAnchor: offset, orientation: turn }),
        },
      });
      const whole = compile({
        ...common,
        bodies: { whole: customBody({ mass: 3, inertia: sum }) },
        joints: { base: floating({ parent: "world", child: "whole" }) },
      });
      const steps = Math.round(1 / timestep);
      const [a, b] = [welded, whole].map((mechanism) => {
        const start = maximalState(mechanism, { base: { velocity: [0.1, 0.2, 0.3, ...spin] } });
        return bodyState(run(new Simulation(mechanism), start, steps).final, 0);
      });
      const between = quaternion.toRotationVector(
        quaternion.multiply(quaternion.conjugate(a.orientation), b.orientation),
      );
      const centreNow = vector.add(a.position, quaternion.rotate(a.orientation, centre));
      return Math.max(vector.norm(between), distance(centreNow, b.position));
    });
    printTable(
      "Two welded bodies against one, 1 s",
      ["h", "difference, m or rad"],
      [
        [0.05, errors[0]],
        [0.01, errors[1]],
      ],
    );
    expect(Math.max(...errors)).toBeLessThan(WELD_TOLERANCE);
  });
});

describe("a motor", () => {
  const rows: (string | number)[][] = [];
  afterAll(() =>
    printTable("Motors: first rates against h M⁻¹u, worst relative error", ["joint", "motors", "error"], rows),
  );

  // at rest at zero coordinates a ball of even inertia has M = m on slides, J aᵢ·aⱼ between turns about aᵢ and aⱼ; where two hinges
  // pass each other at a distance d, its centre is on the second, and the first has m d² more
  const ballMass = 1.6;
  const ballInertia = 0.25;
  const free = jointCases.filter(({ name }) => name !== "fixed");

  it.each(free)("on each axis of $name accelerates it by M⁻¹u", ({ name, form }) => {
    const mechanism = compile({
      timestep: h,
      gravity: [0, 0, 0],
      bodies: { ball: customBody({ mass: ballMass, inertia: [ballInertia, ballInertia, ballInertia] }) },
      joints: { joint: { ...form, parent: "world", child: "ball", actuated: true } },
    });
    const simulation = new Simulation(mechanism);
    const { freeAxes } = jointFreedom(form);
    let worst = 0;
    freeAxes.forEach((_, driven) => {
      const input = new Float64Array(freeAxes.length);
      input[driven] = 0.3;
      const { final } = run(simulation, maximalState(mechanism), 1, undefined, () => input);
      const rates = jointRates(mechanism, final, h);
      // M·rate = h u
      freeAxes.forEach((axis, i) => {
        const impulse = freeAxes.reduce(
          (sum, other, j) => {
            if (axis.motion !== other.motion) return sum;
            const inert = axis.motion === "translation" ? ballMass : ballInertia;
            return sum + inert * vector.dot(axis.direction, other.direction) * rates[j];
          },
          i === 0 ? ballMass * (form.axisOffset ?? 0) ** 2 * rates[0] : 0,
        );
        worst = Math.max(worst, Math.abs(impulse - h * input[i]) / (h * 0.3));
      });
    });
    rows.push([name, freeAxes.length, worst]);
    expect(worst).toBeLessThan(SPIN_TOLERANCE);
  });

  it("pulls its two bodies apart and leaves their momentum alone", () => {
    const brick = box({ size: [0.2, 0.3, 0.4], mass: 1 });
    const mechanism = compile({
      timestep: h,
      gravity: [0, 0, 0],
      bodies: { brick, other: brick },
      joints: {
        base: floating({ parent: "world", child: "brick" }),
        motor: {
          kind: "revolute",
          axis: [0.6, 0, 0.8],
          parent: "brick",
          child: "other",
          parentAnchor: [0.3, 0, 0],
          actuated: true,
        },
      },
    });
    const simulation = new Simulation(mechanism);
    const { final } = run(simulation, maximalState(mechanism), 100, undefined, () => Float64Array.of(0.02));
    const { linear, angular } = simulation.momentum(final);
    expect(vector.norm(linear)).toBeLessThan(EXACT);
    expect(vector.norm(angular)).toBeLessThan(EXACT);
    expect(jointRates(mechanism, final, h)[6]).toBeGreaterThan(0.1);
  });
});
