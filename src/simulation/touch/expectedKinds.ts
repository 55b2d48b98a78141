/**
 * Kinds of features that the shapes of a robot can need. There is room for those of points, lines and planes from the start, since every further
 * kind is another system to build. Round parts, rims of cylinders and ellipsoids, wait until they are met, or until there is time to prepare
 * for them: their kernels take longest to make.
 */
import { type ContactFeature, featureNumber, type TouchShape } from "../../geometry/index.ts";
import { type MechanismTouch, touchFilter, worldIndex } from "../../mechanism/index.ts";
import type { PairSurfaces } from "./surfaces.ts";

/** Shapes up to which all pairs are looked at. */
const mostShapes = 128;

type ShapeKind = TouchShape["kind"];
type Part = "point" | "line" | "plane" | "round";
const parts: Readonly<Partial<Record<ShapeKind, readonly Part[]>>> = {
  sphere: ["point"],
  capsule: ["point", "line"],
  box: ["point", "line", "plane"],
  hull: ["point", "line", "plane"],
  cylinder: ["line", "plane", "round"],
  ellipsoid: ["round"],
  halfSpace: ["plane"],
};
const plain: readonly (readonly [ContactFeature, Part, Part])[] = [
  ["pointPlane", "point", "plane"],
  ["pointPoint", "point", "point"],
  ["pointLine", "point", "line"],
  ["lineLine", "line", "line"],
];
/** Beside a round part, a point is round too. */
const round: typeof plain = [
  ["roundPlane", "round", "plane"],
  ["roundLine", "round", "line"],
  ["roundRound", "round", "round"],
  ["roundRound", "round", "point"],
];

export interface ExpectedKind {
  readonly kind: number;
  readonly rule: number;
  readonly otherMoves: boolean;
}

/** Expected kinds without round ones, or with them. None of mechanisms with very many shapes, which may need few of their kinds. */
export function expectedKinds(touch: MechanismTouch, surfaces: PairSurfaces, withRound: boolean): ExpectedKind[] {
  const { shapes } = touch;
  if (shapes.length > mostShapes) return [];
  const { mayTouch } = touchFilter(touch);
  const found = new Map<string, ExpectedKind>();
  shapes.forEach((a, i) => {
    shapes.slice(0, i).forEach((b, j) => {
      if (!mayTouch(a, b)) return;
      const otherMoves = a.body !== worldIndex && b.body !== worldIndex;
      // of what moves against the world, first
      const [own, other] = a.body === worldIndex ? [b, a] : [a, b];
      const kinds = [own.form.kind, other.form.kind] as const;
      for (const feature of [...plainFeatures(...kinds, otherMoves), ...(withRound ? roundFeatures(...kinds) : [])]) {
        const kind = { kind: featureNumber[feature], rule: surfaces.rule(i, j), otherMoves };
        found.set(JSON.stringify(kind), kind);
      }
    });
  });
  return [...found.values()];
}

function plainFeatures(a: ShapeKind, b: ShapeKind, bMoves: boolean): ContactFeature[] {
  const [own, other] = [parts[a] ?? [], parts[b] ?? []];
  // between flat shapes, corners and edges that meet no face are planes
  const areFlat = own.includes("plane") && other.includes("plane");
  return plain.flatMap(([feature, one, two]) => {
    if (areFlat && (feature === "pointPoint" || feature === "pointLine")) return [];
    const meets = own.includes(one) && other.includes(two);
    const isMet = own.includes(two) && other.includes(one);
    // a line that moves beside a point of the world is a feature of its own
    if (feature === "pointLine" && !bMoves)
      return [...(meets ? [feature] : []), ...(isMet ? ["linePoint" as const] : [])];
    return meets || isMet ? [feature] : [];
  });
}

function roundFeatures(a: ShapeKind, b: ShapeKind): ContactFeature[] {
  const [own, other] = [parts[a] ?? [], parts[b] ?? []];
  return round
    .filter(([, one, two]) => (own.includes(one) && other.includes(two)) || (own.includes(two) && other.includes(one)))
    .map(([feature]) => feature);
}
