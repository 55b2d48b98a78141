/**
 * Scenes of one contact between two bodies, of every kind of feature, with gaps that are found without the engine's formulas.
 * Poses and values are random; `gap` is then set by what lies across (`offset` or `otherRadius`).
 */
import { type ContactFeature, featureAt, featureValueNames } from "../../src/geometry/index.ts";
import { compile, customBody, floating, type Mechanism, type Random, worldIndex } from "../../src/index.ts";
import { type Quaternion, quaternion, type Vector3, vector } from "../../src/math/index.ts";
import { type FeatureContactOptions, withContacts } from "../../src/mechanism/index.ts";

export interface Placement {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

export const inWorld: Placement = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };

export const placed = ({ position, orientation }: Placement, p: Vector3): Vector3 =>
  vector.add(position, quaternion.rotate(orientation, p));

export function randomVector(random: Random, scale = 1): Vector3 {
  return [scale * random.normal(), scale * random.normal(), scale * random.normal()];
}

export function randomPlacement(random: Random, scale = 1): Placement {
  const turn = [random.normal(), ...randomVector(random)] as unknown as Quaternion;
  return { position: randomVector(random, scale), orientation: quaternion.normalize(turn) };
}

/** The three numbers of a field. */
export function triple(feature: ContactFeature, values: readonly number[], name: string): Vector3 {
  const at = featureAt[feature][name];
  return [values[at], values[at + 1], values[at + 2]];
}

/** The gap of straight features, by projections. */
export function straightGap(
  feature: ContactFeature,
  values: readonly number[],
  body: Placement,
  other: Placement,
): number {
  const number = (name: string): number => values[featureAt[feature][name]];
  const point = placed(body, triple(feature, values, "point"));
  // where it was found, the point of a rim has not run
  if (feature === "pointPlane" || feature === "rimPlane") {
    const normal = quaternion.rotate(other.orientation, vector.normalize(triple(feature, values, "normal")));
    return vector.dot(normal, vector.sub(point, other.position)) - number("offset") - number("radius");
  }
  const otherPoint = placed(other, triple(feature, values, "otherPoint"));
  const w = vector.sub(point, otherPoint);
  const radii = number("radius") + number("otherRadius");
  if (feature === "pointPoint") return vector.norm(w) - radii;
  const e = vector.normalize(quaternion.rotate(other.orientation, triple(feature, values, "otherDirection")));
  const across = (v: Vector3): Vector3 => vector.sub(v, vector.scale(e, vector.dot(e, v)));
  if (feature === "pointLine") return vector.norm(across(w)) - radii;
  // seen along the other line, the first one is a line in the plane, and that line is a point
  const d = vector.normalize(across(quaternion.rotate(body.orientation, triple(feature, values, "direction"))));
  const flat = across(w);
  const nearest = vector.sub(flat, vector.scale(d, vector.dot(d, flat)));
  const side = Math.sign(vector.dot(nearest, vector.cross(d, e)));
  return number("sign") * side * vector.norm(nearest) - radii;
}

/** Random values of a straight feature at two placements, `gap` apart. */
export function randomFeature(
  random: Random,
  feature: ContactFeature,
  body: Placement,
  other: Placement,
  gap: number,
): number[] {
  const values = featureValueNames[feature].map((name) =>
    /radius/i.test(name) ? 0.1 + 0.2 * random.uniform() : name === "sign" ? 1 : 0.5 * random.normal(),
  );
  const at = featureAt[feature];
  // lines that are on the positive side
  if (feature === "lineLine") {
    values[at.otherRadius] = values[at.radius] = 0;
    if (straightGap(feature, values, body, other) < 0) values[at.sign] = -1;
    values[at.radius] = 0.1;
  }
  if (feature === "rimPlane") {
    // the other's point is there too, and the rim's tangent is level
    const point = placed(body, triple(feature, values, "point"));
    const met = quaternion.rotate(quaternion.conjugate(other.orientation), vector.sub(point, other.position));
    const normal = quaternion.rotate(other.orientation, vector.normalize(triple(feature, values, "normal")));
    const seen = quaternion.rotate(quaternion.conjugate(body.orientation), normal);
    const along = vector.normalize(vector.cross(seen, triple(feature, values, "along")));
    for (let k = 0; k < 3; k++) {
      values[at.otherPoint + k] = met[k];
      values[at.along + k] = along[k];
    }
  }
  const shift = at.offset ?? at.otherRadius;
  values[shift] += straightGap(feature, values, body, other) - gap;
  return values;
}

/** Two bodies that fly, the second of them `body` of the contacts; `other` is the first or the world. */
export function flyingPair(
  contacts: readonly Omit<FeatureContactOptions, "name" | "body" | "other">[],
  otherMoves: boolean,
  { timestep = 0.01, gravity = [0, 0, 0] as Vector3 } = {},
): Mechanism {
  const lump = (mass: number, a: number, b: number, c: number) =>
    customBody({
      mass,
      inertia: [
        [a, 0, 0],
        [0, b, 0],
        [0, 0, c],
      ],
    });
  const mechanism = compile({
    timestep,
    gravity,
    bodies: { first: lump(2, 0.3, 0.4, 0.5), second: lump(1, 0.1, 0.15, 0.2) },
    joints: {
      first: floating({ parent: "world", child: "first" }),
      second: floating({ parent: "world", child: "second" }),
    },
  });
  return withContacts(
    mechanism,
    contacts.map((contact, i) => ({
      ...contact,
      name: `contact${i}`,
      body: 1,
      other: otherMoves ? 0 : worldIndex,
    })),
  );
}

/** State of two bodies: placements and six numbers of velocity each. */
export function stateOf(placements: readonly Placement[], velocities: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(
    placements.flatMap(({ position, orientation }, i) => [...position, ...orientation, ...velocities[i]]),
  );
}
