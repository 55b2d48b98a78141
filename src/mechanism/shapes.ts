/**
 * Bodies from shapes. Every shape is solid and of even density; its inertia is about its centre, in its own frame:
 *   box       m/12 (b² + c²), …
 *   ellipsoid m/5 (b² + c²), …                      (a sphere is one: 2/5 m r²)
 *   cylinder  m (r²/4 + l²/12) across, m r²/2 along
 *   capsule   a cylinder and two half spheres, whose masses go by volume; across
 *             m_c (r²/4 + l²/12) + m_s (2/5 r² + l²/4 + 3/8 l r)
 * Nothing is checked here: `compile` reports a bad mass or size with its path.
 */
import { matrix3, quaternion, vector } from "../math/index.ts";
import type {
  BodyDescription,
  Matrix3,
  PrimitiveShape,
  Quaternion,
  Shape,
  ShapePlacement,
  SurfaceDescription,
  Vector3,
} from "./description.ts";
import { optionNamesOf, requireOptionNames } from "./optionNames.ts";

/** What all one-shape bodies take. */
export interface SolidOptions {
  readonly mass: number;
  /** CSS colour for viewers. */
  readonly color?: string;
  /** Turns the shape in its body, for a capsule that is to lie along x, say. Default identity. */
  readonly orientation?: Quaternion;
  /** Whether the shape touches others, and with what surface. Default false. */
  readonly contact?: boolean | SurfaceDescription;
}

const solidOptionNames = optionNamesOf<SolidOptions>()("mass color orientation contact");

/** Dimensions of one kind of shape, without its placement. */
type Dimensions<K extends Shape["kind"]> =
  Extract<Shape, { kind: K }> extends infer S ? Omit<S, "kind" | keyof ShapePlacement> : never;

/** A cuboid with edges `size` along x, y, z. */
export function box(options: SolidOptions & Dimensions<"box">): BodyDescription {
  return solid({ kind: "box", size: options.size }, options);
}

export function sphere(options: SolidOptions & Dimensions<"sphere">): BodyDescription {
  return solid({ kind: "sphere", radius: options.radius }, options);
}

/** A capsule along z; `length` is between the centres of the two round ends. */
export function capsule(options: SolidOptions & Dimensions<"capsule">): BodyDescription {
  return solid({ kind: "capsule", radius: options.radius, length: options.length }, options);
}

/** A cylinder along z. */
export function cylinder(options: SolidOptions & Dimensions<"cylinder">): BodyDescription {
  return solid({ kind: "cylinder", radius: options.radius, length: options.length }, options);
}

export function ellipsoid(options: SolidOptions & Dimensions<"ellipsoid">): BodyDescription {
  return solid({ kind: "ellipsoid", radii: options.radii }, options);
}

/** A body whose mass and inertia are known; shapes are for show and for contact points. */
export function customBody(options: {
  readonly mass: number;
  /** Inertia about the centre of mass, in the body frame: a matrix, or its diagonal. */
  readonly inertia: Matrix3 | Vector3;
  readonly shapes?: readonly Shape[];
}): BodyDescription {
  const { mass, inertia, shapes } = options;
  const matrix = isDiagonal(inertia) ? matrix3.diagonal(inertia[0], inertia[1], inertia[2]) : inertia;
  return { mass, inertia: matrix, ...(shapes && { shapes }) };
}

/** A shape with its share of a body: a mass in kg or a density in kg/m³. */
export type Part = PrimitiveShape & ({ readonly mass: number } | { readonly density: number });

/**
 * One rigid body of several shapes, placed in any common frame. The body's own frame has the same directions and its
 * origin at `centerOfMass`: subtract that from points known in the common frame, anchors for instance.
 */
export function bodyFromShapes(parts: readonly Part[]): {
  readonly body: BodyDescription;
  readonly centerOfMass: Vector3;
} {
  const masses = parts.map((part) => ("mass" in part ? part.mass : part.density * volume(part)));
  const mass = masses.reduce((sum, m) => sum + m, 0);
  let centerOfMass: Vector3 = vector.zero;
  for (const [i, part] of parts.entries()) {
    centerOfMass = vector.add(centerOfMass, vector.scale(part.position ?? vector.zero, masses[i] / mass));
  }

  // sum the inertias about the common centre, and move the shapes with it
  let inertia = matrix3.diagonal(0, 0, 0);
  const shapes: Shape[] = [];
  for (const [i, part] of parts.entries()) {
    const position = vector.sub(part.position ?? vector.zero, centerOfMass);
    const turned = matrix3.rotateInertia(shapeInertia(part, masses[i]), part.orientation ?? quaternion.identity);
    inertia = matrix3.add(inertia, matrix3.parallelAxis(turned, masses[i], position));
    shapes.push({ ...withoutShare(part), position });
  }
  return { body: { mass, inertia, shapes }, centerOfMass };
}

/** Whether a shape is one of those with closed forms of their volume. */
export function isPrimitive(shape: Shape): shape is PrimitiveShape {
  return shape.kind !== "hull" && shape.kind !== "halfSpace" && shape.kind !== "heightField";
}

export function volume(shape: PrimitiveShape): number {
  switch (shape.kind) {
    case "box":
      return shape.size[0] * shape.size[1] * shape.size[2];
    case "sphere":
      return (4 / 3) * Math.PI * shape.radius ** 3;
    case "ellipsoid":
      return (4 / 3) * Math.PI * shape.radii[0] * shape.radii[1] * shape.radii[2];
    case "cylinder":
      return Math.PI * shape.radius ** 2 * shape.length;
    case "capsule":
      return Math.PI * shape.radius ** 2 * (shape.length + (4 / 3) * shape.radius);
  }
}

/** Inertia about the shape's centre, in its own frame. */
export function shapeInertia(shape: PrimitiveShape, mass: number): Matrix3 {
  switch (shape.kind) {
    case "box":
      return fromSquares(shape.size, mass / 12);
    case "sphere":
      return fromSquares([shape.radius, shape.radius, shape.radius], mass / 5);
    case "ellipsoid":
      return fromSquares(shape.radii, mass / 5);
    case "cylinder": {
      const { radius: r, length: l } = shape;
      const across = mass * (r ** 2 / 4 + l ** 2 / 12);
      return matrix3.diagonal(across, across, (mass * r ** 2) / 2);
    }
    case "capsule": {
      const { radius: r, length: l } = shape;
      const ends = (mass * (4 / 3) * r) / (l + (4 / 3) * r);
      const middle = mass - ends;
      const across = middle * (r ** 2 / 4 + l ** 2 / 12) + ends * (0.4 * r ** 2 + l ** 2 / 4 + (3 / 8) * l * r);
      return matrix3.diagonal(across, across, (middle * r ** 2) / 2 + ends * 0.4 * r ** 2);
    }
  }
}

function fromSquares([a, b, c]: Vector3, factor: number): Matrix3 {
  return matrix3.diagonal(factor * (b * b + c * c), factor * (c * c + a * a), factor * (a * a + b * b));
}

function solid(shape: PrimitiveShape, options: SolidOptions): BodyDescription {
  const { kind, ...dimensions } = shape;
  requireOptionNames(kind, options, { ...solidOptionNames, ...dimensions });
  const { mass, color, orientation, contact } = options;
  const inertia = shapeInertia(shape, mass);
  const placed: Shape = {
    ...shape,
    ...(orientation && { orientation }),
    ...(color !== undefined && { color }),
    ...(contact !== undefined && { contact }),
  };
  return { mass, inertia: orientation ? matrix3.rotateInertia(inertia, orientation) : inertia, shapes: [placed] };
}

function isDiagonal(inertia: Matrix3 | Vector3): inertia is Vector3 {
  return typeof inertia[0] === "number";
}

function withoutShare(part: Part): Shape {
  const shape: Record<string, unknown> = { ...part };
  delete shape.mass;
  delete shape.density;
  return shape as unknown as Shape;
}
