/**
 * Contact points of a body's shapes, in the body's frame: what to hand to `frictionContact`. Each function reads the
 * first shape of its kind and throws when the body has none.
 */
import { quaternion, vector } from "../math/index.ts";
import type { BodyDescription, Shape, Vector3 } from "./description.ts";

/** Centre and radius of a contact sphere. */
export interface ContactSphere {
  readonly point: Vector3;
  readonly radius: number;
}

/** The eight corners of the body's first box: −x −y −z first, z changing fastest. */
export function boxCorners(body: BodyDescription): Vector3[] {
  const shape = firstShape(body, "box", "boxCorners");
  const corners: Vector3[] = [];
  for (const x of [-0.5, 0.5]) {
    for (const y of [-0.5, 0.5]) {
      for (const z of [-0.5, 0.5]) {
        corners.push(inBody(shape, [x * shape.size[0], y * shape.size[1], z * shape.size[2]]));
      }
    }
  }
  return corners;
}

/** The two round ends of the body's first capsule, −z first. */
export function capsuleEnds(body: BodyDescription): ContactSphere[] {
  const shape = firstShape(body, "capsule", "capsuleEnds");
  return [-0.5, 0.5].map((z) => ({ point: inBody(shape, [0, 0, z * shape.length]), radius: shape.radius }));
}

/** The body's first sphere. */
export function sphereContact(body: BodyDescription): ContactSphere {
  const shape = firstShape(body, "sphere", "sphereContact");
  return { point: inBody(shape, vector.zero), radius: shape.radius };
}

function firstShape<K extends Shape["kind"]>(
  body: BodyDescription,
  kind: K,
  caller: string,
): Extract<Shape, { kind: K }> {
  const shapes = body.shapes ?? [];
  const found = shapes.find((shape): shape is Extract<Shape, { kind: K }> => shape.kind === kind);
  if (!found) {
    const have = shapes.length ? shapes.map((shape) => shape.kind).join(", ") : "no shapes";
    throw new Error(
      `${caller}: the body has no ${kind} (have: ${have}); give it one, or list the contact points yourself`,
    );
  }
  return found;
}

function inBody(shape: Shape, point: Vector3): Vector3 {
  const turned = shape.orientation ? quaternion.rotate(shape.orientation, point) : point;
  return shape.position ? vector.add(turned, shape.position) : turned;
}
