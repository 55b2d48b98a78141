/** What a search finds does not depend on what it has looked at before, and leaves out nothing that free flight brings together. */
import { expect, test } from "vitest";
import { startState } from "../../coordinates/index.ts";
import {
  composePose,
  featureSizes,
  featureStride,
  placementBetween,
  prepareShape,
  signedDistance,
} from "../../geometry/index.ts";
import { bodyAt, poseSize, Random } from "../../math/index.ts";
import { type MechanismTouch, touchFilter } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { TouchSearch } from "./touchSearch.ts";

const steps = 150;
const g = 9.81;

/** All that defines the features. */
const contentOf = ({ count, kind, bodyShape, otherShape, key, values }: FoundFeatures) =>
  Array.from({ length: count }, (_, i) => [
    ...[kind[i], bodyShape[i], otherShape[i], key[i]],
    ...values.slice(featureStride * i, featureStride * i + featureSizes[kind[i]]),
  ]);

/** Where bodies are after a step of length h at the velocities of the state: positions go along them, orientations turn by them. */
function afterFlight(state: Float64Array, h: number): Float64Array {
  const end = state.slice();
  for (let at = 0; at < state.length; at += bodyAt(1)) {
    const [w, x, y, z] = state.subarray(at + 3, at + 7);
    const [a, b, c] = state.subarray(at + 10, at + 13).map((omega) => (h / 2) * omega);
    const r = Math.sqrt(1 - a * a - b * b - c * c);
    for (let k = 0; k < 3; k++) end[at + k] += h * state[at + 7 + k];
    end.set(
      [
        w * r - x * a - y * b - z * c,
        x * r + w * a + y * c - z * b,
        y * r + w * b - x * c + z * a,
        z * r + w * c + x * b - y * a,
      ],
      at + 3,
    );
  }
  return end;
}

/** Pairs of shapes that may touch and overlap at this state, by the narrow phase alone. */
function overlaps(touch: MechanismTouch, state: Float64Array): string[] {
  const { shapes } = touch;
  const { mayTouch } = touchFilter(touch);
  const poses = new Float64Array(poseSize * shapes.length);
  const forms = shapes.map(({ form }) => prepareShape(form));
  shapes.forEach(({ body, position, orientation }, i) => {
    composePose(poses, poseSize * i, state, bodyAt(body), [...position, ...orientation], 0);
  });
  const between = new Float64Array(12);
  return shapes.flatMap((a, i) =>
    shapes.slice(i + 1).flatMap((b, k) => {
      const j = i + 1 + k;
      if (!mayTouch(a, b)) return [];
      placementBetween(between, poses, poseSize * i, poses, poseSize * j);
      return signedDistance(forms[i], forms[j], between) < 0 ? [`${i} ${j}`] : [];
    }),
  );
}

test.each(["a1", "humanoid"] as const)("%s under random torques", (name) => {
  const mechanism = compile(models[name]({ selfCollisions: true }));
  const touch = mechanism.touch as MechanismTouch;
  const simulation = new Simulation(mechanism);
  const state = startState(mechanism, "rest");
  const input = new Float64Array(mechanism.inputSize);
  const random = new Random(11);
  const used = new TouchSearch(touch);
  let [found, brought] = [0, 0];
  for (let k = 0; k < steps; k++) {
    if (k % 20 === 0)
      mechanism.inputNames.forEach((motor, i) => {
        input[i] = motor.startsWith("base.") ? 0 : random.uniform(-20, 20);
      });
    const [known, fresh] = [new FoundFeatures(), new FoundFeatures()];
    used.find(state, mechanism.timestep, g, known);
    new TouchSearch(touch).find(state, mechanism.timestep, g, fresh);
    expect(contentOf(known)).toEqual(contentOf(fresh));
    found += known.count;

    const pairs = new Set<string>();
    for (let i = 0; i < known.count; i++)
      pairs.add([known.bodyShape[i], known.otherShape[i]].sort((a, b) => a - b).join(" "));
    for (const pair of overlaps(touch, afterFlight(state, mechanism.timestep))) {
      expect(pairs, `step ${k}`).toContain(pair);
      brought++;
    }
    state.set(simulation.step(state, input).next);
    // where the step ends is looked at, as steps do
    used.check(state);
    expect(used.crossed).toBe(0);
  }
  expect(found).toBeGreaterThan(50);
  expect(brought).toBeGreaterThan(5);
});
