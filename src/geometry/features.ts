/**
 * Contact features: pairs of simple things, one fixed in each of two shapes, whose gap is a closed expression of the two poses.
 *
 * `body` is the shape that carries the point (or the line, or the round set) and `other` the one that it meets; normals point from
 * other to body. Numbers are in the frame of the shape that carries them. The gaps, with p, d, c taken into a common frame:
 *   pointPlane  n·p − offset − ρ
 *   rimPlane    the same with p = p₀ + t (a·(m − p₀) + b n·t), which runs along the core with the pose that the step begins with: m is the point of
 *               other at p₀, and p = p₀ where the feature was found
 *   pointPoint  |p − p_o| − ρ − ρ_o
 *   pointLine   |(p − p_o) × d_o| − ρ − ρ_o
 *   lineLine    sign (p − p_o)·(d × d_o)/|d × d_o| − ρ − ρ_o
 *   roundPlane  n·c − offset − √(nᵀM n) − ρ
 *   roundRound  max over unit n of n·(c − c_o) − √(nᵀM n) − √(nᵀM_o n) − ρ − ρ_o
 *   roundLine   the same with n ⟂ d_o and M_o = 0
 * M is the matrix of a round set, whose support function is n·c + √(nᵀM n) + ρ|n|: for an ellipsoid R S² Rᵀ, for the rim of a disc of
 * radius r with axis a, r²(1 − a aᵀ). It is stored as xx, yy, zz, xy, xz, yz.
 */

/** How a field changes when its frame is changed: an offset belongs to the direction before it. */
export type FieldType = "point" | "direction" | "offset" | "support" | "scalar";

export interface FeatureField {
  readonly name: string;
  readonly type: FieldType;
  /** Whose frame the field is in. */
  readonly carrier: "body" | "other";
}

export type ContactFeature = (typeof featureKinds)[number];

/** All kinds, in the order of their numbers. */
export const featureKinds = [
  "pointPlane",
  "pointPoint",
  "pointLine",
  "lineLine",
  "roundPlane",
  "roundRound",
  "roundLine",
  "rimPlane",
] as const;

/** Numbers of the kinds, as `FeatureList.kind` holds them. */
export const featureNumber = {
  pointPlane: 0,
  pointPoint: 1,
  pointLine: 2,
  lineLine: 3,
  roundPlane: 4,
  roundRound: 5,
  roundLine: 6,
  rimPlane: 7,
} as const satisfies Record<ContactFeature, number>;

const field = (carrier: "body" | "other", type: FieldType, name: string): FeatureField => ({ name, type, carrier });
const point = [field("body", "point", "point"), field("body", "scalar", "radius")];
const line = [
  field("body", "point", "point"),
  field("body", "direction", "direction"),
  field("body", "scalar", "radius"),
];
const round = [
  field("body", "point", "centre"),
  field("body", "support", "support"),
  field("body", "scalar", "radius"),
];
const plane = [field("other", "direction", "normal"), field("other", "offset", "offset")];
const otherPoint = field("other", "point", "otherPoint");
const otherDirection = field("other", "direction", "otherDirection");
const otherRadius = field("other", "scalar", "otherRadius");
const normal = field("other", "direction", "normal");
/** A direction off the normal, from which the tangents are made. */
const tangent = field("other", "direction", "tangent");

/** Fields of each kind, in the order of their values. */
export const featureFields: Readonly<Record<ContactFeature, readonly FeatureField[]>> = {
  pointPlane: [...point, ...plane, tangent],
  pointPoint: [...point, otherPoint, otherRadius, tangent],
  pointLine: [...point, otherPoint, otherDirection, otherRadius, tangent],
  lineLine: [...line, otherPoint, otherDirection, otherRadius, field("other", "scalar", "sign"), tangent],
  roundPlane: [...round, ...plane, tangent],
  roundRound: [
    ...round,
    field("other", "point", "otherCentre"),
    field("other", "support", "otherSupport"),
    otherRadius,
    normal,
    tangent,
  ],
  roundLine: [...round, otherPoint, otherDirection, otherRadius, normal, tangent],
  rimPlane: [
    ...point,
    field("body", "direction", "along"),
    field("body", "direction", "shift"),
    field("body", "scalar", "turn"),
    ...plane,
    otherPoint,
    tangent,
  ],
};

const fieldSize: Readonly<Record<FieldType, number>> = {
  point: 3,
  direction: 3,
  offset: 1,
  support: 6,
  scalar: 1,
};

const suffixes: Readonly<Record<FieldType, readonly string[]>> = {
  point: [".x", ".y", ".z"],
  direction: [".x", ".y", ".z"],
  offset: [""],
  support: [".xx", ".yy", ".zz", ".xy", ".xz", ".yz"],
  scalar: [""],
};

/** Names of the values of each kind, in order: "point.x", "point.y", … */
export const featureValueNames: Readonly<Record<ContactFeature, readonly string[]>> = Object.fromEntries(
  featureKinds.map((kind) => [
    kind,
    featureFields[kind].flatMap(({ name, type }) => suffixes[type].map((suffix) => name + suffix)),
  ]),
) as unknown as Record<ContactFeature, readonly string[]>;

/** How many values a feature of each kind has, by its number. */
export const featureSizes: readonly number[] = featureKinds.map((kind) => featureValueNames[kind].length);

/** Room for one feature's values: the largest kind has 26. */
export const featureStride = 28;

/** Places of the values within a feature, by kind: where adders write and readers look. */
export const featureAt = Object.fromEntries(
  featureKinds.map((kind) => {
    let at = 0;
    const places: Record<string, number> = {};
    for (const { name, type } of featureFields[kind]) {
      places[name] = at;
      at += fieldSize[type];
    }
    return [kind, places];
  }),
) as Readonly<Record<ContactFeature, Readonly<Record<string, number>>>>;

/** Identity of a feature within its pair of shapes: from its kind and the numbers of the parts of a and b that meet. */
export function featureKey(kind: number, partOfA: number, partOfB: number): number {
  return (kind * PARTS + partOfA) * PARTS + partOfB;
}

/** The kind of a feature by its key; `parts` receives the numbers of the parts of a and b. */
export function partsOfKey(parts: Float64Array, key: number): number {
  const kindAndA = Math.floor(key / PARTS);
  const kind = Math.floor(kindAndA / PARTS);
  parts[0] = kindAndA - kind * PARTS;
  parts[1] = key - kindAndA * PARTS;
  return kind;
}

/** More parts than a shape has (vertices, edges and faces together); 8 · PARTS² is 2⁵³. */
const PARTS = 2 ** 25;

/** Features of a pair, or of many pairs one after another. Memory grows when it is short, and never otherwise. */
export class FeatureList {
  count = 0;
  /** featureNumber of each. */
  kind = new Uint8Array(16);
  /** 0 where shape a of the pair is the feature's body, 1 where shape b is. */
  side = new Uint8Array(16);
  /** Identity within the pair. */
  key = new Float64Array(16);
  /** Gap where the feature was found. */
  distance = new Float64Array(16);
  /**
   * 1 where the feature is a supporting plane in a place where the nearest parts are corners: it keeps the shapes apart, but forbids
   * motions around the corner that the shapes allow. Bind it only where nothing else will do.
   */
  tentative = new Uint8Array(16);
  /** featureStride numbers each, laid out by featureFields. */
  values = new Float64Array(16 * featureStride);
  /** Whether the pair's functions were handed its shapes the other way round: `side` is turned as features come in. */
  flipped = false;

  clear(): void {
    this.count = 0;
  }

  /** Adds a feature; its values are to be written at the returned place of `values`, which may be a new array. */
  add(kind: number, side: number, key: number, distance: number): number {
    const i = this.count++;
    if (i === this.kind.length) this.grow();
    this.kind[i] = kind;
    this.side[i] = this.flipped ? 1 - side : side;
    this.key[i] = key;
    this.distance[i] = distance;
    this.tentative[i] = 0;
    return i * featureStride;
  }

  private grow(): void {
    const { kind, side, key, distance, tentative, values } = this;
    const size = 2 * kind.length;
    this.kind = new Uint8Array(size);
    this.side = new Uint8Array(size);
    this.key = new Float64Array(size);
    this.distance = new Float64Array(size);
    this.tentative = new Uint8Array(size);
    this.values = new Float64Array(size * featureStride);
    this.kind.set(kind);
    this.side.set(side);
    this.key.set(key);
    this.distance.set(distance);
    this.tentative.set(tentative);
    this.values.set(values);
  }
}
