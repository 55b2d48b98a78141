/** Blocks that slide, stop, stick and creep: on the floor and on a slope, with the exact and with the four-sided cone. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  type ContactModel,
  halfSpace,
  type Quaternion,
  type StepOptions,
  type Vector3,
} from "../../src/index.ts";
import {
  asPoints,
  bodyState,
  dot,
  freeBody,
  gravity as g,
  gap,
  printTable,
  type Row,
  run,
  type Scene,
  StepCount,
  short,
  smallestGap,
} from "./contactScenes.ts";

const degree = Math.PI / 180;

describe("a block slides on the floor", () => {
  const mu = 0.3;
  const v = 2;
  /** 11.3°: what MuJoCo's pyramid was measured at. */
  const offAxis = 11.3 * degree;
  const timesteps = [0.04, 0.02, 0.01, 0.005];

  /** Square and low: it does not tip, and a direction off its axes does not turn it. */
  const body = box({ size: [0.4, 0.4, 0.1], mass: 2 });
  const spheres = asPoints(boxCorners(body).filter((corner) => corner[2] < 0));

  interface Slide {
    readonly distance: number;
    readonly sideways: number;
    readonly yaw: number;
    readonly finalSpeed: number;
    readonly counted: StepCount;
  }

  function slide(h: number, angle: number, model: ContactModel): Slide {
    const scene = freeBody({ body, spheres, timestep: h, friction: mu, model });
    const along: Vector3 = [Math.cos(angle), Math.sin(angle), 0];
    const start = bodyState([0, 0, 0.05], [1, 0, 0, 0], [v * along[0], v * along[1], 0]);
    const counted = new StepCount();
    let sideways = 0;
    let yaw = 0;
    const end = run(scene, start, Math.round(1 / h), counted, `h ${h}`, (next) => {
      sideways = Math.max(sideways, Math.abs(next[1] * along[0] - next[0] * along[1]));
      yaw = Math.max(yaw, Math.abs(2 * next[6]));
    });
    expect(counted.failures).toEqual([]);
    return { distance: dot(end, along), sideways, yaw, finalSpeed: Math.hypot(end[7], end[8], end[9]), counted };
  }

  test("it stops at v²/(2 μ g), to first order in the time step", () => {
    // v₊ = v − μ g h until it would turn round: h v/2 short, but for the last step
    const firstOrder = (h: number): number => (-h * v) / 2;
    /** Of the error that is left once h v/2 is taken off: the last, shortened step, at most μ g h²/8. */
    const secondOrder = (h: number): number => (mu * g * h * h) / 8 + 1e-8;
    /** Errors halve with the time step; the last, shortened step shifts the ratio by less than this. */
    const ratioShift = 0.01;
    const exact = (v * v) / (2 * mu * g);
    const errors = timesteps.map((h) => slide(h, 0, "cone").distance - exact);
    printTable(
      `stopping distance ${exact.toFixed(6)} m: error in mm`,
      timesteps.map((h, i) => ({ h, error: (1e3 * errors[i]).toFixed(4), "−h v/2": (1e3 * firstOrder(h)).toFixed(4) })),
    );
    for (const [i, h] of timesteps.entries()) {
      expect(Math.abs(errors[i] - firstOrder(h))).toBeLessThan(secondOrder(h));
      if (i > 0) expect(Math.abs(errors[i - 1] / errors[i] - 2)).toBeLessThan(ratioShift);
    }
  });

  test("with the exact cone it keeps to a straight line in any direction, and does not turn", () => {
    const straight = 1e-6;
    /** At rest it creeps with nothing to push it: rounding. */
    const stopped = 1e-12;
    const rows: Row[] = [];
    for (const h of timesteps) {
      for (const angle of [offAxis, 30 * degree, 77 * degree]) {
        const { sideways, yaw, finalSpeed, counted } = slide(h, angle, "cone");
        rows.push({
          h,
          angle: (angle / degree).toFixed(1),
          "sideways m": short(sideways),
          "yaw rad": short(yaw),
          mean: counted.row.mean,
        });
        expect(sideways).toBeLessThan(straight);
        expect(yaw).toBeLessThan(straight);
        expect(finalSpeed).toBeLessThan(stopped);
      }
    }
    printTable("exact cone, 2 m/s, μ = 0.3", rows);
  });

  test("with the four-sided cone it drifts 123 mm sideways at 11.3°, as maximal dissipation over a diamond says", () => {
    /** Discretisation: half a step at most, of what is a continuous-time sum. */
    const relative = 0.01;
    const visible = 1e-3;
    // all friction along x until both speeds are equal, then half of it along each
    const [vx, vy] = [v * Math.cos(offAxis), v * Math.sin(offAxis)];
    const x = (vx * vx - vy * vy) / (2 * mu * g) + (vy * vy) / (mu * g);
    const y = (vy * (vx - vy)) / (mu * g) + (vy * vy) / (mu * g);
    const expected = y * Math.cos(offAxis) - x * Math.sin(offAxis);
    const rows = timesteps.map((h) => {
      const { sideways, counted } = slide(h, offAxis, "linear");
      expect(sideways).toBeGreaterThan(visible);
      expect(Math.abs(sideways / expected - 1)).toBeLessThan(relative);
      return {
        h,
        "sideways mm": (1e3 * sideways).toFixed(2),
        "expected mm": (1e3 * expected).toFixed(2),
        mean: counted.row.mean,
      };
    });
    printTable("four-sided cone, 11.3° off its axis", rows);
  });
});

describe("a block on a 10° slope", () => {
  const theta = 10 * degree;
  const h = 0.01;
  const mass = 1;
  const half = 0.1;
  const normal: Vector3 = [-Math.sin(theta), 0, Math.cos(theta)];
  const downhill: Vector3 = [-Math.cos(theta), 0, -Math.sin(theta)];
  const upright: Quaternion = [Math.cos(theta / 2), 0, -Math.sin(theta / 2), 0];
  const body = box({ size: [2 * half, 2 * half, 2 * half], mass });
  const spheres = asPoints(boxCorners(body).filter((corner) => corner[2] < 0));

  function onSlope(friction: number, options: StepOptions = {}): [Scene, Float64Array] {
    const scene = freeBody({ body, spheres, timestep: h, friction, plane: halfSpace({ normal }), options });
    return [scene, bodyState([half * normal[0], 0, half * normal[2]], upright)];
  }

  /** Speed and acceleration over the second half of the run, and the corners' distances at its end. */
  function measure(scene: Scene, start: Float64Array, seconds: number) {
    const counted = new StepCount();
    const steps = Math.round(seconds / h);
    const middle = run(scene, start, steps / 2, counted);
    let closest = Infinity;
    const end = run(scene, middle, steps / 2, counted, "", (next) => {
      closest = Math.min(closest, smallestGap(scene, next));
    });
    expect(counted.failures).toEqual([]);
    const moved = dot(end, downhill) - dot(middle, downhill);
    const gained = dot(end.subarray(7, 10), downhill) - dot(middle.subarray(7, 10), downhill);
    const gaps = spheres.map((sphere) => gap(end, sphere, scene.plane));
    return { speed: moved / (seconds / 2), acceleration: gained / (seconds / 2), gaps, closest, counted };
  }

  test("sticks for 10 s with default options: creep below 1e-8 m/s, hover below 1e-7 m", () => {
    const creep = 1e-8;
    const hover = 1e-7;
    const { speed, gaps, closest, counted } = measure(...onSlope(1), 10);
    printTable("10° slope, μ = 1, h = 0.01, 10 s", [
      { "creep m/s": short(speed), "hover m": gaps.map(short).join(" "), ...counted.row },
    ]);
    expect(Math.abs(speed)).toBeLessThan(creep);
    expect(Math.max(...gaps)).toBeLessThan(hover);
    expect(closest).toBeGreaterThan(0);
  });

  test("near its limit it creeps faster, but by no more than n κ' g h r / (c_f cos θ (1 − r²)), r the part of the limit in use", () => {
    // the units of a contact at rest: κ = κ' m (g h)², γ = m g h cos θ / n, β = r c_f γ
    const corners = 4;
    const rows: Row[] = [];
    for (const r of [0.18, 0.5, 0.9, 0.99, 0.999]) {
      const mu = Math.tan(theta) / r;
      const { speed } = measure(...onSlope(mu), 2);
      const bound = (corners * 1e-8 * g * h * r) / (mu * Math.cos(theta) * (1 - r * r));
      rows.push({ r, "creep m/s": short(speed), bound: short(bound), part: short(speed / bound) });
      // corners downhill carry more, those uphill less: a tenth, as below; a step ends anywhere below κ, and aims at a fifth of it
      expect(speed).toBeLessThan(1.1 * bound);
      expect(speed).toBeGreaterThan(0.02 * bound);
      if (r <= 0.5) expect(speed).toBeLessThan(1e-8);
    }
    printTable("creep near the limit, 10° slope, h = 0.01", rows);
  });

  test("slides at g (sin θ − μ cos θ) when μ < tan θ", () => {
    const relative = 1e-6;
    const rows: Row[] = [];
    for (const mu of [0.02, 0.05, 0.1, 0.15]) {
      const exact = g * (Math.sin(theta) - mu * Math.cos(theta));
      const { acceleration, counted } = measure(...onSlope(mu), 4);
      const error = acceleration / exact - 1;
      rows.push({ mu, "a m/s²": acceleration.toFixed(8), "relative error": short(error), mean: counted.row.mean });
      expect(Math.abs(error)).toBeLessThan(relative);
    }
    printTable("sliding down 10°", rows);
  });

  test("hovers at κ/γ and creeps at κ/(c_f γ) · r/(1 − r²) for explicit κ = 1e-4, 1e-6 and 1e-8", () => {
    /** γ is taken as a quarter of the weight; the corners downhill carry more, those uphill less. */
    const relative = 0.1;
    /** With its own γ each corner's hover is κ/γ to the path tolerance of an exact solve, and what a step changes. */
    const relativeOwn = 3e-3;
    const gamma = (mass * g * h * Math.cos(theta)) / 4;
    const r = Math.tan(theta);
    const rows: Row[] = [];
    for (const kappa of [1e-4, 1e-6, 1e-8]) {
      const [scene, start] = onSlope(1, { kappa, exact: true });
      const { speed, gaps } = measure(scene, start, 4);
      const hover = gaps.reduce((sum, d) => sum + d, 0) / gaps.length;
      const [expectedHover, expectedCreep] = [kappa / gamma, ((kappa / gamma) * r) / (1 - r * r)];
      rows.push({
        kappa,
        "hover m": hover.toExponential(3),
        "κ/γ": expectedHover.toExponential(3),
        "creep m/s": speed.toExponential(3),
        formula: expectedCreep.toExponential(3),
      });
      expect(Math.abs(hover / expectedHover - 1)).toBeLessThan(relative);
      expect(Math.abs(speed / expectedCreep - 1)).toBeLessThan(relative);
      gaps.forEach((distance, i) => {
        const impulse = h * scene.simulation.contact(`c${i}`).normal;
        expect(Math.abs((distance * impulse) / kappa - 1)).toBeLessThan(relativeOwn);
      });
    }
    printTable("explicit κ: mean hover of four corners, creep", rows);
  });
});
