/** One rigid body, free or on a pivot: what the integrator conserves, and the motions that textbooks describe. */
import { describe, expect, it } from "vitest";
import { compile, customBody, floating, maximalState, Simulation, spherical, type Vector3 } from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { completeEllipticK } from "./elliptic.ts";
import { bodyState, distance, run } from "./measures.ts";
import { printTable } from "./table.ts";

const timestep = 0.01;
/** About the least, the middle and the greatest axis. */
const inertia: Vector3 = [1, 2, 3];

function freeBody() {
  const mechanism = compile({
    timestep,
    gravity: [0, 0, 0],
    bodies: { body: customBody({ mass: 1, inertia }) },
    joints: { base: floating({ parent: "world", child: "body" }) },
  });
  return { mechanism, simulation: new Simulation(mechanism) };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("a free body about its middle axis", () => {
  /** The balance is solved to rounding; 10,000 roundings of 1e-16 add up to 1e-14 or so. */
  const MOMENTUM_TOLERANCE = 1e-10;
  /** The free body's discrete energy ½ωᵀJω is conserved too, up to the same roundings. */
  const ENERGY_TOLERANCE = 1e-10;
  /** Flips near the separatrix depend on the logarithm of the perturbation; the integrator's error is of order (hω)². */
  const PERIOD_TOLERANCE = 1e-3;

  it("keeps its momentum to 1e-10 and its energy without trend for 100 s", () => {
    const { mechanism, simulation } = freeBody();
    const start = maximalState(mechanism, { base: { velocity: [0.3, -0.2, 0.1, 0.01, 2, 0.02] } });
    const momentum = simulation.momentum(start);
    const energy = simulation.energy(start).total;
    const energyErrors: number[] = [];
    let [linear, angular] = [0, 0];
    const steps = 10_000;
    run(simulation, start, steps, (state) => {
      const now = simulation.momentum(state);
      linear = Math.max(linear, distance(now.linear, momentum.linear) / vector.norm(momentum.linear));
      angular = Math.max(angular, distance(now.angular, momentum.angular) / vector.norm(momentum.angular));
      energyErrors.push(simulation.energy(state).total / energy - 1);
    });
    const largest = Math.max(...energyErrors.map(Math.abs));
    const trend = mean(energyErrors.slice(-steps / 10)) - mean(energyErrors.slice(0, steps / 10));
    printTable(
      "Free body, middle axis, 100 s at h = 0.01: relative change",
      ["linear", "angular", "energy", "energy, last tenth − first"],
      [[linear, angular, largest, trend]],
    );
    expect(linear).toBeLessThan(MOMENTUM_TOLERANCE);
    expect(angular).toBeLessThan(MOMENTUM_TOLERANCE);
    expect(largest).toBeLessThan(ENERGY_TOLERANCE);
    expect(Math.abs(trend)).toBeLessThan(ENERGY_TOLERANCE);
  });

  it("flips over and over, in the period of Euler's equations", () => {
    const { mechanism, simulation } = freeBody();
    const spin: Vector3 = [0.05, 3, 0.1];
    const flips: number[] = [];
    let before = spin[1];
    run(simulation, maximalState(mechanism, { base: { velocity: [0, 0, 0, ...spin] } }), 10_000, (state, k) => {
      const now = bodyState(state, 0).spin[1];
      // where the middle component crosses zero, in steps
      if (now < 0 !== before < 0) flips.push(k + before / (before - now));
      before = now;
    });
    const halfPeriods = flips.slice(1).map((time, i) => (time - flips[i]) * timestep);
    const expected = flipTime(spin);
    const worst = Math.max(...halfPeriods.map((time) => Math.abs(time / expected - 1)));
    printTable(
      "Wing nut, ω = 3 rad/s, 100 s",
      ["flips", "mean time, s", "theory, s", "worst relative error"],
      [[flips.length, mean(halfPeriods), expected, worst]],
    );
    expect(flips.length).toBeGreaterThan(15);
    expect(worst).toBeLessThan(PERIOD_TOLERANCE);
  });

  /** Half a period of ω₂: 2K(k)/p (Landau and Lifshitz, Mechanics, §37), for L² > 2E I₂, or with axes 1 and 3 exchanged. */
  function flipTime(spin: Vector3): number {
    const twiceEnergy = inertia.reduce((sum, I, i) => sum + I * spin[i] ** 2, 0);
    const square = inertia.reduce((sum, I, i) => sum + (I * spin[i]) ** 2, 0);
    const [I1, I2, I3] = square > twiceEnergy * inertia[1] ? inertia : [...inertia].reverse();
    const p = Math.sqrt(((I3 - I2) * (square - twiceEnergy * I1)) / (I1 * I2 * I3));
    const k = Math.sqrt(((I2 - I1) * (twiceEnergy * I3 - square)) / ((I3 - I2) * (square - twiceEnergy * I1)));
    return (2 * completeEllipticK(k)) / p;
  }
});

describe("a heavy symmetric top", () => {
  const top = { mass: 0.5, length: 0.1, across: 0.002, along: 0.004, gravity: 9.81, timestep: 0.0005 };
  /** Fast-top formula: the terms left out are of order (slow rate / spin). */
  const FAST_TOLERANCE = 0.03;
  /** The spin momentum of a step is J ω √(1−ψ²), ψ = hω₃/2 = 0.0375: slower by ψ²/2 = 7e-4, so that precession is faster by as much. */
  const STEADY_TOLERANCE = 1e-3;
  const tilt = 0.5;
  const spinAlong = 150;

  function precessionRate(precession: number, seconds: number): number {
    const { mass, length, across, along, timestep: h } = top;
    const mechanism = compile({
      timestep: h,
      bodies: { top: customBody({ mass, inertia: [across, across, along] }) },
      joints: { pivot: spherical({ parent: "world", child: "top", childAnchor: [0, 0, -length] }) },
    });
    const simulation = new Simulation(mechanism);
    const orientation = quaternion.fromAxisAngle(vector.unitX, tilt);
    const vertical = quaternion.rotateInverse(orientation, vector.unitZ);
    const spin: Vector3 = [precession * vertical[0], precession * vertical[1], spinAlong];
    const start = maximalState(mechanism, { pivot: { position: [tilt, 0, 0], velocity: [...spin] } });
    const azimuth = (state: Float64Array): number => {
      const axis = quaternion.rotate(bodyState(state, 0).orientation, vector.unitZ);
      return Math.atan2(axis[1], axis[0]);
    };
    let before = azimuth(start);
    let turned = 0;
    const steps = Math.round(seconds / h);
    run(simulation, start, steps, (state) => {
      const now = azimuth(state);
      turned += Math.atan2(Math.sin(now - before), Math.cos(now - before));
      before = now;
    });
    return turned / (steps * h);
  }

  it("precesses at m g l / (I₃ ω₃) when fast, and at the steady rate when started so", () => {
    const { mass, length, across, along, gravity } = top;
    const aboutPivot = across + mass * length ** 2;
    const weight = mass * gravity * length;
    const fast = weight / (along * spinAlong);
    // m g l = I₃ ω₃ Ω − I₁ Ω² cos θ, the slow root
    const b = along * spinAlong;
    const a = aboutPivot * Math.cos(tilt);
    const steady = (2 * weight) / (b + Math.sqrt(b * b - 4 * a * weight));
    const released = precessionRate(0, 8);
    const steadily = precessionRate(steady, 8);
    printTable(
      "Heavy top, 150 rad/s, h = 0.0005",
      ["start", "rate, rad/s", "theory, rad/s", "relative error"],
      [
        ["released", released, fast, released / fast - 1],
        ["steady", steadily, steady, steadily / steady - 1],
      ],
    );
    expect(Math.abs(released / fast - 1)).toBeLessThan(FAST_TOLERANCE);
    expect(Math.abs(steadily / steady - 1)).toBeLessThan(STEADY_TOLERANCE);
  });
});
