/**
 * Collision geometry → shapes that touch each other: primitives as they are, meshes as their convex hulls, on bodies and, where a link is
 * fixed to the world, in the world. A visual that is the same as a collision shape is one shape with it; other collision shapes
 * are not shown where the link has something to show.
 */
import type { Shape, SurfaceDescription } from "../../mechanism/index.ts";
import { collisionHull } from "../collisionHull.ts";
import { excludedPairs } from "../excludedPairs.ts";
import { whyNoMesh } from "../mesh.ts";
import { composePoses } from "../pose.ts";
import { boundingBox } from "../triangleMesh.ts";
import type { WarningList } from "../xml.ts";
import { type MeshReader, POINT_RADIUS } from "./collisionPoints.ts";
import type { LinkGroup } from "./mergeLinks.ts";
import type { DisabledPairs } from "./srdf.ts";
import type { LinkFrame, UrdfGeometry, UrdfLink } from "./urdfModel.ts";

export interface CollidingOptions {
  readonly readMesh: MeshReader | undefined;
  readonly hullVertices: number;
  readonly surface: boolean | SurfaceDescription;
}

export interface CollidingShapes {
  /** Shapes by body; "world" for what stands still. */
  readonly shapes: ReadonlyMap<string, readonly Shape[]>;
  /** Shapes that collide, by link. */
  readonly ofLink: ReadonlyMap<string, readonly Shape[]>;
}

const invisible = "#00000000";

/** A hull that is so many times as wide as the radius of gyration of its link is not in metres. */
const widest = 100;

export function collidingShapes(
  groups: readonly LinkGroup[],
  frames: ReadonlyMap<string, LinkFrame>,
  options: CollidingOptions,
  warnings: WarningList,
): CollidingShapes {
  const shapes = new Map<string, Shape[]>();
  const ofLink = new Map<string, Shape[]>();
  for (const { link } of groups.flatMap(({ members }) => members)) {
    const frame = frames.get(link.name);
    if (!frame) continue;
    const own = shapes.get(frame.body) ?? [];
    shapes.set(frame.body, own);
    const made = linkShapes(link, options, warnings);
    const taken = new Set(own.map(({ name }) => name));
    for (const { position, orientation, name, ...shape } of made) {
      const pose = composePoses(frame, { position, orientation });
      const free = name !== undefined && !taken.has(name);
      if (free) taken.add(name);
      const placed = { ...shape, ...(free && { name }), ...pose } as Shape;
      own.push(placed);
      if (placed.contact !== undefined) ofLink.set(link.name, [...(ofLink.get(link.name) ?? []), placed]);
    }
  }
  return { shapes, ofLink };
}

type PlacedShape = Shape & Required<Pick<Shape, "position" | "orientation">>;

/** A link's shapes in its own frame. */
function linkShapes(link: UrdfLink, options: CollidingOptions, warnings: WarningList): PlacedShape[] {
  const shown = link.visuals.flatMap((geometry): PlacedShape[] => {
    if (geometry.shape.kind !== "mesh") {
      const color = geometry.color === undefined ? {} : { color: geometry.color };
      return [{ ...geometry.shape, ...geometry.pose, ...color }];
    }
    warnings.add("ignored", geometry.element, `mesh "${geometry.shape.fileName.slice(0, 60)}" is not shown`);
    return [];
  });
  const hasLooks = shown.length > 0;
  const color = link.visuals.find((geometry) => geometry.color !== undefined)?.color;
  for (const geometry of link.collisions) {
    const form = formOf(geometry, options, warnings);
    if (!form) continue;
    warnOfUnits(link, geometry, form, warnings);
    const name = geometry.name === undefined ? {} : { name: geometry.name };
    const same = shown.findIndex(
      (shape) => shape.contact === undefined && isSame(shape, { ...form, ...geometry.pose }),
    );
    if (same >= 0) shown[same] = { ...shown[same], ...name, contact: options.surface };
    else {
      const looks = hasLooks ? { color: invisible } : color === undefined ? {} : { color };
      shown.push({ ...form, ...geometry.pose, ...name, ...looks, contact: options.surface });
    }
  }
  return shown;
}

function isSame({ color: _, ...visual }: PlacedShape, collision: PlacedShape): boolean {
  return JSON.stringify(Object.entries(visual).sort()) === JSON.stringify(Object.entries(collision).sort());
}

/** Meshes are often drawn in millimetres, which the file has to scale: the inertia of the link tells how large it is. */
function warnOfUnits({ inertial }: UrdfLink, { element }: UrdfGeometry, form: Shape, warnings: WarningList): void {
  if (form.kind !== "hull" || !inertial || !(inertial.mass > 0)) return;
  const { mass, inertia } = inertial;
  const gyration = Math.sqrt((inertia[0][0] + inertia[1][1] + inertia[2][2]) / (2 * mass));
  const width = Math.max(...boundingBox({ positions: form.points.flat() }).size);
  if (!(width > widest * gyration)) return;
  const [wide, own] = [width, gyration].map((length) => `${Number(length.toPrecision(2))} m`);
  const wayOut = 'if it is in millimetres, give it scale="0.001 0.001 0.001"';
  warnings.add("assumed", element, `is ${wide} wide, on a link whose inertia is that of ${own}: ${wayOut}`);
}

/** Undefined, with a warning, for what cannot collide. */
function formOf(geometry: UrdfGeometry, options: CollidingOptions, warnings: WarningList): Shape | undefined {
  const { shape, element } = geometry;
  if (shape.kind !== "mesh") {
    if (shape.kind !== "sphere" || shape.radius > POINT_RADIUS) return shape;
    warnings.add(
      "ignored",
      element,
      'a sphere that stands for a point collides with the floor only, collisions: "floor"',
    );
    return undefined;
  }
  const label = `mesh "${shape.fileName.slice(0, 60)}"`;
  const mesh = options.readMesh?.(shape.fileName);
  if (!mesh) {
    const wayOut = options.readMesh ? whyNoMesh(shape.fileName) : "pass readMesh";
    warnings.add("ignored", element, `${label} does not collide: ${wayOut}`);
    return undefined;
  }
  const { scale } = shape;
  const positions = Array.from(mesh.positions, (entry, i) => entry * scale[i % 3]);
  const mirrored = scale[0] * scale[1] * scale[2] < 0;
  const triangles = mesh.triangles && (mirrored ? Array.from(mesh.triangles).reverse() : mesh.triangles);
  const { points, remark } = collisionHull({ positions, ...(triangles && { triangles }) }, options.hullVertices);
  if (remark !== undefined) warnings.add(points ? "adjusted" : "not-expressible", element, `${label} ${remark}`);
  return points && { kind: "hull", points };
}

/** Bodies that an SRDF file keeps apart, and shapes of links where others that are fixed to them may touch. */
export function disabledPairs(
  disabled: DisabledPairs,
  frames: ReadonlyMap<string, LinkFrame>,
  ofLink: ReadonlyMap<string, readonly Shape[]>,
): { readonly exclude: readonly (readonly [string, string])[]; readonly apart: readonly (readonly [Shape, Shape])[] } {
  const { exclude, partial } = excludedPairs<string>({
    bodyOf: (link) => (frames.get(link) as LinkFrame).body,
    colliding: ofLink.keys(),
    isExcluded: disabled.isDisabled,
  });
  const shapesOf = (link: string): readonly Shape[] => ofLink.get(link) ?? [];
  const apart = partial.flatMap(([a, b]) =>
    shapesOf(a).flatMap((one) => shapesOf(b).map((two): [Shape, Shape] => [one, two])),
  );
  return { exclude, apart };
}
