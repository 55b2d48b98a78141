/**
 * Geoms against planes → contact points. Friction is MuJoCo's: that of the geom with the higher priority, or the larger of the two;
 * a contact dimension of 1 is without friction.
 *   sphere     its centre, with its radius            capsule    its two ends, with its radius
 *              unless that is as small as points are written
 *   box        its corners                            cylinder   points on its two rims
 *   ellipsoid  spheres of its smallest radius along its two longer axes
 *   mesh       those of its vertices that stick out (meshPoints.ts)
 */
import { quaternion, vector } from "../../math/index.ts";
import type { ContactDescription, HalfSpace, Vector3 } from "../../mechanism/index.ts";
import { composePoses, type Pose, posedPoint } from "../pose.ts";
import { readNumber, readNumberList, type XmlElement } from "../xml.ts";
import type { ImportContext } from "./importContext.ts";
import type { Dimensions, MjBody, MjGeom } from "./model.ts";

/** Points on each rim of a cylinder, and around an ellipsoid: an eighth of a turn is 8% of the radius deep. */
const RIM_POINTS = 8;
/** Radius of the spheres that stand for points, which MJCF does not have, in metres. */
export const pointRadius = 1e-5;
const none = "collides with nothing: the file has no plane; floor: true (--floor plane) adds one at z = 0";
const heightField =
  'nothing touches a height field, and bodies fall through; collisions: "shapes" (--collisions shapes) has it touch';
const between =
  'collisions are with planes only; for those between bodies pass collisions: "shapes" (--collisions shapes)';

interface Surface {
  readonly geom: MjGeom | undefined;
  readonly body: MjBody;
  readonly halfSpace: HalfSpace | undefined;
}

/** What MuJoCo makes of a pair of geoms. */
interface Mixed {
  readonly friction: number;
  /** Torsional and rolling, m. */
  readonly otherFrictions: readonly [number, number];
  readonly dimension: number;
}

export interface ContactOptions {
  readonly contacts: "collision" | "none";
  readonly floor: boolean;
  readonly contactGeoms: ((geom: ContactGeom) => boolean) | undefined;
}

/** What a filter of contacts sees of a geom. */
export interface ContactGeom {
  readonly name: string | undefined;
  readonly body: string;
  readonly kind: MjGeom["type"];
  readonly group: number;
}

export function importContacts(context: ImportContext, options: ContactOptions): ContactDescription[] {
  const { document, tree, links, ledger } = context;
  const geoms = tree.bodies.flatMap(({ geoms: own }) => own);
  const collides = (geom: MjGeom): boolean => geom.contactType !== 0 || geom.contactAffinity !== 0;
  if (options.contacts === "none" || document.option.disabled.has("contact")) return [];

  const surfaces: Surface[] = geoms.filter(({ type }) => type === "plane").map(surfaceOf);
  if (surfaces.length === 0 && options.floor) {
    surfaces.push({ geom: undefined, body: tree.bodies[0], halfSpace: undefined });
  }
  const explicit = pairsOf(context);
  const wanted = geoms.filter(
    (geom) => geom.type !== "plane" && geom.type !== "hfield" && (collides(geom) || explicit.has(geom)),
  );
  const moving = wanted.filter(({ body }) => links.place(body).link.name !== "world");
  noteOthers();

  const excluded = excludedBodies(context);
  const contacts: ContactDescription[] = [];
  const taken = new Set<string>();
  for (const [index, geom] of moving.entries()) {
    const { name, body, type, group } = geom;
    const filtered = options.contactGeoms?.({ name, body: body.name, kind: type, group }) === false;
    if (filtered) continue;
    const own = links.place(body);
    const points = pointsOf(geom);
    for (const surface of surfaces) {
      const mixed = mixedContact(surface, geom);
      if (!mixed || links.place(surface.body).link === own.link) continue;
      const label = `${name ?? `${body.name}_${type}${index}`}${surfaces.length > 1 ? `_${surfaces.indexOf(surface)}` : ""}`;
      points.forEach(({ point, radius }, i) => {
        contacts.push({
          name: freeName(points.length > 1 ? `${label}_${i}` : label),
          body: own.link.name,
          point: posedPoint(own.pose, point),
          ...(radius > 0 && { radius }),
          ...(mixed.dimension === 1 || mixed.friction === 0
            ? { model: "impact" }
            : { frictionCoefficient: mixed.friction, ...turningFriction(mixed) }),
          ...(surface.halfSpace && { halfSpace: surface.halfSpace }),
        });
      });
    }
  }
  return contacts;

  function freeName(name: string): string {
    let free = name;
    while (taken.has(free)) free += "_";
    taken.add(free);
    return free;
  }

  function surfaceOf(geom: MjGeom): Surface {
    const { link, pose } = links.place(geom.body);
    const { position, orientation } = composePoses(pose, geom.placement);
    const normal = vector.normalize(quaternion.rotate(orientation, vector.unitZ));
    const offset = vector.dot(normal, position) || 0;
    const isFloor = link.name === "world" && normal[2] === 1 && offset === 0;
    const body = link.name === "world" ? {} : { body: link.name };
    return { geom, body: geom.body, halfSpace: isFloor ? undefined : { ...body, normal, offset } };
  }

  /** Undefined when they do not collide. */
  function mixedContact({ geom: plane, body }: Surface, geom: MjGeom): Mixed | undefined {
    const pair = plane && explicit.get(geom)?.find(({ other }) => other === plane);
    const [a, b] = [plane ?? defaultFloor, geom];
    const mix = (first: number, second: number): number =>
      a.priority === b.priority ? Math.max(first, second) : a.priority > b.priority ? first : second;
    const mixed = {
      friction: mix(a.friction, b.friction),
      otherFrictions: [0, 1].map((k) => mix(a.otherFrictions[k], b.otherFrictions[k])) as [number, number],
      dimension: mix(a.contactDimension, b.contactDimension),
    };
    if (pair) {
      const { friction, torsional, rolling, dimension } = pairSurface(pair.element);
      return { friction, otherFrictions: [torsional, rolling], dimension };
    }
    const meets = (a.contactType & b.contactAffinity) !== 0 || (b.contactType & a.contactAffinity) !== 0;
    return meets && !excluded(body, geom.body) ? mixed : undefined;
  }

  function pointsOf(geom: MjGeom): readonly { readonly point: Vector3; readonly radius: number }[] {
    const { dimensions, placement: pose, mesh } = geom;
    if (mesh) {
      if (surfaces.length > 0) ledger.add("adjusted", geom.element, "a mesh touches with up to 14 of its vertices");
      return mesh.contactPoints.map((point) => ({ point: posedPoint(pose, point), radius: 0 }));
    }
    if (!dimensions) {
      ledger.add("not-expressible", geom.element, `a ${geom.type} has no contact points here`);
      return [];
    }
    if (surfaces.length > 0 && dimensions.kind === "ellipsoid") {
      ledger.add("adjusted", geom.element, "an ellipsoid touches with spheres of its smallest radius");
    }
    if (surfaces.length > 0 && dimensions.kind === "cylinder") {
      ledger.add("adjusted", geom.element, `a cylinder touches with ${RIM_POINTS} points on each rim`);
    }
    return shapePoints(dimensions, pose);
  }

  function noteOthers(): void {
    for (const { element, type } of geoms) {
      if (type === "hfield") ledger.add("not-expressible", element, heightField);
    }
    if (surfaces.length === 0 && moving.length > 0) ledger.add("assumed", moving[0].element, none);
    const linksTouching = new Set(wanted.map(({ body }) => links.place(body).link));
    if (linksTouching.size > 1) ledger.add("not-expressible", wanted[0].element, between);
  }
}

/** A plane at z = 0 with MuJoCo's defaults. */
const defaultFloor = {
  ...{ priority: 0, friction: 1, otherFrictions: [0.005, 0.0001] as const },
  ...{ contactDimension: 3, contactType: 1, contactAffinity: 1 },
};

/** Contacts of dimension 4 have torsional friction, those of dimension 6 rolling friction besides. */
function turningFriction({ dimension, otherFrictions: [torsional, rolling] }: Mixed): Partial<ContactDescription> {
  return {
    ...(dimension >= 4 && torsional > 0 && { torsionalFriction: torsional }),
    ...(dimension >= 6 && rolling > 0 && { rollingFriction: rolling }),
  };
}

function shapePoints(
  dimensions: Dimensions,
  pose: Pose,
): readonly { readonly point: Vector3; readonly radius: number }[] {
  const placed = (point: Vector3, radius: number) => ({ point: posedPoint(pose, point), radius });
  switch (dimensions.kind) {
    case "sphere":
      return [placed(vector.zero, dimensions.radius > pointRadius ? dimensions.radius : 0)];
    case "capsule":
      return [-0.5, 0.5].map((z) => placed([0, 0, z * dimensions.length], dimensions.radius));
    case "box": {
      const [a, b, c] = dimensions.size;
      const signs = [-0.5, 0.5];
      return signs.flatMap((x) => signs.flatMap((y) => signs.map((z) => placed([x * a, y * b, z * c], 0))));
    }
    case "cylinder":
      return [-0.5, 0.5].flatMap((z) =>
        around(dimensions.radius, dimensions.radius).map(([x, y]) => placed([x, y, z * dimensions.length], 0)),
      );
    case "ellipsoid": {
      const { radii } = dimensions;
      const shortest = radii.indexOf(Math.min(...radii));
      const r = radii[shortest];
      const [i, j] = [(shortest + 1) % 3, (shortest + 2) % 3];
      const [p, q] = [radii[i] - r, radii[j] - r];
      const at = (u: number, v: number): Vector3 => {
        const point = [0, 0, 0];
        point[i] = u;
        point[j] = v;
        return point as unknown as Vector3;
      };
      if (Math.max(p, q) < 1e-3 * r) return [placed(vector.zero, r)];
      if (Math.min(p, q) < 1e-3 * r)
        return [-1, 0, 1].map((s) => placed(at(s * (p > q ? p : 0), s * (p > q ? 0 : q)), r));
      return around(p, q).map(([u, v]) => placed(at(u, v), r));
    }
  }
}

function around(a: number, b: number): readonly (readonly [number, number])[] {
  return Array.from({ length: RIM_POINTS }, (_, k) => {
    const angle = (2 * Math.PI * k) / RIM_POINTS;
    return [a * Math.cos(angle), b * Math.sin(angle)] as const;
  });
}

/** MuJoCo's defaults of a <pair>, which asks nothing of its geoms: sliding along two tangents, torsional, rolling about two. */
const pairFriction = [1, 1, 0.005, 0.0001, 0.0001] as const;
const pairDimension = 3;

/** What a <pair>, merged with its defaults, says of the surface between its geoms. */
export function pairSurface(element: XmlElement) {
  const given = readNumberList(element, "friction") ?? [];
  const [friction, across, torsional, rolling] = pairFriction.map((value, k) => given[k] ?? value);
  return { friction, across, torsional, rolling, dimension: readNumber(element, "condim") ?? pairDimension };
}

/** Explicit pairs, by either geom. */
function pairsOf({ document, defaults, tree, ledger }: ImportContext) {
  const pairs = new Map<MjGeom, { readonly other: MjGeom; readonly element: XmlElement }[]>();
  for (const child of document.section("contact")) {
    if (child.name === "exclude") continue;
    if (child.name !== "pair") {
      ledger.add("unknown", child, "unknown contact element; it has no effect");
      continue;
    }
    const element = defaults.merged(child, undefined);
    ledger.addAttributes(child, ["geom1", "geom2", "friction", "condim"]);
    const [one, two] = ["geom1", "geom2"].map((name) => tree.geomNames.named(element, name));
    if (one.type !== "plane" && two.type !== "plane") {
      ledger.add("not-expressible", child, between);
      continue;
    }
    for (const [geom, other] of [
      [one, two],
      [two, one],
    ]) {
      pairs.set(geom, [...(pairs.get(geom) ?? []), { other, element }]);
    }
  }
  return pairs;
}

function excludedBodies({ document, tree }: ImportContext): (a: MjBody, b: MjBody) => boolean {
  const pairs = document
    .section("contact")
    .filter(({ name }) => name === "exclude")
    .map((element) => ["body1", "body2"].map((name) => tree.bodyNames.named(element, name)));
  return (a, b) => pairs.some(([one, two]) => (one === a && two === b) || (one === b && two === a));
}
