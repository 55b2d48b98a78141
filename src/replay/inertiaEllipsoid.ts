/**
 * The ellipsoid of even density that has a body's mass m and inertia. With principal moments I₁, I₂, I₃ its radii are
 *   a₁ = √(5 (I₂ + I₃ − I₁) / 2m), and so on.
 * Files give links that weigh nearly nothing, such as those of sensors, an inertia that no body of this mass has: they are drawn smaller.
 */
import { matrix3, quaternion } from "../math/index.ts";
import type { BodyDescription, Shape } from "../mechanism/index.ts";

/** Radii below this fraction of the largest are drawn as large as that, so that rods and discs can be seen. */
const thinnest = 0.05;
/** A point mass is drawn as a ball of this radius, in metres. */
const smallest = 0.01;

/** No ellipsoid is drawn larger than one of the lightest foam, in kg/m³. */
const lightest = 10;

export function inertiaEllipsoid({ mass, inertia }: BodyDescription): Shape {
  const { values, vectors } = matrix3.symmetricEigen(inertia);
  const sum = values[0] + values[1] + values[2];
  const radius = (moment: number): number => Math.sqrt(Math.max(0, (5 * (sum - 2 * moment)) / (2 * mass)));
  const radii = values.map(radius);
  const floor = Math.max(...radii) * thinnest || smallest;
  const [a, b, c] = radii.map((value) => Math.max(value, floor));
  const volume = (4 / 3) * Math.PI * a * b * c;
  // of a mass that numbers can hardly hold nothing would be left
  const scale = Math.min(1, Math.max(cubeRoot(mass / (lightest * volume)), smallest / Math.max(a, b, c)));
  return { kind: "ellipsoid", radii: [scale * a, scale * b, scale * c], orientation: quaternion.fromMatrix(vectors) };
}

/** The cube root of a number from 0 to 1, others are 1: by Newton's method from above, since a picture has the same bits everywhere and Math.cbrt has not. */
function cubeRoot(value: number): number {
  let root = 1;
  for (;;) {
    const next = (2 * root + value / (root * root)) / 3;
    if (!(next < root)) return root;
    root = next;
  }
}
