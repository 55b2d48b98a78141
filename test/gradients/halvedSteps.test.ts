/** Steps of shapes that touch which are taken in halves: with gradients they end where they end without, and their gradients go through the halves. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  addError,
  box,
  type ContactDescription,
  capsule,
  checkGradients,
  compile,
  cylinder,
  floating,
  linearize,
  type Mechanism,
  maximalState,
  pullback,
  pushforward,
  Simulation,
  type SimulationOptions,
  scenes,
  startState,
  stepGradients,
} from "../../src/index.ts";
import { Random } from "../../src/math/index.ts";
import { difference as fourthOrder } from "./differences.ts";

/** A step that is halved: where it begins and ends, and into which sizes. */
interface Halved {
  readonly state: Float64Array;
  readonly next: Float64Array;
  readonly sizes: readonly number[];
}

/** One simulation for all, which knows nothing of what it did before: another takes as long to make as some steps. */
class Scene {
  readonly mechanism: Mechanism;
  readonly simulation: Simulation;
  readonly halved: Halved[] = [];

  constructor(mechanism: Mechanism, options: SimulationOptions = {}) {
    this.mechanism = mechanism;
    this.simulation = new Simulation(mechanism, options);
  }

  get fresh(): Simulation {
    this.simulation.continuation = undefined;
    return this.simulation;
  }

  /** Steps from a state, and lists those that are halved. */
  run(start: Float64Array, steps: number): void {
    const simulation = this.fresh;
    let state = start;
    for (let k = 0; k < steps; k++) {
      const { status, next } = simulation.step(state);
      if (status !== "solved") return;
      const { isInPieces, pieces } = simulation.touching as NonNullable<Simulation["touching"]>;
      if (isInPieces) this.halved.push({ state, next: next.slice(), sizes: pieces.list.map(({ size }) => size) });
      state = next.slice();
    }
  }
}

/** The throw in which the end of the can comes to lie on the end of the capsule. */
const flatOnBall = 145;

/** Bodies that spin by a third of a radian per step, thrown at each other. */
function thrown(throws: number, contacts: readonly ContactDescription[] = [], options: SimulationOptions = {}): Scene {
  const contact = { frictionCoefficient: 0.5 };
  const bodies = {
    a: box({ size: [0.2, 0.15, 0.1], mass: 1, contact }),
    b: capsule({ radius: 0.05, length: 0.2, mass: 0.5, contact }),
    c: cylinder({ radius: 0.06, length: 0.12, mass: 0.5, contact }),
  };
  const joints = Object.fromEntries(Object.keys(bodies).map((child) => [child, floating({ parent: "world", child })]));
  const shapes = [{ kind: "halfSpace", name: "floor", contact }] as const;
  const scene = new Scene(compile({ timestep: 0.02, bodies, joints, shapes, contacts }), options);
  for (const seed of [...Array.from({ length: throws }, (_, i) => i + 1), flatOnBall]) {
    const random = new Random(seed);
    const draw = (size: number) => [0, 1, 2].map(() => size * random.normal());
    const start = maximalState(scene.mechanism, {
      a: { position: [0, 0, 0.2, ...draw(1)], velocity: [...draw(1), ...draw(15)] },
      b: { position: [0.05, 0.02, 0.45, ...draw(1)], velocity: [0, 0, -4, ...draw(15)] },
      c: { position: [-0.05, 0.02, 0.7, ...draw(1)], velocity: [0, 0, -6, ...draw(15)] },
    });
    scene.run(start, 6);
  }
  return scene;
}

/** Poured into a narrow bin in long steps. */
function poured(): Scene {
  const scene = new Scene(compile(scenes.pile({ count: 12, width: 0.2, timestep: 0.01, frictionCoefficient: 0.8 })));
  const start = startState(scene.mechanism, "poured");
  for (const drop of [0, 1, 2]) {
    const state = start.slice();
    // a little to the side, and it falls otherwise
    for (let body = 0; body < scene.mechanism.bodies.length; body++) state[13 * body] += 1e-3 * drop;
    scene.run(state, 60);
  }
  return scene;
}

let throws: Scene;
let pile: Scene;
beforeAll(() => {
  throws = thrown(48);
  pile = poured();
});

function difference(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

const input = new Float64Array(0);

test("throws need halves, halves of halves among them, and so does a pile", () => {
  expect(throws.halved.length).toBeGreaterThanOrEqual(40);
  expect(throws.halved.some(({ sizes }) => sizes.length > 2)).toBe(true);
  expect(pile.halved.length).toBeGreaterThanOrEqual(2);
  for (const { sizes } of [...throws.halved, ...pile.halved])
    expect(sizes.reduce((sum, size) => sum + size)).toBeCloseTo(1, 14);
});

test("with gradients they end where they end without, to the bit, and nearly there where they are smoothed", () => {
  for (const scene of [throws, pile]) {
    let through = 0;
    for (const { state, sizes } of scene.halved.slice(0, 6)) {
      // from a cold start, as those with gradients
      const plain = scene.fresh.step(state, input).next.slice();
      const gradients = stepGradients(scene.fresh, state, input);
      expect(gradients.differentiable).toBe(true);
      if (gradients.substeps > 1) through++;
      // features are found from afar where contacts act at a distance
      const smoothed = stepGradients(scene.fresh, state, input, { smoothing: 0.1 });
      expect(smoothed.differentiable).toBe(true);
      expect(gradients.substeps).toBe(sizes.length);
      expect(gradients.next).toEqual(plain);
      expect(linearize(scene.fresh, state, input).gradients.next).toEqual(plain);
      // rollouts may write what is too fast for the time step in a shorter interval
      const rolled = (withGradients: boolean) =>
        scene.fresh.rollout(state, { steps: 1, gradients: withGradients, check: false }).final;
      expect(rolled(true)).toEqual(rolled(false));
    }
    expect(through).toBeGreaterThanOrEqual(2);
  }
});

test.each([
  ["maximal", 0.1, 0],
  ["minimal", 1e-3, 1],
] as const)(
  "in %s coordinates at κ' = %f they have the Jacobians of differences with features and halves held",
  (coordinates, relativeKappa, first) => {
    const parameters = [
      ...["bodies.a.mass", "timestep", "gravity.z", "bodies.b.centerOfMass.y", "contacts.*.frictionCoefficient"],
      ...["surfaces.*.*.frictionCoefficient", "surfaces.world.floor.frictionCoefficient"],
    ];
    for (const { state } of throws.halved.filter((_, i) => i % 3 === first)) {
      const check = checkGradients(throws.fresh, state, input, { coordinates, relativeKappa, parameters });
      // points of halves are not refined
      expect(check.worst, check.entry).toBeLessThan(3e-6);
    }
  },
);

test("impulses of a contact by hand are sums over the halves, and have the Jacobians of differences", () => {
  // on the central path at the gradients' κ, where the contact pushes at any distance
  const path = { kappa: 1e-4 };
  const exact = { ...path, exact: true, pathTolerance: 1e-10, tolerance: 1e-13, maxIterations: 60 };
  const core = { name: "core", body: "a", point: [0, 0, 0], radius: 0.05, frictionCoefficient: 0.5 } as const;
  const scene = thrown(12, [core], exact);
  expect(scene.halved.length).toBeGreaterThan(0);
  for (const { state } of scene.halved.slice(0, 4)) {
    const gradients = stepGradients(scene.fresh, state, input, { ...path, contacts: ["core"] });
    const columns = gradients.rows;
    const jacobian = gradients.dImpulse_dState.slice();
    const simulation = scene.fresh;
    simulation.holdingFeatures(state, input, exact, () => {
      const impulses = (j: number, amount: number): Float64Array => {
        const change = new Float64Array(columns);
        change[j] = amount;
        const out = new Float64Array(3);
        expect(simulation.step(addError(state, change)).status).toBe("solved");
        simulation.contactImpulsesInto(out);
        return out;
      };
      expect(difference(impulses(0, 0), gradients.impulses)).toBeLessThan(1e-10);
      for (let j = 0; j < columns; j++) {
        const found = fourthOrder((amount) => impulses(j, amount), 1e-5);
        for (let i = 0; i < 3; i++) expect(found[i]).toBeCloseTo(jacobian[i * columns + j], 6);
      }
    });
  }
});

describe("a rollout that begins with one", () => {
  const steps = 3;
  const random = new Random(2);
  const vector = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);

  test("has tangents that are the transpose of its cotangents, also between checkpoints", () => {
    const names = ["timestep", "gravity.z", "contacts.*.frictionCoefficient", "surfaces.*.*.frictionCoefficient"];
    for (const scene of [throws, pile])
      for (const { state } of scene.halved.slice(0, 2)) {
        const run = (gradients: boolean | { checkpointEvery: number }) =>
          scene.fresh.rollout(state, { steps, gradients, check: false });
        const trajectory = run(true);
        expect(trajectory.solved).toBe(true);
        const size = 12 * scene.mechanism.bodies.length;
        const [tangent, cotangent] = [vector(size), vector(size)];
        const amounts = Object.fromEntries(names.map((name) => [name, 0.1 * random.normal()]));
        const pushed = dot(pushforward(trajectory, { state: tangent, parameters: amounts })[steps], cotangent);
        const weights = [...new Array<undefined>(steps), cotangent];
        const back = pullback(trajectory, weights, { parameters: names });
        const byNames = names.reduce((sum, name) => sum + amounts[name] * back.parameters[name], 0);
        // contacts at the end of a step are as stiff as 1e6 times what they touch
        expect((dot(back.state, tangent) + byNames) / pushed).toBeCloseTo(1, 6);
        const again = pullback(run({ checkpointEvery: 2 }), weights);
        expect(difference(again.state, back.state)).toBeLessThan(1e-8 * Math.max(...back.state.map(Math.abs)));
      }
  });
});

test("forces that are read add up to what bodies gain, those of features that are gone by the end among them", () => {
  for (const scene of [throws, pile]) {
    const { bodies, timestep: h, gravity } = scene.mechanism;
    for (const { state, next } of scene.halved) {
      scene.fresh.step(state);
      const touches = scene.simulation.touches();
      bodies.forEach(({ name, mass }, i) => {
        for (let k = 0; k < 3; k++) {
          const gained = (mass * (next[13 * i + 7 + k] - state[13 * i + 7 + k])) / h;
          const force = touches.reduce((sum, touch) => {
            if (touch.body === name) return sum + touch.force[k];
            return touch.other === name ? sum - touch.force[k] : sum;
          }, mass * gravity[k]);
          expect(force).toBeCloseTo(gained, 4);
        }
      });
    }
  }
});
