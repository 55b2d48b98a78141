/**
 * A mechanism: what `compile` makes of a description. Validated, indexed, frozen. It says by name what sits at each
 * offset of a state, an input and the joint coordinates.
 */
import type { ContactFeature } from "../geometry/index.ts";
import { bodyAt, cached } from "../math/index.ts";
import { ArgumentError } from "./argumentError.ts";
import type { ContactModel, Matrix3, MechanismDescription, Quaternion, Servo, Vector3 } from "./description.ts";
import type { MechanismTouch } from "./mechanismTouch.ts";
import { nearestName } from "./nearestName.ts";

/** Index of the world among bodies. */
export const worldIndex = -1;

export interface MechanismBody {
  readonly name: string;
  readonly index: number;
  readonly mass: number;
  readonly inertia: Matrix3;
  /** Share of gravity that the body feels. */
  readonly gravityScale: number;
  /** √(largest principal moment / mass): the body's size as far as its motion goes. */
  readonly gyration: number;
}

export interface JointShape {
  readonly translation: 0 | 1 | 2 | 3;
  readonly rotation: 0 | 1 | 2 | 3;
  readonly serial: boolean;
  readonly mirrored: boolean;
}

export interface JointFrameValues {
  readonly parentAnchor: Vector3;
  readonly parentFrame: Quaternion;
  readonly childAnchor: Vector3;
  readonly childFrame: Quaternion;
  readonly skew: number;
  readonly axisOffset: number;
}

export interface MechanismCoordinate {
  /** "joint.axis", e.g. "hinge.angle". */
  readonly name: string;
  readonly motion: "translation" | "rotation";
  /** Whether the description gives it a spring, damper or armature, be it 0: only then can they be changed later. */
  readonly passive: boolean;
  readonly stiffness: number;
  readonly rest: number;
  readonly damping: number;
  readonly armature: number;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly friction: number;
  readonly servo: Servo | null;
  readonly effortLimit: number | null;
  /** Efforts are within effortCenter ± effortLimit. */
  readonly effortCenter: number;
  /** Offset in the input, or −1. */
  readonly input: number;
}

export interface MechanismJoint {
  readonly name: string;
  readonly index: number;
  readonly parent: number;
  readonly child: number;
  readonly shape: JointShape;
  readonly frames: JointFrameValues;
  readonly coordinates: readonly MechanismCoordinate[];
  /** Offset of the first coordinate among all joint coordinates. */
  readonly coordinateOffset: number;
  readonly tiltLimit: number | null;
}

interface ContactBase {
  readonly name: string;
  readonly index: number;
  readonly body: number;
  readonly other: number;
  readonly model: ContactModel;
  readonly frictionCoefficient: number;
  /** Coefficient of restitution; null where none was declared. */
  readonly restitution: number | null;
  /** Coefficients of friction against turning about the normal and across it, m; null where none was declared. */
  readonly torsionalFriction: number | null;
  readonly rollingFriction: number | null;
  /** Where the body's part lies, in its frame (a sphere's centre, a point of a line, the centre of what is round), and its radius. */
  readonly point: Vector3;
  readonly radius: number;
}

/** A sphere against a half-space. */
export interface HalfSpaceContact extends ContactBase {
  readonly feature: "pointPlane";
  readonly normal: Vector3;
  readonly offset: number;
  /** A direction off the normal, from which the tangents are made. */
  readonly tangent: Vector3;
}

/** Other parts of two bodies that may touch. */
export interface FeatureContact extends ContactBase {
  readonly feature: Exclude<ContactFeature, "pointPlane">;
  /** All of its numbers, in the order of `featureFields`. */
  readonly values: readonly number[];
}

export type MechanismContact = HalfSpaceContact | FeatureContact;

/**
 * A contact that joints keep where it touches, or inside, whatever the state: a wheel of a cart whose rail lies at the height of the floor. It can neither open
 * nor press, so that it takes no part in steps; its index is −1.
 */
export type HeldContact = MechanismContact & {
  /** How far apart its parts stay, m. */
  readonly distance: number;
};

/** The contacts of spheres with half-spaces, those last that joints hold. */
export function halfSpaceContacts({
  contacts,
  heldContacts,
}: Pick<Mechanism, "contacts" | "heldContacts">): HalfSpaceContact[] {
  return [...contacts, ...heldContacts].filter((contact) => contact.feature === "pointPlane");
}

/** A contact by its name, be it held or not. */
export function namedContact({ contacts, heldContacts }: Mechanism, name: string): MechanismContact | HeldContact {
  return heldContacts.find((contact) => contact.name === name) ?? named(contacts, name, "contact");
}

interface GearTerms {
  readonly name: string;
  readonly index: number;
  readonly terms: readonly { readonly joint: number; readonly coordinate: number; readonly ratio: number }[];
}

/** Σ ratio·coordinate = offset. */
export interface EqualityGear extends GearTerms {
  readonly kind: "equality";
  readonly offset: number;
}

/** lower ≤ Σ ratio·coordinate ≤ upper, one of them at least. */
export interface RangeGear extends GearTerms {
  readonly kind: "range";
  readonly lower: number | null;
  readonly upper: number | null;
}

/** A spring and damper on Σ ratio·coordinate. */
export interface SpringGear extends GearTerms {
  readonly kind: "spring";
  readonly stiffness: number;
  readonly rest: number;
  readonly damping: number;
}

export type MechanismGear = EqualityGear | RangeGear | SpringGear;

export interface MechanismThruster {
  readonly name: string;
  readonly index: number;
  readonly body: number;
  readonly position: Vector3;
  readonly force: Vector3;
  readonly torque: Vector3;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly input: number;
}

export interface MechanismFluid {
  readonly density: number;
  readonly viscosity: number;
  readonly wind: Vector3;
}

/** One edge of the spanning tree, in an order in which every joint's near body is already placed. */
export interface TreeEdge {
  readonly joint: number;
  /** True when the walk goes from the joint's child to its parent. */
  readonly reversed: boolean;
}

export interface Mechanism {
  readonly description: MechanismDescription;
  readonly name: string;
  readonly timestep: number;
  readonly gravity: Vector3;
  readonly springConservation: number;
  readonly damperCentering: number;
  readonly bodies: readonly MechanismBody[];
  readonly joints: readonly MechanismJoint[];
  readonly contacts: readonly MechanismContact[];
  /** Contacts of the description that take no part in steps, because joints keep them where they touch. */
  readonly heldContacts: readonly HeldContact[];
  readonly gears: readonly MechanismGear[];
  readonly thrusters: readonly MechanismThruster[];
  readonly fluid: MechanismFluid | null;
  /** Shapes that touch each other; left out where no two can. */
  readonly touch?: MechanismTouch;
  readonly tree: readonly TreeEdge[];
  /** Joints that close a loop: all that the tree leaves out. */
  readonly loopJoints: readonly number[];
  readonly stateSize: number;
  readonly inputSize: number;
  readonly coordinateCount: number;
  readonly inputNames: readonly string[];
  readonly coordinateNames: readonly string[];
}

/** Gears that tie coordinates together. */
export function equalityGears({ gears }: Mechanism): EqualityGear[] {
  return gears.filter((gear) => gear.kind === "equality");
}

/** Offset of a body in a state. */
export function bodyOffset(mechanism: Mechanism, body: string): number {
  return bodyAt(named(mechanism.bodies, body, "body").index);
}

/** Throws where an array is no state as far as its length goes. */
export function requireStateSize({ stateSize }: Mechanism, state: ArrayLike<number>): void {
  if (state.length === stateSize) return;
  throw new ArgumentError("wrong-size", "state", `has ${state.length} numbers; give ${stateSize}, 13 per body`);
}

/** Lists of mechanisms, which stay as they are, by the names in them. */
const byName = new WeakMap<readonly unknown[], ReadonlyMap<string, unknown>>();

/** Finds by name in a list of a mechanism; undefined where there is none of that name. */
export function findNamed<T extends { readonly name: string }>(list: readonly T[], name: string): T | undefined {
  const known = cached(byName, list, () => new Map(list.map((entry) => [entry.name, entry])));
  return known.get(name) as T | undefined;
}

/** The same, or says which names there are. */
export function named<T extends { readonly name: string }>(list: readonly T[], name: string, what: string): T {
  const found = findNamed(list, name);
  if (found) return found;
  const names = list.map((entry) => entry.name);
  // programs in plain JavaScript may hand in anything
  const nearest = nearestName(String(name), names);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  const plural = what === "body" ? "bodies" : `${what}s`;
  throw new ArgumentError(
    `unknown-${what}`,
    `${plural}.${name}`,
    `no such ${what} (have: ${names.join(", ") || "none"})${hint}`,
  );
}
