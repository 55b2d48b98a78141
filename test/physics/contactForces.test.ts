/** What contacts report: forces that carry the weight, stay in their cone, oppose slip, and add up to the motion. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  type ContactModel,
  type ContactReading,
  halfSpace,
  Random,
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
  randomSolid,
  randomThrow,
  run,
  type Scene,
  StepCount,
  shapes,
  short,
  slip,
} from "./contactScenes.ts";

const timesteps = [0.05, 0.01, 0.001];
/** A slope, so that no axis of the world is special. */
const normal: Vector3 = [0.12, 0.16, Math.sqrt(0.96)];

const readings = ({ simulation, spheres }: Scene): ContactReading[] =>
  spheres.map((_, i) => simulation.contact(`c${i}`));

/** Random throws onto the slope, moved along its normal to start as high above it as above the floor. */
function throwOnSlope(
  shape: (typeof shapes)[number],
  h: number,
  seed: number,
  model: ContactModel,
): [Scene, Float64Array, number] {
  const random = new Random(seed);
  const { body, spheres } = randomSolid(random, shape, 0.2);
  const friction = random.uniform(0.1, 1);
  const scene = freeBody({ body, spheres, timestep: h, friction, model, plane: halfSpace({ normal }) });
  const start = randomThrow(scene, random, Math.min(2, 0.05 / h), Math.min(10, 0.5 / h));
  start.set([start[2] * normal[0], start[2] * normal[1], start[2] * normal[2]]);
  return [scene, start, friction];
}

/** Visits every solved step of the throws with its contact readings. */
function overThrows(
  h: number,
  model: ContactModel,
  visit: (
    scene: Scene,
    friction: number,
    next: Float64Array,
    before: Float64Array,
    label: string,
    substeps: number,
  ) => void,
): StepCount {
  const counted = new StepCount();
  for (const shape of shapes) {
    for (let seed = 1; seed <= (h === 0.001 ? 4 : 8); seed++) {
      const [scene, start, friction] = throwOnSlope(shape, h, seed, model);
      run(scene, start, h === 0.001 ? 500 : 1 / h, counted, `${shape} seed ${seed}`, (next, before, step, result) => {
        visit(scene, friction, next, before, `${shape} seed ${seed} step ${step}`, result.substeps);
      });
    }
  }
  expect(counted.failures).toEqual([]);
  return counted;
}

describe("a resting block", () => {
  test("is carried by normal forces that sum to m g", () => {
    /** The residual tolerance of a step, relative to the weight. */
    const relative = 1e-8;
    const mass = 3;
    const body = box({ size: [0.4, 0.3, 0.2], mass });
    const rows: Row[] = [];
    for (const h of timesteps) {
      const scene = freeBody({ body, spheres: asPoints(boxCorners(body)), timestep: h, friction: 0.5 });
      const counted = new StepCount();
      let worst = 0;
      run(scene, bodyState([0, 0, 0.1]), 100, counted, "", (_, __, step) => {
        if (step < 2) return;
        const total = readings(scene).reduce((sum, { normal: force }) => sum + force, 0);
        worst = Math.max(worst, Math.abs(total / (mass * g) - 1));
      });
      rows.push({ h, "ΣN/(m g) − 1": short(worst), ...counted.row });
      expect(counted.failures).toEqual([]);
      expect(worst).toBeLessThan(relative);
    }
    printTable("a resting block", rows);
  });
});

describe("forces of random throws onto a slope", () => {
  /** ‖f‖ ≤ μ N (1 + this): the equation ξ₁ = c_f γ is linear and ends at rounding. */
  const coneShare = 1e-9;
  /** Readings of contacts that press and slide, at least: so many are compared with their slip. */
  const FIRM_AND_FAST = 50;

  test.each(timesteps)("friction stays in the exact cone and opposes slip at h = %d", (h) => {
    /**
     * Friction and slip are antiparallel to the size of κ over (force × slip); both are only compared where contact is firm
     * and slip is fast beside that.
     */
    const firm = 1e-3;
    const fast = 1e-3;
    const parallel = 1e-5;
    let over = -1;
    let turned = 0;
    let missing = 0;
    let compared = 0;
    const counted = overThrows(h, "cone", (scene, friction, next, before, _, substeps) => {
      const weight = scene.mechanism.bodies[0].mass * g;
      readings(scene).forEach(({ normal: pressing, friction: along, force }, i) => {
        const size = Math.hypot(...along);
        over = Math.max(over, size / (friction * pressing) - 1);
        const v = slip(before, next, scene.spheres[i], normal, h);
        const speed = Math.hypot(...v);
        if (substeps > 1 || pressing < firm * weight || speed < fast) return;
        compared++;
        turned = Math.max(turned, 1 + dot(force, v) / (size * speed));
        missing = Math.max(missing, 1 - size / (friction * pressing));
      });
    });
    printTable(`exact cone, h = ${h}`, [
      {
        "‖f‖/(μN) − 1": short(over),
        "1 + cos(f, slip)": short(turned),
        "1 − ‖f‖/(μN) sliding": short(missing),
        ...counted.row,
      },
    ]);
    expect(compared).toBeGreaterThan(FIRM_AND_FAST);
    expect(over).toBeLessThan(coneShare);
    expect(turned).toBeLessThan(parallel);
    expect(missing).toBeLessThan(parallel);
  });

  test.each(timesteps)(
    "friction stays in the four-sided cone, |f₁| + |f₂| ≤ μ N, and never pushes along the slip at h = %d",
    (h) => {
      const firm = 1e-3;
      const fast = 1e-3;
      /** The diamond's force is at most 45° off: cos = −1/√2, less what κ leaves. */
      const fortyFive = -Math.SQRT1_2 + 1e-3;
      let over = -1;
      let cosine = -1;
      let compared = 0;
      const counted = overThrows(h, "linear", (scene, friction, next, before, _, substeps) => {
        const weight = scene.mechanism.bodies[0].mass * g;
        readings(scene).forEach(({ normal: pressing, friction: along, force }, i) => {
          over = Math.max(over, (Math.abs(along[0]) + Math.abs(along[1])) / (friction * pressing) - 1);
          const v = slip(before, next, scene.spheres[i], normal, h);
          const speed = Math.hypot(...v);
          if (substeps > 1 || pressing < firm * weight || speed < fast) return;
          compared++;
          cosine = Math.max(cosine, dot(force, v) / (Math.hypot(...along) * speed));
        });
      });
      printTable(`four-sided cone, h = ${h}`, [
        { "(|f₁|+|f₂|)/(μN) − 1": short(over), "cos(f, slip)": cosine.toFixed(5), ...counted.row },
      ]);
      expect(compared).toBeGreaterThan(FIRM_AND_FAST);
      expect(over).toBeLessThan(coneShare);
      expect(cosine).toBeLessThan(fortyFive);
    },
  );

  test.each(["cone", "linear", "impact"] as const)(
    "of the %s model add up: normal and friction to the vector, vectors to the motion",
    (model) => {
      /** Splitting a vector in its own frame: rounding. */
      const rounding = 1e-12;
      /** m Δv/h against the forces, relative to the larger of them and the weight: the residual tolerance, and rounding of v/h. */
      const balance = 2e-8;
      let split = 0;
      let worst = 0;
      let distances = 0;
      for (const h of timesteps) {
        overThrows(h, model, (scene, _, next, before, __, substeps) => {
          const { mass } = scene.mechanism.bodies[0];
          const total = [0, 0, -mass * g];
          for (const [i, { normal: pressing, friction, force, distance }] of readings(scene).entries()) {
            const size = Math.max(mass * g, Math.hypot(...force));
            const tangential = force.map((entry, k) => entry - pressing * normal[k]);
            split = Math.max(split, Math.abs(dot(force, normal) - pressing) / size);
            split = Math.max(split, Math.abs(Math.hypot(...tangential) - Math.hypot(...friction)) / size);
            distances = Math.max(distances, Math.abs(distance - gap(next, scene.spheres[i], scene.plane)));
            for (let k = 0; k < 3; k++) total[k] += force[k];
          }
          if (substeps > 1) return;
          const miss = total.map((force, k) => force - (mass * (next[7 + k] - before[7 + k])) / h);
          worst = Math.max(worst, Math.hypot(...miss) / Math.max(mass * g, Math.hypot(...total)));
        });
      }
      printTable(`${model}: forces`, [
        { split: short(split), balance: short(worst), "distance − own formula, m": short(distances) },
      ]);
      expect(split).toBeLessThan(rounding);
      expect(distances).toBeLessThan(rounding);
      expect(worst).toBeLessThan(balance);
    },
  );

  test("an impact-only contact is frictionless: motion along the plane and spin about its normal go on unchanged", () => {
    /** Rounding of a hundred steps. */
    const unchanged = 1e-12;
    const h = 0.01;
    let change = 0;
    for (const shape of shapes) {
      const random = new Random(5);
      const { body, spheres } = randomSolid(random, shape, 0.2);
      for (const scene of [
        freeBody({ body, spheres, timestep: h, friction: 0, model: "impact" }),
        freeBody({ body, spheres, timestep: h, friction: 0, model: "cone" }),
      ]) {
        const start = randomThrow(scene, new Random(7), 2, 10);
        const turning = scene.simulation.momentum(start);
        const about = (state: Float64Array): number => {
          const { linear, angular } = scene.simulation.momentum(state);
          return angular[2] - (state[0] * linear[1] - state[1] * linear[0]);
        };
        const counted = new StepCount();
        run(scene, start, 100, counted, "", (next) => {
          const { linear } = scene.simulation.momentum(next);
          const size = body.mass * 2;
          change = Math.max(
            change,
            Math.abs(linear[0] - turning.linear[0]) / size,
            Math.abs(linear[1] - turning.linear[1]) / size,
          );
          change = Math.max(change, Math.abs(about(next) - about(start)) / size);
          for (const { friction } of readings(scene)) expect(friction).toEqual([0, 0]);
        });
        expect(counted.failures).toEqual([]);
      }
    }
    console.log(`impact only: tangential and turning momentum change by ${short(change)} of m · 2 m/s`);
    expect(change).toBeLessThan(unchanged);
  });

  test("a rollout keeps the readings that the simulation gave, contact by contact", () => {
    const [scene, start] = throwOnSlope("box", 0.01, 1, "cone");
    const live: ContactReading[][] = [];
    const forces = new Float64Array(3 * scene.spheres.length);
    const trajectory = scene.simulation.rollout(start, {
      steps: 60,
      onStep: () => {
        live.push(readings(scene));
        scene.simulation.contactForcesInto(forces);
        expect([...forces]).toEqual(readings(scene).flatMap(({ force }) => force));
        return undefined;
      },
    });
    scene.spheres.forEach((_, i) => {
      expect(trajectory.contact(`c${i}`)).toEqual(live.map((step) => step[i]));
    });
  });
});
