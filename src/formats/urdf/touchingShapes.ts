/** How collision geometry becomes a part of a description whose shapes touch: the options, the floor, and what is kept apart. */
import type { BodyDescription, MechanismDescription, Shape } from "../../mechanism/index.ts";
import { HULL_VERTICES } from "../collisionHull.ts";
import { withoutOverlaps } from "../overlaps.ts";
import type { Pose } from "../pose.ts";
import type { WarningList } from "../xml.ts";
import { collidingShapes, disabledPairs } from "./collidingShapes.ts";
import type { MeshReader } from "./collisionPoints.ts";
import { flooredShape } from "./initialState.ts";
import type { LinkGroup } from "./mergeLinks.ts";
import { readSrdf } from "./srdf.ts";
import type { LinkFrame, UrdfModel } from "./urdfModel.ts";

/** What of the importer's options is about collisions. */
export interface TouchingOptions {
  /**
   * "floor": collision shapes get contact points against the floor. "shapes": they touch each other, the floor and what is fixed in
   * the world, meshes as their convex hulls. Default "floor".
   */
  readonly collisions?: "floor" | "shapes";
  readonly floor?: {
    /** Whether collision shapes touch the floor. Default "collision". */
    readonly contacts?: "collision" | "none";
    /** Default 0.8. */
    readonly frictionCoefficient?: number;
    /** Default 0. */
    readonly height?: number;
  };
  /** Text of an SRDF file, whose disabled pairs of links do not touch; with collisions: "shapes". Default none. */
  readonly srdf?: string;
  /** Its name, for messages. Default "srdf". */
  readonly srdfName?: string;
  /** Most corners of a mesh's hull, with collisions: "shapes". Default 64. */
  readonly hullVertices?: number;
  /** Vertices of a mesh by the file name that the URDF gives, `parseMesh` of its content say. Default none. */
  readonly readMesh?: MeshReader;
}

const noBitsLeft =
  "some pairs that the SRDF file disables may touch: other links that are fixed to theirs may, and masks have no bits left";

/** Shapes of bodies and of the world, the floor among them, and which bodies do not touch. */
export function touchingShapes(
  model: UrdfModel,
  groups: readonly LinkGroup[],
  frames: ReadonlyMap<string, LinkFrame>,
  options: TouchingOptions,
  warnings: WarningList,
) {
  const { contacts = "collision", frictionCoefficient, height = 0 } = options.floor ?? {};
  const surface = frictionCoefficient === undefined ? true : { frictionCoefficient };
  const { shapes, ofLink } = collidingShapes(
    groups,
    frames,
    { readMesh: options.readMesh, hullVertices: options.hullVertices ?? HULL_VERTICES, surface },
    warnings,
  );
  const floor: Shape = {
    kind: "halfSpace",
    name: "floor",
    ...(height !== 0 && { position: [0, 0, height] }),
    contact: surface,
  };
  const world = [...(shapes.get("world") ?? []), ...(contacts === "collision" ? [floor] : [])];
  const { exclude, apart } =
    options.srdf === undefined
      ? { exclude: [], apart: [] }
      : disabledPairs(readSrdf(options.srdf, options.srdfName ?? "srdf", model.links, warnings), frames, ofLink);
  const onBodies = [...shapes].filter(([body]) => body !== "world");
  const solids = onBodies.flatMap(([body, own]) =>
    own.filter(({ contact }) => contact).map((shape) => ({ body, shape })),
  );
  return {
    world: {
      ...(world.length > 0 && { shapes: world }),
      ...(exclude.length > 0 && { collisions: { exclude } }),
    },
    floored: contacts === "collision" ? solids.map(({ body, shape }) => flooredShape(body, shape, height)) : [],
    /** Links that overlap at the start do not touch, nor do those that an SRDF file names. */
    separated: (description: MechanismDescription, poses: ReadonlyMap<string, Pose>): MechanismDescription => {
      const { description: changed, message, left } = withoutOverlaps(description, (body) => poses.get(body), apart);
      if (message !== undefined) warnings.add("adjusted", model.element, message);
      if (left > 0) warnings.add("not-expressible", model.element, noBitsLeft);
      return changed;
    },
    withShapes: (bodies: ReadonlyMap<string, BodyDescription>): Record<string, BodyDescription> =>
      Object.fromEntries(
        [...bodies].map(([name, body]) => {
          const own = shapes.get(name) ?? [];
          return [name, own.length > 0 ? { ...body, shapes: own } : body];
        }),
      ),
  };
}
