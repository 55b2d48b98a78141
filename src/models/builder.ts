/**
 * Robots are published in link frames: a link's frame sits at its joint, and its centre of mass, its inertia's own frame, its
 * shapes and contact points are given in it. A description's body frame sits at the centre of mass c. It keeps the link's
 * directions here, so that with a joint frame at p in the parent link, turned by R:
 *   parentAnchor = p + R s − c_parent    childAnchor = s − c_child    axis in the parent = R axis    orientation = R
 * where s is the joint's pivot in the child link, the origin unless said otherwise. Of two hinges that pass each other at a
 * distance, s is on the second, and the parent's anchor is on the first.
 */
import { matrix3, quaternion, vector } from "../math/index.ts";
import {
  type BodyDescription,
  bodyFromShapes,
  type ContactDescription,
  type JointDescription,
  type Matrix3,
  type MechanismDescription,
  type Part,
  type Quaternion,
  type Shape,
  type Vector3,
} from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { bouncing, type FloorOptions } from "./options.ts";

/** A sphere that touches the floor, in the link's frame. */
export interface ContactSpot {
  readonly name: string;
  readonly point: Vector3;
  /** Default 0, a point. */
  readonly radius?: number;
}

export interface Link {
  readonly mass: number;
  /** Centre of mass in the link's frame. Default its origin. */
  readonly center?: Vector3;
  /** Inertia about the centre of mass, in its own frame: a matrix, or its diagonal. */
  readonly inertia: Matrix3 | Vector3;
  /** The inertia's own frame in the link. Default the link's directions. */
  readonly inertiaFrame?: Quaternion;
  /** Shapes in the link's frame. */
  readonly shapes?: readonly Shape[];
  readonly spots?: readonly ContactSpot[];
}

/** A joint between link frames; its axes are those of the child link. */
export interface LinkJoint extends Omit<JointDescription, "parentAnchor" | "childAnchor"> {
  /** The child link's origin in the parent link, at zero coordinates. Default the parent's origin. */
  readonly position?: Vector3;
  /** The point about which the child turns, in the child link. Default its origin. With `axisOffset`, that of the second hinge. */
  readonly pivot?: Vector3;
}

export interface Robot {
  readonly links: Readonly<Record<string, Link>>;
  /** Parents come before their children. */
  readonly joints: Readonly<Record<string, LinkJoint>>;
}

export interface LinkPose {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

/** Fixed-axis roll, pitch and yaw, as robot files give them. */
export function rollPitchYaw(roll: number, pitch: number, yaw: number): Quaternion {
  const about = (axis: Vector3, angle: number): Quaternion => quaternion.fromAxisAngle(axis, angle);
  const tilt = quaternion.multiply(about(vector.unitY, pitch), about(vector.unitX, roll));
  return quaternion.multiply(about(vector.unitZ, yaw), tilt);
}

/** Symmetric matrix from the six numbers that robot files give, in their order. */
export function inertiaOf(xx: number, xy: number, xz: number, yy: number, yz: number, zz: number): Matrix3 {
  return [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
}

/** Bodies, joints and contacts of a robot, moved from link frames to centres of mass. */
export function assemble(
  robot: Robot,
  options: FloorOptions & { readonly frictionCoefficient: number },
): Pick<MechanismDescription, "bodies" | "joints" | "contacts"> {
  const { floor = true, frictionCoefficient } = options;
  const centerOf = (name: string): Vector3 => robot.links[name]?.center ?? vector.zero;
  const joints = Object.entries(robot.joints).map(([name, joint]) => [
    name,
    assembleJoint(joint, centerOf(joint.parent), centerOf(joint.child)),
  ]);
  const contacts = Object.entries(robot.links).flatMap(([body, { center = vector.zero, spots = [] }]) =>
    spots.map(({ name, point, radius = 0 }): ContactDescription => {
      const where = { name, body, point: vector.sub(point, center), radius };
      return { ...where, model: "cone", frictionCoefficient, ...bouncing(options) };
    }),
  );
  return {
    bodies: Object.fromEntries(Object.entries(robot.links).map(([name, link]) => [name, assembleBody(link)])),
    joints: Object.fromEntries(joints),
    contacts: floor ? contacts : [],
  };
}

function assembleBody(link: Link): BodyDescription {
  const { center = vector.zero, shapes = [] } = link;
  return {
    mass: link.mass,
    inertia: inertiaInLink(link),
    shapes: shapes.map((shape) => ({ ...shape, position: vector.sub(shape.position ?? vector.zero, center) })),
  };
}

/** The pivot of the first hinge: the second's, less the offset along the common perpendicular. */
export function firstPivot({ pivot = vector.zero, axes, axisOffset }: LinkJoint): Vector3 {
  if (!axisOffset || !axes) return pivot;
  return vector.sub(pivot, vector.scale(vector.normalize(vector.cross(axes[0], axes[1])), axisOffset));
}

function assembleJoint(joint: LinkJoint, parentCenter: Vector3, childCenter: Vector3): JointDescription {
  const { position = vector.zero, pivot = vector.zero, axis, axes, ...rest } = joint;
  const orientation = joint.orientation ?? quaternion.identity;
  const inParent = (v: Vector3): Vector3 => quaternion.rotate(orientation, vector.normalize(v));
  return {
    ...rest,
    parentAnchor: vector.sub(vector.add(position, quaternion.rotate(orientation, firstPivot(joint))), parentCenter),
    childAnchor: vector.sub(pivot, childCenter),
    ...(axis && { axis: inParent(axis) }),
    ...(axes && { axes: axes.map(inParent) }),
  };
}

/**
 * The nearest inertia that a body can have, for published figures that are rounded or guessed. Principal moments a ≤ b ≤ c must
 * not exceed c ≤ a + b: where they do, a and b grow and c shrinks by the fraction (c − a − b)/(a + b + c), the least that helps.
 */
export function nearestInertia(inertia: Matrix3): Matrix3 {
  const { values, vectors } = matrix3.symmetricEigen(inertia);
  const [a, b, c] = values;
  if (c <= a + b) return inertia;
  const grown = 1 + (c - a - b) / (a + b + c);
  const moments = matrix3.diagonal(grown * a, grown * b, grown * (a + b));
  return matrix3.rotateInertia(moments, quaternion.fromMatrix(vectors));
}

function inertiaInLink({ inertia, inertiaFrame }: Link): Matrix3 {
  const matrix = isMatrix(inertia) ? inertia : matrix3.diagonal(...inertia);
  return inertiaFrame ? matrix3.rotateInertia(matrix, inertiaFrame) : matrix;
}

function isMatrix(inertia: Matrix3 | Vector3): inertia is Matrix3 {
  return typeof inertia[0] !== "number";
}

/** One link of several that are fixed to each other, each placed in the frame of the whole. */
export function merge(parts: readonly (Link & Partial<LinkPose>)[]): Link {
  const placed = parts.map((part) => {
    const { position = vector.zero, orientation = quaternion.identity } = part;
    const outside = (point: Vector3): Vector3 => vector.add(position, quaternion.rotate(orientation, point));
    return { part, orientation, outside, center: outside(part.center ?? vector.zero) };
  });
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  const center = placed.reduce(
    (sum, { part, center: c }) => vector.add(sum, vector.scale(c, part.mass / mass)),
    vector.zero,
  );

  // Steiner: inertias about the common centre add up
  let inertia = matrix3.diagonal(0, 0, 0);
  for (const { part, orientation, center: c } of placed) {
    const turned = matrix3.rotateInertia(inertiaInLink(part), orientation);
    inertia = matrix3.add(inertia, matrix3.parallelAxis(turned, part.mass, vector.sub(c, center)));
  }
  return {
    mass,
    center,
    inertia,
    shapes: placed.flatMap(({ part, orientation, outside }) =>
      (part.shapes ?? []).map((shape) => ({
        ...shape,
        position: outside(shape.position ?? vector.zero),
        orientation: quaternion.multiply(orientation, shape.orientation ?? quaternion.identity),
      })),
    ),
    spots: placed.flatMap(({ part, outside }) =>
      (part.spots ?? []).map((spot) => ({ ...spot, point: outside(spot.point) })),
    ),
  };
}

/** A link whose mass and inertia follow from its shapes. */
export function linkFromShapes(parts: readonly Part[], spots: readonly ContactSpot[] = []): Link {
  const { body, centerOfMass: center } = bodyFromShapes(parts);
  const { mass, inertia, shapes = [] } = body;
  const back = shapes.map((shape) => ({ ...shape, position: vector.add(shape.position ?? vector.zero, center) }));
  return { mass, center, inertia, shapes: back, spots };
}

type Limb = { readonly position: Vector3; readonly orientation: Quaternion; readonly length: number };

/** Placement of a capsule or cylinder whose ends are at `from` and `to`. */
export function between(from: Vector3, to: Vector3): Limb {
  const along = vector.sub(to, from);
  return {
    position: vector.scale(vector.add(from, to), 0.5),
    orientation: quaternion.betweenVectors(vector.unitZ, along),
    length: vector.norm(along),
  };
}

/** A capsule from one end of its axis to the other. */
export function tube(radius: number, from: Vector3, to: Vector3, color: string = colors.white): Shape {
  return { kind: "capsule", radius, ...between(from, to), color };
}
