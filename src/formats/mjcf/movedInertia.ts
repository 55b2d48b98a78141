/**
 * Inertias that joints move when the mechanism is as the file draws it: the mass matrix over the degrees of freedom i of a tree, which
 * move the centre c and the inertia I of link k by
 *   slide: v = a, ω = 0        hinge: v = a × (c − p), ω = a        M = Σ_k m v vᵀ + ωᵀ I ω, with the armature on its diagonal.
 * There are two inertias of a joint. Coupled: 1 / (M⁻¹)ᵢᵢ, against which a force on the joint works while all others give way. Alone: Mᵢᵢ,
 * while all others are held. Springs that a file gives by a time constant τ and a damping ratio ζ take the coupled one, balls and
 * free joints with the mean of (M⁻¹)ᵢᵢ:
 *   stiffness = inertia / (τ ζ)²        damping = 2 inertia / τ
 */
import { cholesky, choleskySolve, matrix3, quaternion, vector } from "../../math/index.ts";
import type { Matrix3, Vector3 } from "../../mechanism/index.ts";
import { posedPoint } from "../pose.ts";
import { elementError } from "../xml.ts";
import type { Link, LinkTable } from "./links.ts";
import type { MjBody, MjJoint, MjTree } from "./model.ts";

/** Inertia that a damping ratio of a servo goes by. */
export type DampingRatioMass = "coupled" | "alone";

/** Inertias by joint; matrices are made for the trees that are asked for. */
export class MovedInertias {
  readonly #tree: MjTree;
  readonly #links: LinkTable;
  readonly #inverses = new Map<MjBody, InverseMass | undefined>();

  constructor(tree: MjTree, links: LinkTable) {
    this.#tree = tree;
    this.#links = links;
  }

  /** The diagonal entry of a hinge or slide. */
  alone(joint: MjJoint): number {
    const [freedom] = freedomsOf(joint);
    const moved = movedLinks(this.#links).filter(({ above }) => above.has(joint.body));
    return joint.armature + sharedInertia(moved, freedom, freedom);
  }

  /** Coordinate of this combination of hinges and slides that a unit force along it gives: wᵀ M⁻¹ w; undefined where M is singular. */
  compliance(weights: ReadonlyMap<MjJoint, number>): number | undefined {
    let sum = 0;
    for (const [one, a] of weights) {
      const inverse = this.#inverseOf(one);
      if (!inverse) return undefined;
      for (const [other, b] of weights) {
        if (topOf(one.body) === topOf(other.body)) sum += a * b * inverse.entry(one, other);
      }
    }
    return sum;
  }

  /** The coupled inertia, for balls and free joints that of the mean freedom. */
  coupled(joint: MjJoint): number | undefined {
    const inverse = this.#inverseOf(joint);
    if (!inverse) return undefined;
    const own = inverse.diagonal(joint);
    return own.length / own.reduce((sum, value) => sum + value, 0);
  }

  #inverseOf(joint: MjJoint): InverseMass | undefined {
    const top = topOf(joint.body);
    if (!this.#inverses.has(top)) {
      const joints = this.#tree.joints.filter(({ body }) => topOf(body) === top);
      const moved = movedLinks(this.#links).filter(({ root }) => topOf(root) === top);
      this.#inverses.set(top, inverseMass(joints, moved));
    }
    return this.#inverses.get(top);
  }
}

/** Stiffness and damping of joints with a `springdamper`. */
export function springsOfTimeConstants(tree: MjTree, inertias: MovedInertias): void {
  for (const joint of tree.joints) {
    if (!joint.springDamper) continue;
    const [timeConstant, dampingRatio] = joint.springDamper;
    const inertia = inertias.coupled(joint);
    if (inertia === undefined) {
      throw elementError(
        joint.element,
        "springdamper: some joints of the file move the same; give stiffness and damping",
      );
    }
    joint.stiffness = inertia / (timeConstant * dampingRatio) ** 2;
    joint.damping = (2 * inertia) / timeConstant;
  }
}

interface InverseMass {
  /** Between the first freedoms of two joints. */
  entry(one: MjJoint, other: MjJoint): number;
  /** Of all freedoms of a joint. */
  diagonal(joint: MjJoint): number[];
}

/** Undefined where the mass matrix is singular. */
function inverseMass(joints: readonly MjJoint[], moved: readonly MovedLink[]): InverseMass | undefined {
  const freedoms = joints.flatMap(freedomsOf);
  const n = freedoms.length;
  const factor = new Float64Array(n * n);
  freedoms.forEach((one, i) => {
    freedoms.forEach((other, j) => {
      factor[i * n + j] = sharedInertia(moved, one, other) + (i === j ? one.joint.armature : 0);
    });
  });
  if (cholesky(factor, n) >= 0) return undefined;
  const inverse = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  choleskySolve(factor, inverse, n, n);
  const first = new Map<MjJoint, number>();
  freedoms.forEach(({ joint }, i) => {
    if (!first.has(joint)) first.set(joint, i);
  });
  const at = (joint: MjJoint): number => first.get(joint) as number;
  return {
    entry: (one, other) => inverse[at(one) * n + at(other)],
    diagonal: (joint) => freedoms.flatMap((freedom, i) => (freedom.joint === joint ? [inverse[i * n + i]] : [])),
  };
}

/** The body in the world from which a tree hangs. */
function topOf(body: MjBody): MjBody {
  let top = body;
  while (top.parent?.parent) top = top.parent;
  return top;
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
  readonly root: MjBody;
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
    return [{ root, mass: whole.mass, center: posedPoint(root.world, whole.center), inertia, above }];
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
