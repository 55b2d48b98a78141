/** Momentum through contacts: between two moving bodies, and into a wall without gravity. */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  type ContactSphere,
  compile,
  floating,
  frictionContact,
  type HalfSpace,
  halfSpace,
  type MechanismDescription,
  prismatic,
  Random,
  Simulation,
  sphere,
  sphereContact,
  type Vector3,
} from "../../src/index.ts";
import {
  asPoints,
  bodyState,
  dot,
  freeBody,
  pointInWorld,
  printTable,
  type Row,
  rotationMatrix,
  run,
  StepCount,
  short,
  smallestGap,
} from "./contactScenes.ts";

const timesteps = [0.05, 0.01, 0.001];
const block = box({ size: [0.2, 0.3, 0.1], mass: 1 });
const ball = sphere({ radius: 0.1, mass: 1 });
const riders = {
  block: { body: block, spheres: asPoints(boxCorners(block)) },
  ball: { body: ball, spheres: [sphereContact(ball)] },
};
type Rider = keyof typeof riders;

const top: HalfSpace = halfSpace({ body: "plate", normal: [0, 0, 1], offset: 0.1 });
const offsets = (firstIsPlate: boolean): { plate: number; rider: number } => ({
  plate: firstIsPlate ? 0 : 13,
  rider: firstIsPlate ? 13 : 0,
});

const bodyOf = (state: Float64Array, offset: number): Float64Array => state.subarray(offset, offset + 13);

/** Distance of a rider's sphere from the plate's top, by hand. */
function gapToPlate(state: Float64Array, at: ReturnType<typeof offsets>, { point, radius }: ContactSphere): number {
  const plate = bodyOf(state, at.plate);
  const p = pointInWorld(bodyOf(state, at.rider), point);
  const up = rotationMatrix(plate.subarray(3, 7)).map((row) => row[2]);
  return dot(up, [p[0] - plate[0], p[1] - plate[1], p[2] - plate[2]]) - 0.1 - radius;
}

function contactsOf(rider: Rider, friction: number): NonNullable<MechanismDescription["contacts"]> {
  return riders[rider].spheres.map(({ point, radius }, i) =>
    frictionContact({ name: `c${i}`, body: "rider", point, radius, frictionCoefficient: friction, halfSpace: top }),
  );
}

describe("two free bodies without gravity", () => {
  /** Linear over m · 2 m/s, angular over that times 1 m; the solver's share of 1e-8 per step is rarely used up. */
  const conserved = 1e-9;
  /** Force on the rider against m Δv/h, relative to the larger of force and m · 1 m/s². */
  const balance = 1e-6;

  test.each([
    ["block", true],
    ["block", false],
    ["ball", true],
    ["ball", false],
  ] as const)(
    "a %s thrown at a free plate (plate first: %s) keeps the pair's momentum, and does not go in",
    (rider, plateFirst) => {
      const at = offsets(plateFirst);
      const rows: Row[] = [];
      for (const ratio of plateFirst ? [0.01, 1, 100] : [1]) {
        for (const h of timesteps) {
          const counted = new StepCount();
          let linear = 0;
          let angular = 0;
          let closest = Infinity;
          let miss = 0;
          let pushed = 0;
          for (let seed = 1; seed <= 4; seed++) {
            const random = new Random(seed);
            const plate = box({ size: [4, 4, 0.2], mass: ratio });
            const { body, spheres } = riders[rider];
            const simulation = new Simulation(
              compile({
                timestep: h,
                gravity: [0, 0, 0],
                bodies: plateFirst ? { plate, rider: body } : { rider: body, plate },
                joints: {
                  p: floating({ parent: "world", child: "plate" }),
                  r: floating({ parent: "world", child: "rider" }),
                },
                contacts: contactsOf(rider, random.uniform(0.1, 0.8)),
              }),
            );
            const upTo = (limit: number): Vector3 => [
              random.uniform(-limit, limit),
              random.uniform(-limit, limit),
              random.uniform(-limit, limit),
            ];
            const start = new Float64Array(26);
            start.set(bodyState([0, 0, 0], [1, 0, 0, 0], [0, 0, 0], upTo(0.3)), at.plate);
            const [vx, vy] = upTo(1);
            start.set(
              bodyState([random.uniform(-0.5, 0.5), 0, 0.6], random.quaternion(), [vx, vy, -2], upTo(3)),
              at.rider,
            );
            const before = simulation.momentum(start);
            run({ simulation }, start, Math.round(0.8 / h), counted, `seed ${seed}`, (next, last, _, { substeps }) => {
              const now = simulation.momentum(next);
              linear = Math.max(linear, Math.hypot(...now.linear.map((p, i) => p - before.linear[i])) / 2);
              angular = Math.max(angular, Math.hypot(...now.angular.map((l, i) => l - before.angular[i])) / 2);
              for (const contact of spheres) closest = Math.min(closest, gapToPlate(next, at, contact));
              // the readings say what moved the rider
              if (substeps > 1) return;
              const force = [0, 1, 2].map((k) =>
                spheres.reduce((sum, _, i) => sum + simulation.contact(`c${i}`).force[k], 0),
              );
              const needed = [0, 1, 2].map((k) => (next[at.rider + 7 + k] - last[at.rider + 7 + k]) / h);
              const size = Math.max(1, Math.hypot(...needed));
              // a tenth of the impulse that stops the two centrally, 2 m/s times their reduced mass
              if (h * Math.hypot(...needed) > (0.2 * ratio) / (1 + ratio)) pushed++;
              miss = Math.max(miss, Math.hypot(...force.map((f, k) => f - needed[k])) / size);
            });
          }
          rows.push({
            "plate kg": ratio,
            h,
            linear: short(linear),
            angular: short(angular),
            "force − m Δv/h": short(miss),
            "smallest gap": short(closest),
            ...counted.row,
          });
          expect(counted.failures).toEqual([]);
          expect(linear).toBeLessThan(conserved);
          expect(angular).toBeLessThan(conserved);
          expect(closest).toBeGreaterThan(0);
          expect(miss).toBeLessThan(balance);
          // every throw has hit
          expect(pushed).toBeGreaterThanOrEqual(4);
        }
      }
      printTable(`a ${rider} (1 kg) thrown at a free plate, ${plateFirst ? "plate" : rider} first`, rows);
    },
  );
});

describe("on a tray that slides along x without friction", () => {
  /** Of m v: the rail takes no momentum along x. */
  const conserved = 1e-9;
  const v = 1;

  function onTray(rider: Rider, h: number, trayMass: number): [Simulation, Float64Array] {
    const { body } = riders[rider];
    const simulation = new Simulation(
      compile({
        timestep: h,
        bodies: { plate: box({ size: [4, 1, 0.2], mass: trayMass }), rider: body },
        joints: {
          rail: prismatic({ parent: "world", child: "plate", axis: [1, 0, 0] }),
          free: floating({ parent: "world", child: "rider" }),
        },
        contacts: contactsOf(rider, 0.4),
      }),
    );
    const height = rider === "block" ? 0.15 : 0.2;
    return [
      simulation,
      Float64Array.from([...bodyState([0, 0, 0]), ...bodyState([-0.5, 0, height], [1, 0, 0, 0], [v, 0, 0])]),
    ];
  }

  test.each(["block", "ball"] as const)("a %s drags the tray along, and their momentum along x stays", (rider) => {
    /** Once together, slip is what κ leaves. */
    const together = 1e-8;
    const rows: Row[] = [];
    for (const trayMass of [0.5, 5, 500]) {
      for (const h of timesteps) {
        const [simulation, start] = onTray(rider, h, trayMass);
        const counted = new StepCount();
        let drift = 0;
        let closest = Infinity;
        const end = run({ simulation }, start, Math.round(1 / h), counted, "", (next) => {
          drift = Math.max(drift, Math.abs(simulation.momentum(next).linear[0] / v - 1));
          for (const contact of riders[rider].spheres)
            closest = Math.min(closest, gapToPlate(next, offsets(true), contact));
        });
        // the ball ends rolling: friction's impulse P stops v − P/m − r² P/J − P/M; J is J √(1 − (hω/2)²) in a step
        const omega = end[13 + 11];
        const J = 0.4 * 0.01 * Math.sqrt(1 - (h * omega) ** 2 / 4);
        const impulse = rider === "block" ? v / (1 + 1 / trayMass) : v / (1 + 0.01 / J + 1 / trayMass);
        const [tray, own] = [end[7], end[13 + 7]];
        rows.push({
          "tray kg": trayMass,
          h,
          "momentum drift": short(drift),
          "tray m/s": tray.toFixed(6),
          "− closed form": short(tray - impulse / trayMass),
          "smallest gap": short(closest),
          ...counted.row,
        });
        expect(counted.failures).toEqual([]);
        expect(drift).toBeLessThan(conserved);
        expect(Math.abs(tray - impulse / trayMass)).toBeLessThan(together);
        expect(Math.abs(own - (v - impulse))).toBeLessThan(together);
        expect(closest).toBeGreaterThan(0);
      }
    }
    printTable(`a ${rider} (1 kg, 1 m/s) on a tray`, rows);
  });
});

describe("a box thrown at a wall without gravity", () => {
  const mass = 3;
  const speed = 1;
  /** Thin, and flat against the wall, so that friction does not turn it. */
  const body = box({ size: [0.1, 0.6, 0.6], mass });
  const spheres = asPoints(boxCorners(body));
  const plane = halfSpace({ normal: [-1, 0, 0], offset: -1 });
  /**
   * Nothing holds it to the wall, so κ = 1e-8 m V² h pushes it off: by energy, at some 1e-4 V with V a hundredth of the fastest
   * speed; 5e-6 of that speed was measured.
   */
  const pushedOff = 1e-5;

  test.each([
    ["slides on with all of its tangential speed without friction", 0, 2],
    ["slides on, slower by μ times its normal speed", 0.2, 2],
    ["sticks when μ times its normal speed is more than its tangential speed", 0.5, 0.3],
  ] as const)("loses exactly its normal momentum and %s", (_, mu, along) => {
    const rows: Row[] = [];
    const fastest = Math.hypot(speed, along);
    for (const h of timesteps) {
      const scene = freeBody({ body, spheres, timestep: h, friction: mu, plane, gravity: [0, 0, 0] });
      const counted = new StepCount();
      const impulse = [0, 0, 0];
      let closest = Infinity;
      const start = bodyState([0.7, 0, 0], [1, 0, 0, 0], [speed, 0.6 * along, 0.8 * along]);
      const end = run(scene, start, Math.round(1 / h), counted, "", (next) => {
        closest = Math.min(closest, smallestGap(scene, next));
        spheres.forEach((_, i) => {
          const { force } = scene.simulation.contact(`c${i}`);
          for (let k = 0; k < 3; k++) impulse[k] += h * force[k];
        });
      });
      const left = Math.max(0, along - mu * speed);
      const tangential = 0.6 * end[8] + 0.8 * end[9];
      const sideways = 0.8 * end[8] - 0.6 * end[9];
      const miss = impulse.map((p, k) => p / mass - (end[7 + k] - start[7 + k]));
      rows.push({
        h,
        "v normal": short(end[7]),
        "v along − expected": short(tangential - left),
        sideways: short(sideways),
        "Σ impulses − m Δv": short(Math.hypot(...miss)),
        "smallest gap": short(closest),
        ...counted.row,
      });
      expect(counted.failures).toEqual([]);
      expect(Math.abs(end[7])).toBeLessThan(pushedOff * fastest);
      expect(end[7]).toBeLessThanOrEqual(0);
      expect(Math.abs(tangential - left)).toBeLessThan(pushedOff * fastest);
      expect(Math.abs(sideways)).toBeLessThan(pushedOff * fastest);
      expect(Math.hypot(...miss)).toBeLessThan(1e-9);
      expect(closest).toBeGreaterThan(0);
    }
    printTable(`a box hits a wall at ${speed} m/s, ${along} m/s along it, μ = ${mu}`, rows);
  });
});
