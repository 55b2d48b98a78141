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

type Part = "point" | "line" | "plane" | "round" | "rim";
const parts: Readonly<Partial<Record<TouchShape["kind"], readonly Part[]>>> = {
  sphere: ["point"],
  capsule: ["point", "line"],
  box: ["point", "line", "plane"],
  hull: ["point", "line", "plane"],
  cylinder: ["line", "plane", "round", "rim"],
  ellipsoid: ["round"],
  halfSpace: ["plane"],
};
const plain: readonly (readonly [ContactFeature, Part, Part])[] = [
  ["pointPlane", "point", "plane"],
  ["pointPoint", "point", "point"],
  ["pointLine", "point", "line"],
  ["lineLine", "line", "line"],
  ["rimPlane", "rim", "plane"],
];
/** Beside a round part, a point is round too. */
const round: typeof plain = [
  ["roundPlane", "round", "plane"],
  ["roundLine", "round", "line"],
  ["roundRound", "round", "round"],
  ["roundRound", "round", "point"],
];

/** Which sides of a feature move: that with the core, that with what it meets, or both. */
export type MovingSide = "core" | "met" | "both";

export interface ExpectedKind {
  readonly kind: number;
  readonly rule: number;
  readonly moving: MovingSide;
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
      const bothMove = a.body !== worldIndex && b.body !== worldIndex;
      // of what moves against the world, first
      const [own, other] = a.body === worldIndex ? [b, a] : [a, b];
      const sides = { own: parts[own.form.kind] ?? [], other: parts[other.form.kind] ?? [], bothMove };
      for (const { feature, moving } of [...plainFeatures(sides), ...(withRound ? featuresOf(round, sides) : [])]) {
        const kind = { kind: featureNumber[feature], rule: surfaces.rule(i, j), moving };
        found.set(JSON.stringify(kind), kind);
      }
    });
  });
  return [...found.values()];
}

type MovingFeature = Pick<ExpectedKind, "moving"> & { readonly feature: ContactFeature };

/** What two shapes have to meet with; the first one moves. */
interface Sides {
  readonly own: readonly Part[];
  readonly other: readonly Part[];
  readonly bothMove: boolean;
}

function plainFeatures(sides: Sides): MovingFeature[] {
  // between flat shapes, corners and edges that meet no face are planes
  const areFlat = sides.own.includes("plane") && sides.other.includes("plane");
  const isLeftOut = (feature: ContactFeature): boolean =>
    areFlat && (feature === "pointPoint" || feature === "pointLine");
  return featuresOf(plain, sides).filter(({ feature }) => !isLeftOut(feature));
}

function featuresOf(kinds: typeof plain, { own, other, bothMove }: Sides): MovingFeature[] {
  return kinds.flatMap(([feature, core, met]): MovingFeature[] => {
    const meets = own.includes(core) && other.includes(met);
    const isMet = own.includes(met) && other.includes(core);
    if (bothMove) return meets || isMet ? [{ feature, moving: "both" }] : [];
    // where both sides carry the same, that of the body is the core
    const swaps = feature === "pointPoint" || feature === "lineLine" || feature === "roundRound";
    return [
      ...(meets || (isMet && swaps) ? [{ feature, moving: "core" as const }] : []),
      ...(isMet && !swaps ? [{ feature, moving: "met" as const }] : []),
    ];
  });
}
