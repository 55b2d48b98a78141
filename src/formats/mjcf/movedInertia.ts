/**
 * What joints move when the mechanism is as the file draws it: the mass matrix over the degrees of freedom i, which move the centre c and
 * the inertia I of link k by
 *   slide: v = a, ω = 0        hinge: v = a × (c − p), ω = a        M = Σ_k m v vᵀ + ωᵀ I ω, with the armature on its diagonal,
 * and springs that a file gives by a time constant τ and a damping ratio ζ. Their inertia is that against which a force on the joint alone
 * works, 1 / (M⁻¹)ᵢᵢ, for balls and free joints with the mean of (M⁻¹)ᵢᵢ:
 *   stiffness = inertia / (τ ζ)²        damping = 2 inertia / τ
 */
import { cholesky, choleskySolve, matrix3, quaternion, vector } from "../../math/index.ts";
import type { Matrix3, Vector3 } from "../../mechanism/index.ts";
import { posedPoint } from "../pose.ts";
import { elementError } from "../xml.ts";
import type { Link, LinkTable } from "./links.ts";
import type { MjBody, MjJoint, MjTree } from "./model.ts";

/** The inertia that a hinge or slide moves: its entry on the diagonal. */
export function movedInertia(links: LinkTable, joint: MjJoint): number {
  const [freedom] = freedomsOf(joint);
  return joint.armature + sharedInertia(movedLinks(links), freedom, freedom);
}

/** Stiffness and damping of joints with a `springdamper`. */
export function springsOfTimeConstants(tree: MjTree, links: LinkTable): void {
  const wanted = tree.joints.filter(({ springDamper }) => springDamper !== undefined);
  if (wanted.length === 0) return;
  const freedoms = tree.joints.flatMap(freedomsOf);
  const n = freedoms.length;
  const moved = movedLinks(links);
  const factor = new Float64Array(n * n);
  freedoms.forEach((one, i) => {
    freedoms.forEach((other, j) => {
      factor[i * n + j] = sharedInertia(moved, one, other) + (i === j ? one.joint.armature : 0);
    });
  });
  if (cholesky(factor, n) >= 0) {
    throw elementError(
      wanted[0].element,
      "springdamper: some joints of the file move the same; give stiffness and damping",
    );
  }
  const inverse = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  choleskySolve(factor, inverse, n, n);
  for (const joint of wanted) {
    const [timeConstant, dampingRatio] = joint.springDamper as readonly [number, number];
    const own = freedoms.flatMap((freedom, i) => (freedom.joint === joint ? [inverse[i * n + i]] : []));
    const inertia = own.length / own.reduce((sum, value) => sum + value, 0);
    joint.stiffness = inertia / (timeConstant * dampingRatio) ** 2;
    joint.damping = (2 * inertia) / timeConstant;
  }
}

/** A degree of freedom in the world's directions, as the file draws it. */
interface Freedom {
  readonly joint: MjJoint;
  readonly axis: Vector3;
  /** A point on the axis; undefined for a slide. */
  readonly point: Vector3 | undefined;
}

function freedomsOf(joint: MjJoint): Freedom[] {
  const { world } = joint.body;
  const point = posedPoint(world, joint.position);
  const turned = (axis: Vector3): Vector3 => quaternion.rotate(world.orientation, axis);
  const axes = [vector.unitX, vector.unitY, vector.unitZ];
  const turns = (at: Vector3): Freedom[] => axes.map((axis) => ({ joint, axis: turned(axis), point: at }));
  if (joint.type === "ball") return turns(point);
  // a free joint turns its body about the origin of its frame
  if (joint.type === "free")
    return [...axes.map((axis) => ({ joint, axis, point: undefined })), ...turns(world.position)];
  return [{ joint, axis: turned(joint.axis), point: joint.type === "slide" ? undefined : point }];
}

interface MovedLink {
  readonly mass: number;
  readonly center: Vector3;
  readonly inertia: Matrix3;
  /** Whose joints move it. */
  readonly above: ReadonlySet<MjBody>;
}

function movedLinks({ links }: LinkTable): MovedLink[] {
  return links.flatMap(({ root, parent, whole }) => {
    if (!whole) return [];
    const above = new Set([root]);
    for (let link: Link | undefined = parent; link; link = link.parent) above.add(link.root);
    const inertia = matrix3.rotateInertia(whole.inertia, root.world.orientation);
    return [{ mass: whole.mass, center: posedPoint(root.world, whole.center), inertia, above }];
  });
}

/** An entry of the mass matrix. */
function sharedInertia(links: readonly MovedLink[], one: Freedom, other: Freedom): number {
  let sum = 0;
  for (const { mass, center, inertia, above } of links) {
    if (!above.has(one.joint.body) || !above.has(other.joint.body)) continue;
    sum += mass * vector.dot(velocityOf(one, center), velocityOf(other, center));
    if (one.point && other.point) sum += vector.dot(one.axis, matrix3.transform(inertia, other.axis));
  }
  return sum;
}

function velocityOf({ axis, point }: Freedom, center: Vector3): Vector3 {
  return point ? vector.cross(axis, vector.sub(center, point)) : axis;
}
