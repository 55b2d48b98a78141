/**
 * Gradients of steps that an error tolerance divides hold the parts: they agree with central differences of the same parts, in maximal and
 * minimal coordinates, with respect to parameters and the time step too. The table has the error against free parts as well, which may
 * differ where a variation moves a part's end across something.
 */
import { afterAll, describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  checkGradients,
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  minimalFromState,
  pullback,
  pushforward,
  revolute,
  Simulation,
  sphere,
  spherical,
  stateAt,
  stateFromMinimal,
} from "../../src/index.ts";
import { printTable } from "../physics/table.ts";

/** What the project promises of gradients. */
const PROMISED = 1e-6;

const crate = box({ size: [0.4, 0.3, 0.2], mass: 1.2 });
const arm = box({ size: [0.06, 0.05, 0.5], mass: 0.7 });
const childAnchor = [0, 0, 0.25] as const;
const parentAnchor = [0, 0, -0.25] as const;

interface Case {
  readonly description: MechanismDescription;
  readonly start: Parameters<typeof stateAt>[1];
  readonly input: readonly number[];
  /** Steps before the one that is checked. */
  readonly lead: number;
  readonly parameters: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "crate that lands on a corner": {
    description: {
      timestep: 0.05,
      bodies: { crate },
      joints: { base: floating({ parent: "world", child: "crate" }) },
      contacts: boxCorners(crate).map((point, i) =>
        frictionContact({ name: `corner${i}`, body: "crate", point, frictionCoefficient: 0.5 }),
      ),
    },
    start: { base: { position: [0, 0, 0.4, 0.3, 0.2, 0], velocity: [0.5, 0.1, -1, 2, -1, 3] } },
    input: [],
    lead: 2,
    parameters: [
      "timestep",
      "gravity.z",
      "bodies.crate.mass",
      "bodies.crate.inertia.xx",
      "contacts.corner0.frictionCoefficient",
    ],
  },
  "arm on servos and dampers": {
    description: {
      timestep: 0.05,
      damperCentering: 0.65,
      bodies: { upper: arm, lower: arm },
      joints: {
        shoulder: spherical({
          parent: "world",
          child: "upper",
          childAnchor,
          damping: 0.3,
          stiffness: 2,
          rest: [0.2, 0, 0],
        }),
        elbow: revolute({
          ...{ parent: "upper", child: "lower", axis: [0, 1, 0], parentAnchor, childAnchor },
          ...{ servo: { stiffness: 20, damping: 0.4 }, armature: 0.01, friction: 0.05 },
        }),
      },
    },
    start: {
      shoulder: { position: [0.9, 0.2, 0.1], velocity: [3, 1, -2] },
      elbow: { position: [0.4], velocity: [-4] },
    },
    input: [1],
    lead: 1,
    parameters: [
      "timestep",
      "damperCentering",
      "joints.shoulder.damping.0",
      "joints.elbow.servoDamping.0",
      "joints.elbow.armature.0",
    ],
  },
  "ball that bounces": {
    description: {
      timestep: 0.05,
      bodies: { ball: sphere({ radius: 0.1, mass: 0.5 }) },
      joints: {
        base: floating({ parent: "world", child: "ball", actuated: [true, false, false, false, true, false] }),
      },
      contacts: [
        frictionContact({
          name: "floor",
          body: "ball",
          point: [0, 0, 0],
          radius: 0.1,
          frictionCoefficient: 0.3,
          restitution: 0.7,
        }),
      ],
    },
    start: { base: { position: [0, 0, 0.3, 0, 0, 0], velocity: [1, 0, -1, 0, 5, 2] } },
    input: [0.3, 0.01],
    lead: 2,
    parameters: ["timestep", "gravity.z", "contacts.floor.restitution", "contacts.floor.frictionCoefficient"],
  },
};

const rows: (string | number)[][] = [];
afterAll(() => printTable("worst error of gradients", ["step", "coordinates", "parts", "held", "free"], rows));

/** The simulation where the step in question begins. */
function ready({ description, start, input, lead }: Case) {
  const simulation = new Simulation(compile(description), { errorTolerance: 1e-4 });
  const u = Float64Array.from(input);
  let state = stateAt(simulation, start, { input: u });
  for (let k = 0; k < lead; k++) {
    const { status, next } = simulation.step(state, u);
    expect(status).toBe("solved");
    state = next.slice();
  }
  return { simulation, state, u };
}

function described(simulation: Simulation, state: Float64Array): Float64Array {
  return stateFromMinimal(simulation, minimalFromState(simulation, state));
}

describe("gradients hold the parts", () => {
  for (const [name, example] of Object.entries(cases)) {
    for (const coordinates of ["maximal", "minimal"] as const) {
      test(`${name}, ${coordinates}`, () => {
        const { simulation, state, u } = ready(example);
        const continuation = simulation.continuationOf(state);
        expect(continuation?.pace).toBeDefined();
        // velocities of a last part, written for the whole step, are not quite those of joints: coordinates describe a state nearby
        const from = coordinates === "minimal" ? described(simulation, state) : state;
        simulation.step(from, u, { ...simulation.options, continuation });
        const parts = simulation.division?.parts ?? [];
        expect(parts.length).toBeGreaterThan(2);
        expect(new Set(parts).size).toBeGreaterThan(1);
        const { parameters } = example;
        const options = { coordinates, parameters, continuation, kappa: 1e-4, goodEnough: PROMISED / 20 };
        const held = checkGradients(simulation, from, u, options);
        const free =
          coordinates === "maximal"
            ? checkGradients(simulation, from, u, { ...options, freeParts: true, steps: [1e-4] }).worst
            : Number.NaN;
        rows.push([name, coordinates, parts.length, held.worst, free]);
        expect(held.worst, held.entry).toBeLessThan(PROMISED);
      });
    }
  }
});

describe("rollouts", () => {
  test.each(Object.entries(cases))("%s: pullback and pushforward agree", (scene, example) => {
    const { simulation, state, u } = ready({ ...example, lead: 0 });
    const steps = 4;
    const [name] = example.parameters;
    const roll = (gradients: true | { readonly checkpointEvery: number }) =>
      simulation.rollout(state, { steps, inputs: u, gradients });
    const trajectory = roll(true);
    expect(trajectory.solved).toBe(true);
    expect(trajectory.reports.some(({ substeps }) => substeps > 2)).toBe(true);
    const size = 12 * simulation.mechanism.bodies.length;
    const cotangent = Float64Array.from({ length: size }, (_, i) => Math.sin(i + 1));
    const cotangents = [...Array.from({ length: steps }, () => undefined), cotangent];
    const tangent = Float64Array.from({ length: size }, (_, i) => Math.cos(2 * i));
    const { state: pulled, parameters } = pullback(trajectory, cotangents, { parameters: [name] });
    const pushed = pushforward(trajectory, { state: tangent, parameters: { [name]: 0.3 } });
    const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
      Array.from({ length: a.length }, (_, i) => a[i] * b[i]).reduce((sum, entry) => sum + entry, 0);
    const backwards = product(pulled, tangent) + 0.3 * parameters[name];
    const scale = Math.max(1, Math.abs(backwards));
    // nothing caps the stiffness of impacts at their end
    const error = scene === "ball that bounces" ? 2e-5 : 1e-9;
    expect(Math.abs(backwards - product(cotangent, pushed[steps])) / scale).toBeLessThan(error);
    // taken again between checkpoints, they are the same steps
    const again = pullback(roll({ checkpointEvery: 3 }), cotangents, { parameters: [name] });
    pulled.forEach((entry, i) => {
      expect(Math.abs(entry - again.state[i]) / scale).toBeLessThan(1e-12);
    });
  });
});
