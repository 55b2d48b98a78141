/**
 * A solid convex hull as a body. Its triangles (d, e, f) span pyramids with the origin, of volume V = d·(e × f)/6, centroid (d + e + f)/4 and
 * second moments V/20 (Σ_ab p_a p_bᵀ + Σ_a p_a p_aᵀ) over the three corners; signed, they add up to the solid.
 */
import { hullTriangles } from "../geometry/index.ts";
import { matrix3, vector } from "../math/index.ts";
import type { BodyDescription, Matrix3, Vector3 } from "./description.ts";
import type { SolidOptions } from "./shapes.ts";

/** The convex hull of points, of even density; the body's frame has their directions and its origin at the centre of mass. */
export function hull(options: SolidOptions & { readonly points: readonly Vector3[] }): BodyDescription {
  const { points, mass, color, orientation, contact } = options;
  const triangles = trianglesOf(points);
  const corner = (t: number): Vector3 => points[triangles[t]];

  // first the centroid, then moments about it
  let volume = 0;
  let sum: Vector3 = vector.zero;
  for (let t = 0; t < triangles.length; t += 3) {
    const [d, e, f] = [corner(t), corner(t + 1), corner(t + 2)];
    const part = vector.dot(d, vector.cross(e, f)) / 6;
    volume += part;
    sum = vector.add(sum, vector.scale(vector.add(vector.add(d, e), f), part / 4));
  }
  const centre = volume > 0 ? vector.scale(sum, 1 / volume) : vector.zero;
  const second = [0, 1, 2].map(() => [0, 0, 0]);
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [corner(t), corner(t + 1), corner(t + 2)].map((point) => vector.sub(point, centre));
    const part = vector.dot(corners[0], vector.cross(corners[1], corners[2])) / 6;
    const total = corners.reduce(vector.add);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        const own = corners.reduce((entry, point) => entry + point[i] * point[j], 0);
        second[i][j] += (part / 20) * (own + total[i] * total[j]);
      }
    }
  }
  const density = volume > 0 ? mass / volume : 0;
  const trace = second[0][0] + second[1][1] + second[2][2];
  const inertia = second.map((row, i) => row.map((entry, j) => density * ((i === j ? trace : 0) - entry)));
  const own = inertia as unknown as Matrix3;
  const shape = {
    kind: "hull" as const,
    points: points.map((point) => vector.sub(point, centre)),
    ...(orientation && { orientation }),
    ...(color !== undefined && { color }),
    ...(contact !== undefined && { contact }),
  };
  return { mass, inertia: orientation ? matrix3.rotateInertia(own, orientation) : own, shapes: [shape] };
}

/** None where the points span no volume, which `compile` reports. */
function trianglesOf(points: readonly Vector3[]): readonly number[] {
  try {
    return hullTriangles(points.flat());
  } catch {
    return [];
  }
}
