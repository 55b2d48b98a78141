/** Faults of shapes, of their surfaces, and of what may touch what. */
import { matrix3, vector } from "../math/index.ts";
import { checkBodyName, checkRestitution } from "./contactFaults.ts";
import type {
  CollisionsDescription,
  FrictionCombination,
  Matrix3,
  Shape,
  ShapePlacement,
  SurfaceDescription,
  SurfacePairDescription,
  Vector3,
} from "./description.ts";
import { type FaultList, type Fields, fieldsOf, member, show } from "./faults.ts";

type ShapeKind = Shape["kind"];

const placementFields = fieldsOf<ShapePlacement>()("name position orientation color contact");
const surfaceFields = fieldsOf<SurfaceDescription>()(
  "frictionCoefficient restitution torsionalFriction rollingFriction priority group mask",
);
const collisionFields = fieldsOf<CollisionsDescription>()("adjacent exclude include only combine pairs capacity");
const pairFields = fieldsOf<SurfacePairDescription>()(
  "bodies! shapes! frictionCoefficient torsionalFriction rollingFriction",
);
const combinations = fieldsOf<Record<FrictionCombination, unknown>>()("geometricMean max min product");

/** What each kind has besides its placement. */
const dimensions: Readonly<Record<ShapeKind, readonly string[]>> = {
  box: ["size"],
  sphere: ["radius"],
  capsule: ["radius", "length"],
  cylinder: ["radius", "length"],
  ellipsoid: ["radii"],
  hull: ["points"],
  halfSpace: [],
  heightField: ["size", "heights"],
};

/** Shapes that touch are from 1 µm to 1,000 km: beyond, distances next to positions are rounding. */
const SMALLEST = 1e-6;
const LARGEST = 1e6;
/** Longest side of a shape that touches over its shortest: beyond, normals are noise. */
const THINNEST = 1e6;
/** Least spread of a hull's points across their plane over that along it, squared. */
const FLAT = 1e-12;
/** Largest integer of a mask. */
const ALL_BITS = 2 ** 32 - 1;

export function checkShapes(faults: FaultList, path: string, value: unknown): void {
  const shapes = faults.array(path, value, "an array of shapes");
  const seen = new Map<string, number>();
  for (const [i, shape] of (shapes ?? []).entries()) {
    const name = checkShape(faults, `${path}[${i}]`, shape) ?? `shape${i}`;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, i);
    else {
      const wayOut = "rename one, or leave names out";
      faults.add("duplicate-name", `${path}[${i}].name`, `${show(name)} is ${path}[${first}] already; ${wayOut}`);
    }
  }
}

/** Returns the shape's name. */
function checkShape(faults: FaultList, path: string, value: unknown): string | undefined {
  const shape = faults.dictionary(path, value, "a shape");
  if (!shape) return undefined;
  const found = faults.known("unknown-kind", `${path}.kind`, shape.get("kind"), Object.keys(dimensions));
  if (found === undefined) return undefined;
  const kind = found as ShapeKind;
  const fields: Record<string, string> = { kind: "required", ...placementFields };
  for (const name of dimensions[kind]) fields[name] = "required";
  faults.record(path, value, fields, kind === "ellipsoid" ? "an ellipsoid" : `a ${kind}`);

  const touches = shape.get("contact") !== undefined && shape.get("contact") !== false;
  const before = faults.faults.length;
  for (const name of dimensions[kind]) {
    if (shape.get(name) !== undefined) checkDimension(faults, member(path, name), kind, name, shape);
  }
  if (touches && faults.faults.length === before) checkExtent(faults, path, shape as ReadonlyMap<string, unknown>);
  if (shape.get("position") !== undefined) faults.vector3(`${path}.position`, shape.get("position"));
  if (shape.get("orientation") !== undefined) faults.unit(`${path}.orientation`, shape.get("orientation"), 4);
  if (shape.get("color") !== undefined) faults.string(`${path}.color`, shape.get("color"));
  if (shape.get("contact") !== undefined) checkSurface(faults, `${path}.contact`, shape.get("contact"));
  return shape.get("name") === undefined ? undefined : faults.string(`${path}.name`, shape.get("name"));
}

function checkDimension(faults: FaultList, path: string, kind: ShapeKind, name: string, shape: Fields): void {
  const value = shape.get(name);
  const wayOut = "leave a shape without extent out";
  if (name === "points") checkPoints(faults, path, value);
  else if (name === "heights") checkHeights(faults, path, value);
  else if (name === "size" || name === "radii") {
    const lengths = faults.numbers(path, value, kind === "heightField" ? 2 : 3) ?? [];
    for (const [i, length] of lengths.entries()) faults.positive(`${path}[${i}]`, length, wayOut);
  } else if (kind === "capsule" && name === "length") {
    // a capsule of length 0 is a sphere
    faults.nonNegative(path, value, "0 makes a sphere");
  } else {
    faults.positive(path, value, wayOut);
  }
}

/** Four points at least, not all in a plane. */
function checkPoints(faults: FaultList, path: string, value: unknown): void {
  const entries = faults.array(path, value, "an array of points");
  if (!entries) return;
  const points = Array.from(entries, (point, i) => faults.vector3(`${path}[${i}]`, point));
  if (!points.every((point) => point !== undefined)) return;
  const wayOut = "give it some thickness, or use a box";
  if (points.length < 4) {
    faults.add("flat-hull", path, `${points.length} points span no volume; ${wayOut}`);
    return;
  }
  const mean = points.reduce(
    (sum: Vector3, point) => vector.add(sum, vector.scale(point, 1 / points.length)),
    [0, 0, 0],
  );
  const spread = [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => points.reduce((sum, point) => sum + (point[i] - mean[i]) * (point[j] - mean[j]), 0)),
  );
  const [least, , most] = matrix3.symmetricEigenvalues(spread as unknown as Matrix3);
  if (least > FLAT * most) return;
  faults.add("flat-hull", path, `all ${points.length} points lie in a plane, or nearly so; ${wayOut}`);
}

/** Heights of a field, of which every one takes a few hundred bytes in a run. */
export const MOST_HEIGHTS = 4e6;

/** Two rows of two heights at least, all rows of equal length. */
function checkHeights(faults: FaultList, path: string, value: unknown): void {
  const rows = faults.array(path, value, "an array of rows of heights");
  if (!rows) return;
  if (rows.length < 2) {
    faults.add("wrong-length", path, `has ${rows.length} rows; give 2 at least`);
    return;
  }
  const count = rows.reduce((sum: number, row) => sum + (Array.isArray(row) ? row.length : 0), 0);
  if (count > MOST_HEIGHTS) {
    faults.add("absurd-size", path, `has ${count} heights, more than ${MOST_HEIGHTS}; take a wider grid`);
    return;
  }
  const columns = Array.isArray(rows[0]) ? Math.max(rows[0].length, 2) : 2;
  for (const [i, row] of rows.entries()) faults.numbers(`${path}[${i}]`, row, columns);
}

/** Sizes of a shape that touches, all of them good numbers. */
function checkExtent(faults: FaultList, path: string, shape: Fields): void {
  const lengths: number[] = [];
  for (const name of ["radius", "length", "size", "radii"]) {
    const value = shape.get(name);
    if (value !== undefined) lengths.push(...[value].flat().map(Number));
  }
  const points = shape.get("points") as readonly Vector3[] | undefined;
  if (points) {
    for (let k = 0; k < 3; k++) {
      const along = points.map((point) => point[k]);
      lengths.push(Math.max(...along) - Math.min(...along));
    }
  }
  const positive = lengths.filter((length) => length > 0);
  if (positive.length === 0) return;
  const least = Math.min(...positive);
  const most = Math.max(...positive);
  const wayOut = "lengths are in metres; check the units";
  if (most > LARGEST) faults.add("absurd-size", path, `is ${most} m long; ${wayOut}`);
  else if (most < SMALLEST) faults.add("absurd-size", path, `is ${most} m long; ${wayOut}`);
  else if (most > THINNEST * least)
    faults.add("absurd-size", path, `is ${most} m one way and ${least} m another; ${wayOut}`);
}

function checkSurface(faults: FaultList, path: string, value: unknown): void {
  if (typeof value === "boolean") return;
  if (typeof value !== "object" || value === null) {
    faults.wrongType(path, "true, false or a surface (an object)", value);
    return;
  }
  const surface = faults.record(path, value, surfaceFields, "a surface");
  if (!surface) return;
  checkFriction(faults, path, surface);
  if (surface.get("priority") !== undefined) faults.number(`${path}.priority`, surface.get("priority"));
  checkRestitution(faults, `${path}.restitution`, surface.get("restitution"));
  for (const name of ["group", "mask"] as const) {
    const bits = surface.get(name) === undefined ? 0 : faults.number(`${path}.${name}`, surface.get(name));
    if (bits === undefined || (Number.isInteger(bits) && bits >= 0 && bits <= ALL_BITS)) continue;
    faults.add("out-of-range", `${path}.${name}`, `${bits} must be an integer from 0 to ${ALL_BITS}, whose bits count`);
  }
}

function checkFriction(faults: FaultList, path: string, surface: Fields): void {
  for (const name of ["frictionCoefficient", "torsionalFriction", "rollingFriction"] as const) {
    const coefficient = surface.get(name);
    if (coefficient !== undefined) faults.nonNegative(`${path}.${name}`, coefficient, "0 means no friction");
  }
}

/** `surfaces`: names of the shapes that touch, by body. */
export function checkCollisions(
  faults: FaultList,
  path: string,
  value: unknown,
  bodies: ReadonlySet<string>,
  surfaces: ReadonlyMap<string, readonly string[]>,
): void {
  const collisions = faults.record(path, value, collisionFields, "collisions");
  if (!collisions) return;
  if (collisions.get("adjacent") !== undefined) faults.boolean(`${path}.adjacent`, collisions.get("adjacent"));
  for (const name of ["exclude", "include", "only"] as const) {
    const pairs = collisions.get(name);
    if (pairs !== undefined) checkPairs(faults, `${path}.${name}`, pairs, bodies);
  }
  const combine = collisions.get("combine");
  if (combine !== undefined) faults.known("unknown-combination", `${path}.combine`, combine, Object.keys(combinations));
  if (collisions.get("pairs") !== undefined)
    checkSurfacePairs(faults, `${path}.pairs`, collisions.get("pairs"), bodies, surfaces);
  const capacity = collisions.get("capacity");
  const count =
    capacity === undefined ? 0 : faults.nonNegative(`${path}.capacity`, capacity, "0 makes memory as needed");
  if (count !== undefined && !Number.isInteger(count))
    faults.add("out-of-range", `${path}.capacity`, `${count} must be an integer`);
}

function checkSurfacePairs(
  faults: FaultList,
  path: string,
  value: unknown,
  bodies: ReadonlySet<string>,
  surfaces: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [i, entry] of (faults.array(path, value, "an array of pairs of shapes") ?? []).entries()) {
    const at = `${path}[${i}]`;
    const pair = faults.record(at, entry, pairFields, "a pair of shapes");
    if (!pair) continue;
    checkFriction(faults, at, pair);
    if (pair.get("bodies") === undefined || pair.get("shapes") === undefined) continue;
    checkPair(faults, `${at}.bodies`, pair.get("bodies"), bodies);
    const [owners, names] = [pair.get("bodies"), faults.array(`${at}.shapes`, pair.get("shapes"), "two names")];
    if (!names || !Array.isArray(owners)) continue;
    if (names.length !== 2) faults.add("wrong-length", `${at}.shapes`, `has ${names.length} entries; give two names`);
    else
      for (const [k, name] of names.entries()) {
        const known = surfaces.get(String(owners[k]));
        if (known) faults.known("unknown-shape", `${at}.shapes[${k}]`, name, known);
      }
  }
}

function checkPairs(faults: FaultList, path: string, value: unknown, bodies: ReadonlySet<string>): void {
  for (const [i, pair] of (faults.array(path, value, "an array of pairs of bodies") ?? []).entries())
    checkPair(faults, `${path}[${i}]`, pair, bodies);
}

function checkPair(faults: FaultList, path: string, pair: unknown, bodies: ReadonlySet<string>): void {
  const names = faults.array(path, pair, "the names of two bodies");
  if (!names) return;
  if (names.length !== 2) {
    faults.add("wrong-length", path, `has ${names.length} entries; give the names of two bodies`);
    return;
  }
  const [first, second] = names.map((name, k) =>
    name === undefined
      ? faults.wrongType(`${path}[${k}]`, "a string", name)
      : checkBodyName(faults, `${path}[${k}]`, name, bodies),
  );
  if (first !== undefined && first === second)
    faults.add("self-contact", path, `${show(first)} never touches itself; name another body`);
}
