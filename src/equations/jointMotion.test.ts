import { expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { type Expr, evaluate, Graph, type Scalar } from "../symbolic/index.ts";
import { toMaximalBlocks, toMaximalSymbols } from "./coordinateSensitivity.ts";
import { coordinates, type JointType } from "./jointGeometry.ts";
import { treeMotion } from "./jointMotion.ts";
import { frameParameters, framesFrom } from "./jointSpecies.ts";
import { childPose, earlierTransform, jointTransform, parentPose } from "./jointTransform.ts";
import { type Pose, worldPose } from "./pose.ts";

/** Products of a few rotations, and differences over a time step of 0.01 s. */
const rounding = 1e-10;

const h = 0.01;
const types = ([0, 1, 2, 3] as const).flatMap((translation) =>
  ([0, 1, 2, 3] as const).flatMap((rotation): JointType[] => [
    { translation, rotation, serial: false, mirrored: false },
    ...(rotation < 2 && translation === 3 ? [{ translation, rotation, serial: true, mirrored: false } as const] : []),
    ...(rotation === 0 && translation === 3 ? [{ translation, rotation, serial: true, mirrored: true } as const] : []),
  ]),
);
const nameOf = ({ translation, rotation, serial, mirrored }: JointType): string =>
  `t${translation}r${rotation}${serial ? "s" : ""}${mirrored ? "m" : ""}`;

function unitQuaternion(random: Random): number[] {
  const q = [1, ...Array.from({ length: 3 }, () => random.uniform(-0.6, 0.6))];
  return q.map((entry) => entry / Math.hypot(...q));
}

const flat = ({ position, orientation }: Pose): number[] => [...position, ...orientation] as number[];

function valuesOf(rows: Scalar[][], inputs: ReadonlyMap<Expr, number>): number[][] {
  return rows.map((row) => evaluate(row, (symbol) => inputs.get(symbol) as number));
}

for (const type of types) {
  test.each([
    [false, true],
    [true, true],
    [false, false],
  ])(
    `the motion of ${nameOf(type)} is the derivative of its poses (reversed %s, near moves %s)`,
    (reversed, nearMoves) => {
      const random = new Random(7);
      for (const size of [0.8, 1e-5]) {
        const count = coordinates(type).length;
        const vector = (n: number, s = size): number[] => Array.from({ length: n }, () => random.uniform(-s, s));
        const isSkew = type.serial && type.rotation === 1;
        const frame = [
          ...vector(3, 1),
          ...unitQuaternion(random),
          ...vector(3, 1),
          ...unitQuaternion(random),
          isSkew ? 0.3 : 0,
          isSkew ? 0.1 : 0,
        ];
        expect(frame).toHaveLength(frameParameters.length);
        const frames = framesFrom(frame);
        const [values, rates] = [vector(count), vector(count)];
        const near: Pose = nearMoves ? { position: vector(3, 1), orientation: unitQuaternion(random) } : worldPose;
        const nearBefore: Pose = nearMoves
          ? { position: vector(3, 1), orientation: unitQuaternion(random) }
          : worldPose;
        const place = reversed ? parentPose : childPose;
        const far = place(frames, jointTransform(type, frames, values), near);
        const farBefore = place(frames, earlierTransform(type, frames, values, rates, h), nearBefore);

        const s = toMaximalSymbols({ type, nearMoves, reversed });
        const inputs = new Map<Expr, number>();
        const give = (symbols: readonly Expr[], numbers: readonly number[]): void =>
          symbols.forEach((symbol, i) => {
            inputs.set(symbol, numbers[i]);
          });
        give([s.h], [h]);
        give(s.frame, frame);
        give(s.values, values);
        give(s.rates, rates);
        give(s.near, flat(near));
        give(s.nearBefore, flat(nearBefore));
        give(s.far, flat(far));
        give(s.farBefore, flat(farBefore));
        const expected = toMaximalBlocks({ type, nearMoves, reversed }, s);

        const pair = (a: Pose, b: Pose): Pose[] => (reversed ? [b, a] : [a, b]);
        const graph = new Graph();
        const step = graph.symbol("h");
        const found = treeMotion({
          type,
          frames,
          now: pair(near, far),
          before: pair(nearBefore, farBefore),
          reversed,
          nearMoves,
          h: step,
        });
        for (const key of ["near", "nearBefore", "values", "beforeByValues", "beforeByRates"] as const) {
          const [a, b] = [valuesOf(found[key], new Map([[step, h]])), valuesOf(expected[key], inputs)];
          expect(a.length, key).toBe(b.length);
          a.flat().forEach((entry, i) => {
            const other = b.flat()[i];
            expect(Math.abs(entry - other), `${key}, entry ${i}: ${entry}, ${other}`).toBeLessThan(rounding);
          });
        }
      }
    },
  );
}
