import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { box, floating } from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import type { TouchSearch } from "./touchSearch.ts";
import type { TouchSteps } from "./touchSteps.ts";

/** The last resort of a step, and what it asks for features. */
interface Insides {
  readonly features: FoundFeatures;
  readonly search: Pick<TouchSearch, "addCrossed">;
  readonly rounds: {
    takeWhole(state: Float64Array, next: Float64Array, depth: number, solve: () => boolean): boolean;
  };
}

test("a step that is solved, but not with what is added to it, comes out as it was solved, to the bit", () => {
  const contact = { frictionCoefficient: 0.5 };
  const mechanism = compile({
    timestep: 0.01,
    bodies: { crate: box({ size: [0.2, 0.2, 0.2], mass: 1, contact }) },
    joints: { base: floating({ parent: "world", child: "crate" }) },
    shapes: [{ kind: "halfSpace", contact }],
  });
  const simulation = new Simulation(mechanism);
  let state = maximalState(mechanism, {
    base: { position: [0, 0, 0.12, 0.1, 0.2, 0.3], velocity: [1, 0, 0, 2, 3, 0] },
  });
  for (let k = 0; k < 30; k++) state = simulation.step(state).next.slice();
  const touching = simulation.touching as TouchSteps;
  const insides = touching as unknown as Insides;
  const { features } = insides;
  const [own, system] = [features.count, simulation.system];
  expect(own).toBeGreaterThan(0);
  // features enough for a larger system to take over
  insides.search.addCrossed = () => {
    for (let i = 0; i < 40; i++) {
      const at = features.add();
      for (const list of [features.kind, features.body, features.other, features.bodyShape, features.otherShape])
        list[at] = list[0];
      features.key[at] = 1e6 + i;
    }
    return 1;
  };
  const next = new Float64Array(state.length);
  const solved: Float64Array[] = [];
  const isSolved = insides.rounds.takeWhole(state, next, 0, () => {
    if (features.count > own) return false;
    const done = touching.solve(state, next, {});
    solved.push(next.slice());
    return done;
  });
  expect(isSolved).toBe(true);
  expect(next).toEqual(solved[0]);
  expect(simulation.system).toBe(system);
});
