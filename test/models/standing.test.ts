/** A1, Atlas and the humanoid, with contacts of their feet only, stand on servos for a minute, and their feet stay where they are. */
import { afterAll, describe, expect, test } from "vitest";
import { type MechanismDescription, models, type Servo, servoTargets, type Vector3 } from "../../src/index.ts";
import { vector } from "../../src/math/index.ts";
import { printTable } from "../physics/table.ts";
import { contactCenters, runModel } from "./runs.ts";

const seconds = 60;
/** Servos have settled by then. */
const settled = 10;
/** Metres that a foot may move from then on. */
const creepLimit = 1e-6;

const robots: readonly (readonly [string, (timestep: number, servo: Servo) => MechanismDescription, Servo])[] = [
  ["a1", (timestep, servo) => models.a1({ timestep, servo, bodyContacts: false }), { stiffness: 100, damping: 5 }],
  [
    "atlas",
    (timestep, servo) => models.atlas({ timestep, servo, bodyContacts: false }),
    { stiffness: 5000, damping: 500 },
  ],
  [
    "humanoid",
    (timestep, servo) => models.humanoid({ timestep, servo, bodyContacts: false }),
    { stiffness: 1000, damping: 100 },
  ],
];

describe("standing for a minute", () => {
  const rows: (string | number)[][] = [];
  for (const [name, make, servo] of robots) {
    for (const timestep of [0.05, 0.01]) {
      test(`${name} stands at ${1 / timestep} Hz and its feet do not creep`, () => {
        const description = make(timestep, servo);
        let before: Vector3[] | undefined;
        let creep = 0;
        const run = runModel(description, {
          seconds,
          input: servoTargets(description),
          visit: (state, step, _result, simulation) => {
            if (step + 1 < settled / timestep) return;
            const now = contactCenters(simulation, state);
            before ??= now;
            for (const [i, point] of now.entries()) creep = Math.max(creep, vector.norm(vector.sub(point, before[i])));
          },
        });
        const [high, low] = [run.start, run.final].map((state) => state[2]);
        const figures = [run.iterations / run.steps, run.mostIterations, run.smallest, high - low, creep];
        rows.push([name, timestep, ...figures]);
        expect(high - low).toBeLessThan(0.03 * high);
        expect(creep).toBeLessThan(creepLimit);
      });
    }
  }

  afterAll(() => {
    const header = ["robot", "h, s", "it mean", "it max", "smallest φ, m", "sag, m", "creep 10–60 s, m"];
    printTable("Standing on servos, 60 s", header, rows);
  });
});
