/**
 * The ellipsoid of even density that has a body's mass m and inertia. With principal moments I₁, I₂, I₃ its radii are
 *   a₁ = √(5 (I₂ + I₃ − I₁) / 2m), and so on.
 */
import { matrix3, quaternion } from "../math/index.ts";
import type { BodyDescription, Shape } from "../mechanism/index.ts";

/** Radii below this fraction of the largest are drawn as large as that, so that rods and discs can be seen. */
const thinnest = 0.05;
/** A point mass is drawn as a ball of this radius, in metres. */
const smallest = 0.01;

export function inertiaEllipsoid({ mass, inertia }: BodyDescription): Shape {
  const { values, vectors } = matrix3.symmetricEigen(inertia);
  const sum = values[0] + values[1] + values[2];
  const radius = (moment: number): number => Math.sqrt(Math.max(0, (5 * (sum - 2 * moment)) / (2 * mass)));
  const radii = values.map(radius);
  const floor = Math.max(...radii) * thinnest || smallest;
  const [a, b, c] = radii.map((value) => Math.max(value, floor));
  return { kind: "ellipsoid", radii: [a, b, c], orientation: quaternion.fromMatrix(vectors) };
}
