import { expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { type Expr, evaluate, Graph, matMul, rotationMatrix, type Scalar } from "../symbolic/index.ts";
import { jointEquations } from "./joint.ts";
import { coordinates, type JointType } from "./jointGeometry.ts";
import { type CoordinateFeatures, coordinateFeatures } from "./jointSpecies.ts";
import { portGradients, portWrenches } from "./node.ts";
import { nextPose, turnJacobian } from "./pose.ts";
import { carriedBy, spinOfTwist } from "./twist.ts";

/** Rounding of products of a few rotations. */
const rounding = 1e-12;
const h = 0.02;

function unitQuaternion(random: Random): number[] {
  const q = Array.from({ length: 4 }, () => random.normal());
  return q.map((entry) => entry / Math.hypot(...q));
}

const vectorOf = (random: Random, size = 1): number[] => [0, 1, 2].map(() => random.uniform(-size, size));

test("L turns the next pose in the world by what is asked for: it is the inverse of R₊ times dθ₊/dω₊ over h", () => {
  const random = new Random(5);
  for (let k = 0; k < 20; k++) {
    const [orientation, angular] = [unitQuaternion(random), vectorOf(random, 30)];
    const pose = { position: [0, 0, 0], orientation };
    const next = nextPose(pose, { linear: [0, 0, 0], angular }, h);
    const turned = matMul(rotationMatrix(next.orientation), turnJacobian(new Graph(), angular, h));
    const product = matMul(spinOfTwist(rotationMatrix(orientation), angular, h), turned) as number[][];
    product.forEach((row, i) => {
      row.forEach((entry, j) => {
        expect(Math.abs(entry - (i === j ? 1 : 0))).toBeLessThan(rounding);
      });
    });
  }
});

const plain = Object.fromEntries(
  Object.keys(coordinateFeatures).map((name) => [name, false]),
) as unknown as CoordinateFeatures;
const types = ([0, 1, 2, 3] as const).flatMap((translation) =>
  ([0, 1, 2, 3] as const).map((rotation): JointType => ({ translation, rotation, serial: false, mirrored: false })),
);
const serial: JointType[] = [
  { translation: 3, rotation: 1, serial: true, mirrored: false },
  { translation: 3, rotation: 0, serial: true, mirrored: false },
];

/**
 * The elimination stands on it: rates of a joint's ports stay when both bodies move as one, and its impulses have neither a net force nor a
 * net moment, also at poses that do not satisfy the joint.
 */
test.each([...types, ...serial])(
  "ports of t$translation r$rotation, serial $serial, see no motion of both bodies as one",
  (type) => {
    const features = coordinates(type).map(() => plain);
    const node = jointEquations({ type, parentMoves: true, features, tilt: false });
    const random = new Random(3);
    const values = new Map<Expr, number>();
    const set = (symbols: readonly Scalar[], numbers: readonly number[]): void => {
      symbols.forEach((symbol, i) => {
        values.set(symbol as Expr, numbers[i]);
      });
    };
    set([node.globals.timestep], [h]);
    // anchors and frames, and whatever else the parameters are
    set(
      node.parameterGroups[0],
      node.parameterGroups[0].map(() => random.uniform(-1, 1)),
    );
    const frames = node.parameterGroups[0].map(({ name }) => name ?? "");
    for (const side of ["parentFrame", "childFrame"]) {
      const own = node.parameterGroups[0].filter((_, i) => frames[i].startsWith(side));
      if (own.length === 4) set(own, unitQuaternion(random));
    }
    const poses = node.bodies.map((body) => {
      const [orientation, nextOrientation] = [unitQuaternion(random), unitQuaternion(random)];
      const [position, nextPosition] = [vectorOf(random), vectorOf(random)];
      const [rotation, nextRotation] = [orientation, nextOrientation].map((q) => rotationMatrix(q) as number[][]);
      set([...body.poseSymbols.position, ...body.poseSymbols.orientation], [...position, ...orientation]);
      set([...body.nextSymbols.position, ...body.nextSymbols.orientation], [...nextPosition, ...nextOrientation]);
      set(body.nextSymbols.rotation?.flat() ?? [], nextRotation.flat());
      set(body.basis.rotation.flat(), rotation.flat());
      set(
        body.basis.tilt.flat(),
        [0, 1, 2].flatMap((i) => nextRotation.map((row) => row[i])),
      );
      set(body.basis.spin.flat(), spinOfTwist(rotation, vectorOf(random), h).flat() as number[]);
      return { position, nextPosition };
    });
    const between = (name: "position" | "nextPosition"): number[] =>
      poses[1][name].map((entry, i) => entry - poses[0][name][i]);
    const numbers = (rows: readonly Scalar[]): number[] => evaluate(rows, (symbol) => values.get(symbol) ?? 0.3);
    const sides = [
      { rows: portGradients(node), d: between("nextPosition") },
      { rows: portWrenches(node), d: between("position") },
    ];
    for (const { rows, d } of sides) {
      const [parent, child] = rows.map((lines) => lines.map(numbers));
      child.forEach((row, port) => {
        const carried = carriedBy(row, d) as number[];
        const size = Math.max(1, ...row.map(Math.abs));
        carried.forEach((entry, i) => {
          expect(Math.abs(entry + parent[port][i])).toBeLessThan(rounding * size);
        });
      });
    }
  },
);
