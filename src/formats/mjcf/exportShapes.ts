/**
 * Shapes → geoms. Those for show collide with nothing; those with a surface have its masks, friction and contact dimension. Hulls are
 * meshes of their points, half-spaces planes, terrain height fields. What may not touch stands in <exclude>, unless MuJoCo leaves
 * it out by itself (neighbours in the tree); what may touch all the same in <pair>.
 */
import { combinedFriction } from "../../equations/index.ts";
import { quaternion, vector } from "../../math/index.ts";
import {
  isPrimitive,
  type Mechanism,
  type MechanismDescription,
  type PrimitiveShape,
  type Shape,
  type TouchPair,
  type TouchShape,
  type TouchSurface,
  touchFilter,
  type Vector3,
  worldIndex,
} from "../../mechanism/index.ts";
import { touchingShapesOf } from "../keepApart.ts";
import { type Markup, markup } from "../markup.ts";
import type { ExportWarnings } from "./exportWarnings.ts";

export interface ExportedShapes {
  readonly of: (body: number) => readonly Markup[];
  readonly assets: readonly Markup[];
  /** Elements of the section <contact>. */
  readonly contact: readonly Markup[];
  /** Whether neighbours in the tree may touch. */
  readonly adjacent: boolean;
}

/** Names of geoms that are taken are in `names`; new ones are added. */
export function exportShapes(
  description: MechanismDescription,
  mechanism: Mechanism,
  shifts: readonly Vector3[],
  names: Set<string>,
  warnings: ExportWarnings,
): ExportedShapes {
  const { touch } = mechanism;
  const assets: Markup[] = [];
  const geoms = new Map<number, Markup[]>();
  // by number among the shapes that touch
  const geomNames = new Map<number, string>();
  const numberOf = new Map(touchingShapesOf(description).map((shape, i) => [shape, i]));
  const lists = [
    { body: worldIndex, path: "shapes", shapes: description.shapes ?? [] },
    ...mechanism.bodies.map(({ name, index }) => ({
      body: index,
      path: `bodies.${name}.shapes`,
      shapes: description.bodies[name].shapes ?? [],
    })),
  ];
  for (const { body, path, shapes } of lists) {
    const shift = body === worldIndex ? vector.zero : shifts[body];
    const made = shapes.flatMap((shape, i) => geomOf(shape, `${path}[${i}]`, body, shift, i) ?? []);
    geoms.set(body, made);
  }
  noteFriction(mechanism, warnings);
  return {
    of: (body) => geoms.get(body) ?? [],
    assets,
    contact: touch ? [...exclusions(mechanism), ...namedPairs(mechanism, geomNames)] : [],
    adjacent: description.collisions?.adjacent ?? false,
  };

  function geomOf(shape: Shape, path: string, body: number, shift: Vector3, i: number): Markup | undefined {
    const touches = shape.contact !== undefined && shape.contact !== false;
    const owner = body === worldIndex ? "world" : mechanism.bodies[body].name;
    const name = touches ? freeName(shape.name ?? `${owner}.shape${i}`) : undefined;
    const form = formOf(shape, path, body, name ?? `${owner}.shape${i}`);
    if (!form) return undefined;
    if (name !== undefined) geomNames.set(numberOf.get(shape) as number, name);
    return markup("geom", {
      name,
      ...form.attributes,
      pos: vector.sub(form.position, shift),
      quat: shape.orientation,
      mass: 0,
      ...surfaceAttributes(shape, path),
      group: 1,
      rgba: colorNumbers(shape.color),
    });
  }

  function formOf(shape: Shape, path: string, body: number, name: string) {
    const position = shape.position ?? vector.zero;
    if (isPrimitive(shape)) return { attributes: primitiveAttributes(shape), position };
    if (shape.kind === "hull") {
      const asset = freeAsset(name);
      assets.push(markup("mesh", { name: asset, vertex: shape.points.flat(), inertia: "convex" }));
      return { attributes: { type: "mesh", mesh: asset }, position };
    }
    if (body !== worldIndex) {
      warnings.add(path, `a ${shape.kind} on a moving body is left out: planes and terrain stand still in MuJoCo`);
      return undefined;
    }
    if (shape.kind === "halfSpace") return { attributes: { type: "plane", size: [0, 0, 1] }, position };
    const { asset, lowest } = heightFieldAsset(shape, freeAsset(name));
    assets.push(asset);
    // elevations start at 0 there
    const turn = shape.orientation ?? quaternion.identity;
    const lifted = vector.add(position, quaternion.rotate(turn, [0, 0, lowest]));
    return { attributes: { type: "hfield", hfield: asset.attributes.name }, position: lifted };
  }

  function surfaceAttributes({ contact }: Shape, path: string) {
    if (contact === undefined || contact === false) return { contype: 0, conaffinity: 0 };
    const surface = contact === true ? {} : contact;
    const { frictionCoefficient = 0.8, torsionalFriction: spin = 0, rollingFriction: roll = 0 } = surface;
    const { group = 1, mask = 1, priority } = surface;
    if (surface.restitution !== undefined) {
      const message = "left out; MuJoCo bounces by solref, a spring and damper whose rebound depends on mass";
      warnings.add(`${path}.contact.restitution`, message);
    }
    const slides = frictionCoefficient === 0 && spin === 0 && roll === 0;
    return {
      contype: group | 0,
      conaffinity: mask | 0,
      priority,
      condim: slides ? 1 : roll > 0 ? 6 : spin > 0 ? 4 : 3,
      friction: [frictionCoefficient, ...(spin + roll > 0 ? [spin, roll] : [])],
    };
  }

  function freeName(wanted: string): string {
    let name = wanted;
    while (names.has(name)) name += "_";
    names.add(name);
    return name;
  }

  function freeAsset(wanted: string): string {
    let name = wanted;
    while (assets.some(({ attributes }) => attributes.name === name)) name += "_";
    return name;
  }
}

function primitiveAttributes(shape: PrimitiveShape): Markup["attributes"] {
  switch (shape.kind) {
    case "box":
      return { type: "box", size: shape.size.map((edge) => edge / 2) };
    case "ellipsoid":
      return { type: "ellipsoid", size: shape.radii };
    case "sphere":
      return { type: "sphere", size: [shape.radius] };
    default:
      // a capsule without length is a sphere
      if (shape.length === 0) return { type: "sphere", size: [shape.radius] };
      return { type: shape.kind, size: [shape.radius, shape.length / 2] };
  }
}

/** Rows from the largest y to the least, spread over 0 to the third entry of the size; the fourth is how deep it goes. */
function heightFieldAsset(
  { size, heights }: Extract<Shape, { kind: "heightField" }>,
  name: string,
): { readonly asset: Markup; readonly lowest: number } {
  const all = heights.flat();
  const lowest = all.reduce((low, entry) => Math.min(low, entry));
  const range = all.reduce((high, entry) => Math.max(high, entry)) - lowest;
  const elevation = [...heights]
    .reverse()
    .flatMap((row) => row.map((entry) => (range > 0 ? (entry - lowest) / range : 0)));
  const asset = markup("hfield", {
    name,
    nrow: heights.length,
    ncol: heights[0].length,
    size: [size[0] / 2, size[1] / 2, range > 0 ? range : 1, Math.max(size[0], size[1])],
    elevation,
  });
  return { asset, lowest };
}

/** Bodies that do not touch, but for neighbours in the tree. */
function exclusions(mechanism: Mechanism): Markup[] {
  const { touch, joints, tree, bodies, description } = mechanism;
  if (!touch) return [];
  const key = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
  const isAdjacent = description.collisions?.adjacent ?? false;
  const neighbours = new Set(
    tree
      .map(({ joint }) => joints[joint])
      .filter(({ parent, child }) => !isAdjacent && parent !== worldIndex && child !== worldIndex)
      .map(({ parent, child }) => key(parent, child)),
  );
  const owners = [...new Set(touch.shapes.map(({ body }) => body))];
  const pairs = owners.flatMap((a, i) => owners.slice(i + 1).map((b): [number, number] => [a, b]));
  const excluded = new Set(touch.excluded.map(([a, b]) => key(a, b)));
  const listed = touch.only && new Set(touch.only.map(([a, b]) => key(a, b)));
  const nameOf = (body: number): string => (body === worldIndex ? "world" : bodies[body].name);
  return pairs
    .filter(([a, b]) => excluded.has(key(a, b)) || (listed && !listed.has(key(a, b))))
    .filter(([a, b]) => !neighbours.has(key(a, b)))
    .map(([a, b]) => markup("exclude", { body1: nameOf(a), body2: nameOf(b) }));
}

/** Pairs that touch although their bodies are adjacent or their masks do not meet, and those with friction of their own. */
function namedPairs({ touch }: Mechanism, geomNames: ReadonlyMap<number, string>): Markup[] {
  if (!touch || (touch.included.length === 0 && touch.pairs.length === 0)) return [];
  const { mayTouch } = touchFilter(touch);
  const givenOf = (a: TouchShape, b: TouchShape): TouchPair | undefined =>
    touch.pairs.find(({ shapes: [p, q] }) => (p === a.index && q === b.index) || (p === b.index && q === a.index));
  const isIncluded = (a: TouchShape, b: TouchShape): boolean =>
    touch.included.some(([p, q]) => (p === a.body && q === b.body) || (p === b.body && q === a.body));
  return touch.shapes.flatMap((a, i) =>
    touch.shapes
      .slice(i + 1)
      .filter((b) => (isIncluded(a, b) || givenOf(a, b)) && mayTouch(a, b))
      .flatMap((b) => {
        const [geom1, geom2] = [geomNames.get(a.index), geomNames.get(b.index)];
        if (geom1 === undefined || geom2 === undefined) return [];
        const [one, two, given] = [a.surface, b.surface, givenOf(a, b)];
        const priority = one.priority - two.priority;
        const larger = (of: (surface: TouchSurface) => number): number =>
          priority === 0 ? Math.max(of(one), of(two)) : of(priority > 0 ? one : two);
        const mu =
          given?.frictionCoefficient ??
          combinedFriction(touch.combine, one.frictionCoefficient, two.frictionCoefficient, priority);
        const spin = given?.torsionalFriction ?? larger(({ torsionalFriction }) => torsionalFriction ?? 0);
        const roll = given?.rollingFriction ?? larger(({ rollingFriction }) => rollingFriction ?? 0);
        const condim = mu + spin + roll === 0 ? 1 : roll > 0 ? 6 : spin > 0 ? 4 : 3;
        return markup("pair", { geom1, geom2, condim, friction: [mu, mu, spin, roll, roll] });
      }),
  );
}

function noteFriction({ touch }: Mechanism, warnings: ExportWarnings): void {
  if (!touch || touch.combine === "max") return;
  const coefficients = new Set(touch.shapes.map(({ surface }) => surface.frictionCoefficient));
  const same = touch.combine === "product" ? [...coefficients].every((mu) => mu === 1 || mu === 0) : true;
  if (coefficients.size <= 1 && same) return;
  warnings.add("collisions.combine", `"${touch.combine}" is left out: in MuJoCo the larger coefficient of two counts`);
}

/** Numbers of #rrggbb or #rrggbbaa; other colours are left to MuJoCo. */
function colorNumbers(color: string | undefined): number[] | undefined {
  const digits = color?.match(/^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})?$/i);
  if (!digits) return undefined;
  return [1, 2, 3, 4].map((i) => (digits[i] === undefined ? 1 : Number.parseInt(digits[i], 16) / 255));
}
