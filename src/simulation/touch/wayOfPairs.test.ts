/** What a search leaves out does not meet in free flight, and what it has not noticed has not passed, by true distances all along the way. */
import { expect, test } from "vitest";
import { composePose, placementBetween, prepareShape, signedDistance, type TouchShape } from "../../geometry/index.ts";
import { bodyAt, bodyStateSize, type Matrix3, poseSize, Random } from "../../math/index.ts";
import { floating, type MechanismTouch, type Shape } from "../../mechanism/index.ts";
import { compile } from "../states/compileMechanism.ts";
import { thicknessOf } from "./fastPairs.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { TouchSearch } from "./touchSearch.ts";

const h = 0.01;
const looks = 16;
const rounding = 1e-9;
const shapes: readonly Shape[] = [
  { kind: "box", size: [0.3, 0.06, 0.04], position: [0.1, 0, 0.02], contact: true },
  { kind: "capsule", radius: 0.02, length: 0.4, position: [0, 0.05, 0], contact: true },
  { kind: "cylinder", radius: 0.05, length: 0.2, orientation: [0.8, 0.6, 0, 0], contact: true },
  { kind: "ellipsoid", radii: [0.03, 0.1, 0.05], position: [0, 0, 0.1], contact: true },
];

/** The state after a part of a step: bodies go straight and turn evenly, by 2 asin(h |ω|/2) in all. */
function onTheWay(state: Float64Array, part: number): Float64Array {
  const out = state.slice();
  for (let at = 0; at < state.length; at += bodyStateSize) {
    const omega = state.subarray(at + 10, at + 13);
    const rate = Math.hypot(...omega);
    const angle = 2 * Math.asin((h / 2) * rate);
    const [sine, cosine] = [Math.sin((part * angle) / 2), Math.cos((part * angle) / 2)];
    const [a, b, c] = omega.map((entry) => (sine * entry) / rate);
    const [w, x, y, z] = state.subarray(at + 3, at + 7);
    for (let k = 0; k < 3; k++) out[at + k] += part * h * state[at + 7 + k];
    out[at + 3] = w * cosine - x * a - y * b - z * c;
    out[at + 4] = x * cosine + w * a + y * c - z * b;
    out[at + 5] = y * cosine + w * b - x * c + z * a;
    out[at + 6] = z * cosine + w * c + x * b - y * a;
  }
  return out;
}

function distanceAt({ shapes: placed }: MechanismTouch, forms: readonly TouchShape[], state: Float64Array): number {
  const poses = new Float64Array(2 * poseSize);
  placed.forEach(({ body, position, orientation }, i) => {
    composePose(poses, poseSize * i, state, bodyAt(body), [...position, ...orientation], 0);
  });
  const between = placementBetween(new Float64Array(12), poses, 0, poses, poseSize);
  return signedDistance(forms[0], forms[1], between);
}

/** Between flat parts, some features wait until shapes have crossed: that there is none says nothing of these. */
const isFlat = ({ kind }: Shape): boolean => kind === "box" || kind === "cylinder";
const pairs = shapes.flatMap((a, i) => shapes.slice(i).map((b) => [a, b] as const));

test.each(pairs.map((pair) => [`${pair[0].kind} and ${pair[1].kind}`, pair] as const))("%s", (_, pair) => {
  const inertia: Matrix3 = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const body = (shape: Shape) => ({ mass: 1, inertia, shapes: [shape] });
  const touch = compile({
    timestep: h,
    bodies: { a: body(pair[0]), b: body(pair[1]) },
    joints: { a: floating({ parent: "world", child: "a" }), b: floating({ parent: "world", child: "b" }) },
  }).touch as MechanismTouch;
  const forms = touch.shapes.map(({ form }) => prepareShape(form));
  const search = new TouchSearch(touch);
  const features = new FoundFeatures();
  const random = new Random(3);
  // free flight may graze by half of the thinner one's thickness, and so may what is said not to have passed
  const graze = Math.min(...forms.map(thicknessOf)) / 2;
  let state: Float64Array = new Float64Array(2 * bodyStateSize);
  state[bodyAt(1)] = state[3] = state[bodyAt(1) + 3] = 1;
  const counts = { apart: 0, met: 0, clear: 0, passed: 0 };
  for (let k = 0; k < 400; k++) {
    // towards each other, fast and slow by turns; they turn by up to half a radian per step
    const speed = 10 ** random.uniform(-1, 1.5);
    for (let at = 0; at < state.length; at += bodyStateSize) {
      const other = bodyStateSize - at;
      for (let j = 0; j < 3; j++) {
        state[at + 7 + j] = random.uniform(-1, 1) * speed + (speed < 3 ? 2 : 20) * (state[other + j] - state[at + j]);
        state[at + 10 + j] = random.uniform(-30, 30);
      }
    }
    search.find(state, h, 0, features);
    const distances = Array.from({ length: looks + 1 }, (_, i) => distanceAt(touch, forms, onTheWay(state, i / looks)));
    if (features.count === 0 && distances[0] > 0 && !pair.every(isFlat)) {
      counts.apart++;
      expect(distances[looks], `step ${k}`).toBeGreaterThan(0);
      expect(Math.min(...distances), `step ${k}`).toBeGreaterThan(-graze - rounding);
    } else counts.met++;
    const next = onTheWay(state, 1);
    search.beginWay(state);
    search.check(next);
    // what is passed is found by the time that it is a fourth deeper (fastPairs.ts)
    if (search.depthPassed(state, next) > 0) counts.passed++;
    else if (distances[0] > 0) {
      counts.clear++;
      expect(Math.min(...distances), `step ${k}`).toBeGreaterThan(Math.min(-1.25 * graze, distances[looks]) - rounding);
    }
    state = next;
  }
  if (pair.every(isFlat)) counts.apart = counts.met;
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(10);
});
