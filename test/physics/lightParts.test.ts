/**
 * Light parts of heavy machines move as physics has it: 10 g on a weightless base of up to 1,000 tonnes as on the world, which is all that a base
 * so heavy is to them. What a joint's limit, friction and effort are solved to goes by what they have to hold.
 */
import { describe, expect, test } from "vitest";
import {
  box,
  compile,
  floating,
  type JointOptions,
  jointCoordinates,
  maximalState,
  prismatic,
  Simulation,
} from "../../src/index.ts";
import { run } from "./measures.ts";
import { printTable } from "./table.ts";

const mass = 0.01;
const steps = 20;

const held: Record<string, Partial<JointOptions>> = {
  "a limit": { limits: [-0.02, null] },
  friction: { friction: 0.05 },
  "an effort": { servo: { stiffness: 100, damping: 1 }, effortLimit: 0.2 },
};
/** m: a hundred times what is left of the point itself at 1e-8; of fast steps, after 6 cm, 10 mm/s of each at most. */
const tolerances = { exact: 1e-6, fast: 2e-3 } as const;

/** Where a slide ends that begins with 0.2 m/s, on a base of a mass or on the world. */
function slide(options: Partial<JointOptions>, base: number, precision: "exact" | "fast", touches: boolean): number {
  const size = [0.02, 0.02, 0.02] as const;
  const mechanism = compile({
    timestep: 0.01,
    bodies: {
      ...(base > 0 && { base: { ...box({ size: [1, 1, 1], mass: base, contact: touches }), gravityScale: 0 } }),
      part: box({ size, mass }),
    },
    joints: {
      ...(base > 0 && { base: floating({ parent: "world", child: "base" }) }),
      part: prismatic({ parent: base > 0 ? "base" : "world", child: "part", axis: [0, 0, 1], ...options }),
    },
    // shapes that may touch, though nothing is near
    ...(touches && { shapes: [{ kind: "halfSpace", position: [0, 0, -50], contact: true }] }),
  });
  const start = maximalState(mechanism, { part: { velocity: [0.2] } });
  const { final } = run(new Simulation(mechanism, { precision }), start, steps);
  return jointCoordinates(mechanism, final).at(-1) as number;
}

describe("10 g on a heavy base is held as on the world", () => {
  for (const [name, options] of Object.entries(held)) {
    test(`by ${name}`, () => {
      const rows: (string | number)[][] = [];
      for (const precision of ["exact", "fast"] as const) {
        const expected = slide(options, 0, precision, false);
        for (const base of [1e3, 1e6]) {
          for (const touches of [false, true]) {
            const error = Math.abs(slide(options, base, precision, touches) - expected);
            rows.push([precision, base, touches ? "yes" : "no", error]);
            // the base gives way by a share of the way that is theirs
            expect(error, `${precision}, ${base} kg`).toBeLessThan(tolerances[precision] + mass / base);
          }
        }
      }
      printTable(`10 g held by ${name}`, ["precision", "base, kg", "shapes", "error, m"], rows);
    });
  }
});
