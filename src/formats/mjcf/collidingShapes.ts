/**
 * Geoms → shapes that touch each other. Primitives keep their form, meshes become their convex hulls, planes half-spaces, height fields
 * terrain. Masks are contype and conaffinity; friction is that of the geom with the higher priority, or the larger of two; contact
 * dimensions of 4 and 6 add torsional and rolling friction. A geom of dimension 1 keeps its coefficient, which counts against one of a
 * higher dimension; two of them are a pair without friction. Bodies that a joint holds together do not touch (MuJoCo's parent filter),
 * <exclude> is by bodies, but for geoms of a <pair>, and a <pair> of geoms whose masks do not meet gets a bit of its own. A pair's friction
 * is a pair's here too.
 */
import { quaternion } from "../../math/index.ts";
import type {
  CollisionsDescription,
  Shape,
  SurfaceDescription,
  SurfacePairDescription,
} from "../../mechanism/index.ts";
import { collisionHull } from "../collisionHull.ts";
import { excludedPairs, NamePairs } from "../excludedPairs.ts";
import { composePoses, movedPose, type Pose } from "../pose.ts";
import { readNumber, type XmlElement } from "../xml.ts";
import { type ContactGeom, pairSurface } from "./contacts.ts";
import { shapeOf } from "./geoms.ts";
import { heightFieldOf } from "./heightFields.ts";
import type { ImportContext } from "./importContext.ts";
import type { Link } from "./links.ts";
import type { MjBody, MjGeom } from "./model.ts";

export interface CollidingOptions {
  /** Whether geoms collide at all. */
  readonly contacts: "collision" | "none";
  readonly floor: boolean;
  readonly contactGeoms: ((geom: ContactGeom) => boolean) | undefined;
  readonly hullVertices: number;
}

export interface CollidingShapes {
  /** Shapes of each link by name, and of the world. */
  readonly shapes: ReadonlyMap<string, readonly Shape[]>;
  readonly collisions: CollisionsDescription;
  /** Shapes of bodies that an <exclude> names, where others that are welded to them may touch. */
  readonly apart: readonly (readonly [Shape, Shape])[];
}

export function collidingShapes(context: ImportContext, options: CollidingOptions): CollidingShapes {
  const { document, tree, links, ledger } = context;
  const off = options.contacts === "none" || document.option.disabled.has("contact");
  const pairs = off ? [] : namedPairs(context);
  const paired = new Set(pairs.flatMap(({ geoms }) => geoms));
  const collides = (geom: MjGeom): boolean => {
    if (off || !(geom.contactType !== 0 || geom.contactAffinity !== 0 || paired.has(geom))) return false;
    const { name, body, type, group } = geom;
    return options.contactGeoms?.({ name, body: body.name, kind: type, group }) !== false;
  };
  const geoms = tree.bodies.flatMap(({ geoms: own }) => own);
  const colliding = geoms.filter(collides);
  const extraBits = bitsOfPairs(context, pairs, colliding);
  // where all are of dimension 1, none needs a coefficient
  const isMixed = colliding.some(({ contactDimension }) => contactDimension > 1) || options.floor;

  const shapes = new Map<string, Shape[]>();
  const solid = new Map<MjGeom, Shape>();
  const apart: [Shape, Shape][] = [];
  for (const link of links.links) {
    const own: Shape[] = [];
    for (const [body, pose] of link.members) {
      for (const geom of body.geoms) {
        const shape = collides(geom) ? touchingShape(geom, pose, link) : undefined;
        if (shape) solid.set(geom, shape);
        const shown = shape ?? (link.name === "world" ? undefined : shapeOf(geom, pose, link.center));
        if (shown) own.push(shown);
      }
    }
    shapes.set(link.name, own);
  }
  const world = shapes.get("world") as Shape[];
  const hasPlane = colliding.some(({ type }) => type === "plane");
  if (options.floor && !off && !hasPlane)
    world.push({ kind: "halfSpace", name: freeName(world), contact: floorSurface });
  return { shapes, collisions: collisionsOf(), apart };

  function touchingShape(geom: MjGeom, place: Pose, link: Link): Shape | undefined {
    const form = formOf(geom, context, options.hullVertices);
    if (!form) return undefined;
    const { position, orientation } = movedPose(composePoses(place, geom.placement), link.center);
    const turned = orientation.some((entry, i) => entry !== quaternion.identity[i]);
    const shifted = position.some((entry) => entry !== 0);
    return {
      ...form,
      ...(geom.name !== undefined && { name: geom.name }),
      ...(shifted && { position }),
      ...(turned && { orientation: quaternion.normalize(orientation) }),
      ...(geom.color !== undefined && { color: geom.color }),
      contact: surfaceOf(geom, isMixed, extraBits.get(geom)),
    };
  }

  function collisionsOf(): CollisionsDescription {
    const excluded = new NamePairs();
    const elements = document.section("contact").filter(({ name }) => name === "exclude");
    const candidates = elements.map((element): [MjBody, MjBody] => {
      const [one, two] = ["body1", "body2"].map((name) => tree.bodyNames.named(element, name));
      excluded.add(one.name, two.name);
      return [one, two];
    });
    const linkOf = ({ body }: MjGeom): string => links.place(body).link.name;
    const paired = new NamePairs();
    for (const { geoms } of pairs)
      if (geoms.every((geom) => solid.has(geom))) paired.add(linkOf(geoms[0]), linkOf(geoms[1]));
    const { exclude, partial } = excludedPairs<MjBody>({
      bodyOf: (body) => links.place(body).link.name,
      colliding: new Set([...solid.keys()].map(({ body }) => body)),
      isExcluded: (a, b) => excluded.has(a.name, b.name),
      candidates,
      // what a <pair> names is not excluded
      touches: (a, b) => paired.has(a, b),
    });
    for (const [a, b] of partial) {
      for (const own of a.geoms)
        for (const other of b.geoms) {
          const [one, two] = [solid.get(own), solid.get(other)];
          if (one && two && !isNamed(own, other)) apart.push([one, two]);
        }
    }
    const adjacent = document.option.disabled.has("filterparent");
    // carriages stand between a link and the one it hangs on
    const split = links.links.flatMap(({ name, parent, hanging }): [string, string][] =>
      !adjacent && hanging && hanging.carriages.length > 0 && parent && parent.name !== "world"
        ? [[parent.name, name]]
        : [],
    );
    const include = includedBodies();
    const given = [...givenPairs(), ...(isMixed ? smoothPairs() : [])];
    const all = [...exclude, ...split];
    return {
      combine: "max",
      ...(given.length > 0 && { pairs: given }),
      ...(adjacent && { adjacent }),
      ...(all.length > 0 && { exclude: all }),
      ...(include.length > 0 && { include }),
    };
  }

  /** Friction that pairs have of their own. */
  function givenPairs(): SurfacePairDescription[] {
    return pairs.flatMap(({ geoms: [a, b], friction }): SurfacePairDescription[] => {
      const [one, two] = [links.place(a.body).link.name, links.place(b.body).link.name];
      if (!solid.has(a) || !solid.has(b) || one === two) return [];
      return [{ bodies: [one, two], shapes: [a.name as string, b.name as string], ...friction }];
    });
  }

  function isNamed(a: MjGeom, b: MjGeom): boolean {
    return pairs.some(({ geoms: both }) => both.includes(a) && both.includes(b));
  }

  /** Pairs of geoms that may touch and have no friction: both of dimension 1, or the one with the higher priority. */
  function smoothPairs(): SurfacePairDescription[] {
    const all = [...solid.keys()];
    if (!all.some(({ contactDimension }) => contactDimension === 1)) return [];
    return all.flatMap((a, i) =>
      all.slice(i + 1).flatMap((b): SurfacePairDescription[] => {
        const [one, two] = [links.place(a.body).link.name, links.place(b.body).link.name];
        const priority = a.priority - b.priority;
        const isSmooth = (priority < 0 || a.contactDimension === 1) && (priority > 0 || b.contactDimension === 1);
        const meet = (a.contactType & b.contactAffinity) | (b.contactType & a.contactAffinity);
        if (!isSmooth || meet === 0 || one === two || isNamed(a, b)) return [];
        return [{ bodies: [one, two], shapes: [nameIn(one, a), nameIn(two, b)], frictionCoefficient: 0 }];
      }),
    );
  }

  /** What a shape is called, or counted as, among those of its link. */
  function nameIn(link: string, geom: MjGeom): string {
    return geom.name ?? `shape${(shapes.get(link) as Shape[]).indexOf(solid.get(geom) as Shape)}`;
  }

  /** Bodies that a joint holds together touch where a <pair> says so. */
  function includedBodies(): [string, string][] {
    const found = new NamePairs();
    return pairs.flatMap(({ geoms: [a, b], element }): [string, string][] => {
      const [one, two] = [links.place(a.body).link, links.place(b.body).link];
      const isJoined = (one.parent === two || two.parent === one) && one.name !== "world" && two.name !== "world";
      if (!isJoined || found.has(one.name, two.name)) return [];
      found.add(one.name, two.name);
      const count = [...solid.keys()].filter(({ body }) => [one, two].includes(links.place(body).link)).length;
      if (count > 2)
        ledger.add("adjusted", element, `all geoms of "${one.name}" and "${two.name}" may touch each other`);
      return [[one.name, two.name]];
    });
  }
}

/** MuJoCo's default plane. */
const floorSurface: SurfaceDescription = { frictionCoefficient: 1 };

function freeName(shapes: readonly Shape[]): string {
  let name = "floor";
  while (shapes.some((shape) => shape.name === name)) name += "_";
  return name;
}

/** Undefined, with a warning, for what cannot collide. */
function formOf(geom: MjGeom, context: ImportContext, hullVertices: number): Shape | undefined {
  const { ledger } = context;
  if (geom.dimensions) return geom.dimensions;
  switch (geom.type) {
    case "plane":
      return { kind: "halfSpace" };
    case "hfield":
      return heightFieldOf(geom, context);
    case "mesh": {
      if (!geom.mesh) {
        ledger.add("not-expressible", geom.element, "a mesh whose file is not read does not collide");
        return undefined;
      }
      const asked = readNumber(geom.mesh.element, "maxhullvert") ?? -1;
      const { points, remark } = collisionHull(
        geom.mesh.mesh,
        asked >= 4 ? Math.min(asked, hullVertices) : hullVertices,
      );
      if (remark !== undefined) ledger.add(points ? "adjusted" : "not-expressible", geom.element, `its mesh ${remark}`);
      return points && { kind: "hull", points };
    }
    default:
      ledger.add("not-expressible", geom.element, `a ${geom.type} does not collide here`);
      return undefined;
  }
}

function surfaceOf(geom: MjGeom, isMixed: boolean, bits: PairBits = { group: 0, mask: 0 }): SurfaceDescription {
  const { contactDimension: dimension, friction, otherFrictions } = geom;
  const [torsional, rolling] = otherFrictions;
  const [group, mask] = [(geom.contactType | bits.group) >>> 0, (geom.contactAffinity | bits.mask) >>> 0];
  return {
    frictionCoefficient: dimension === 1 && !isMixed ? 0 : friction,
    ...(dimension >= 4 && torsional > 0 && { torsionalFriction: torsional }),
    ...(dimension >= 6 && rolling > 0 && { rollingFriction: rolling }),
    ...(geom.priority !== 0 && { priority: geom.priority }),
    ...(group !== 1 && { group }),
    ...(mask !== 1 && { mask }),
  };
}

interface NamedPair {
  readonly geoms: readonly [MjGeom, MjGeom];
  readonly element: XmlElement;
  readonly friction: Pick<SurfacePairDescription, "frictionCoefficient" | "torsionalFriction" | "rollingFriction">;
}

interface PairBits {
  group: number;
  mask: number;
}

function namedPairs({ document, defaults, tree, ledger }: ImportContext): NamedPair[] {
  return document.section("contact").flatMap((child): NamedPair[] => {
    if (child.name === "exclude") return [];
    if (child.name !== "pair") {
      ledger.add("unknown", child, "unknown contact element; it has no effect");
      return [];
    }
    const element = defaults.merged(child, undefined);
    ledger.addAttributes(child, ["geom1", "geom2", "friction", "condim"]);
    const [one, two] = ["geom1", "geom2"].map((name) => tree.geomNames.named(element, name));
    const { friction, across, torsional, rolling, dimension } = pairSurface(element);
    if (dimension >= 3 && across !== friction) {
      const message = `friction ${friction} and ${across} along the two tangents: the first counts for both`;
      ledger.add("adjusted", child, message);
    }
    return [
      {
        ...{ geoms: [one, two], element: child },
        friction: {
          frictionCoefficient: dimension === 1 ? 0 : friction,
          torsionalFriction: dimension >= 4 ? torsional : 0,
          rollingFriction: dimension >= 6 ? rolling : 0,
        },
      },
    ];
  });
}

/** A bit for each first geom of pairs whose masks do not meet: in its group, and in the masks of the others. */
function bitsOfPairs(
  { ledger }: ImportContext,
  pairs: readonly NamedPair[],
  colliding: readonly MjGeom[],
): Map<MjGeom, PairBits> {
  const bits = new Map<MjGeom, PairBits>();
  const bitsOf = (geom: MjGeom): PairBits => {
    const own = bits.get(geom) ?? { group: 0, mask: 0 };
    bits.set(geom, own);
    return own;
  };
  let used = colliding.reduce((all, geom) => all | geom.contactType | geom.contactAffinity, 0);
  const bitOf = new Map<MjGeom, number>();
  const partners = (geom: MjGeom): number => pairs.filter(({ geoms }) => geoms.includes(geom)).length;
  for (const { geoms, element } of pairs) {
    const [a, b] = geoms;
    if ((a.contactType & b.contactAffinity) !== 0 || (b.contactType & a.contactAffinity) !== 0) continue;
    // the one with more partners has the bit
    const [host, guest] = bitOf.has(b) || (!bitOf.has(a) && partners(b) > partners(a)) ? [b, a] : [a, b];
    let bit = bitOf.get(host);
    if (bit === undefined) {
      const free = Array.from({ length: 32 }, (_, k) => 1 << k).find((one) => (used & one) === 0);
      if (free === undefined) {
        ledger.add("not-expressible", element, "left out: there are more pairs than the bits of masks");
        continue;
      }
      bit = free;
      used |= bit;
      bitOf.set(host, bit);
      bitsOf(host).group |= bit;
    }
    bitsOf(guest).mask |= bit;
  }
  return bits;
}
