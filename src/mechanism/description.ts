/**
 * A description: plain, JSON-safe data that names bodies, joints, contacts and gears. Scripts, the model library and
 * the importers all produce this one type; `compile` turns it into a mechanism.
 *
 * SI units, radians. Quaternions are scalar-first and map body to world. A body's frame has its origin at the centre
 * of mass.
 */
export type Vector3 = readonly [number, number, number];
export type Quaternion = readonly [number, number, number, number];
/** Symmetric matrix, rows [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]. */
export type Matrix3 = readonly [Vector3, Vector3, Vector3];

export interface MechanismDescription {
  readonly name?: string;
  /** Seconds. */
  readonly timestep: number;
  /** Default [0, 0, -9.81]. */
  readonly gravity?: Vector3;
  /** ρ of the spring weights (1, 2ρ, ρ²)/(1+ρ)²: 1 conserves energy, 0 is fully implicit. Default 0.9, and 1 under an error tolerance. */
  readonly springConservation?: number;
  /**
   * ρ of the weights (1, ρ)/(1+ρ) with which dampers and servos count the coming increment and the last one: 0 acts at the end of the step,
   * 1 in its middle, and with 1 nothing damps what is stiff. Default 0.2, and 1 under an error tolerance.
   */
  readonly damperCentering?: number;
  readonly bodies: Readonly<Record<string, BodyDescription>>;
  readonly joints?: Readonly<Record<string, JointDescription>>;
  readonly contacts?: readonly ContactDescription[];
  /** Shapes fixed in the world: a table, a wall, terrain. Those with `contact` touch bodies' shapes; others are for show. */
  readonly shapes?: readonly Shape[];
  /** Which of the shapes with `contact` may touch each other, and how their surfaces combine. */
  readonly collisions?: CollisionsDescription;
  readonly gears?: Readonly<Record<string, GearDescription>>;
  readonly thrusters?: Readonly<Record<string, ThrusterDescription>>;
  /** A medium that resists every body's motion. Default none. */
  readonly fluid?: FluidDescription;
  /** Named states of the joints, such as one in which the robot stands. */
  readonly states?: Readonly<Record<string, Readonly<Record<string, JointStateDescription>>>>;
  /** Inputs that go with named states, by state and by the input's name; `stateInput` fills in the others. */
  readonly stateInputs?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /**
   * Names in the order that counts, where it is not that of the objects: JavaScript has names that are whole numbers first, in ascending order.
   * Names that are not listed come after those that are.
   */
  readonly order?: DescriptionOrder;
  /** Parameters by path that a new simulation sets, as `setParameters` does: those that no other field says, or not to the last bit. */
  readonly parameters?: Readonly<Record<string, number>>;
}

/** Names in the order that counts. */
export interface DescriptionOrder {
  readonly bodies?: readonly string[];
  readonly joints?: readonly string[];
  readonly gears?: readonly string[];
  readonly thrusters?: readonly string[];
  readonly states?: readonly string[];
}

/** Coordinates of a joint and their rates; what is left out is zero. */
export interface JointStateDescription {
  readonly position?: readonly number[];
  readonly velocity?: readonly number[];
}

/** A wrench fixed in a body that an input scales: force u·force at `position`, and torque u·torque. */
export interface ThrusterDescription {
  readonly body: string;
  /** Where it is, in the body's frame. Default its centre of mass. */
  readonly position?: Vector3;
  readonly force?: Vector3;
  readonly torque?: Vector3;
  /** The input is clamped to [lower, upper]; null for none. */
  readonly limits?: readonly [number | null, number | null];
}

/** Each body drags as the box that has its mass and inertia. */
export interface FluidDescription {
  /** kg/m³. Default 0. */
  readonly density?: number;
  /** Pa·s. Default 0. */
  readonly viscosity?: number;
  /** Velocity of the medium. Default still. */
  readonly wind?: Vector3;
}

/** A position servo: torque stiffness·(target − θ₊) − damping·rate, implicit, so that any stiffness is stable. */
export interface Servo {
  readonly stiffness: number;
  readonly damping: number;
}

export interface BodyDescription {
  readonly mass: number;
  /** Inertia about the centre of mass, in the body frame. */
  readonly inertia: Matrix3;
  /** Share of gravity that the body feels: 0 for one whose weight is compensated. Default 1. */
  readonly gravityScale?: number;
  readonly shapes?: readonly Shape[];
}

/** Where a shape sits in its body, or in the world, and whether it touches others. */
export interface ShapePlacement {
  /** Its name in readings of contacts. Default "shape0", "shape1", … by place in its list. */
  readonly name?: string;
  readonly position?: Vector3;
  readonly orientation?: Quaternion;
  /** CSS colour for viewers. */
  readonly color?: string;
  /** Whether it touches other shapes that do, and with what surface; true is the default surface. Default false: for show only. */
  readonly contact?: boolean | SurfaceDescription;
}

/** How a shape's surface meets others, and which others it meets. */
export interface SurfaceDescription {
  /** Default 0.8. What two surfaces have together is said by `combine` of the collisions. */
  readonly frictionCoefficient?: number;
  /** Coefficient of restitution, 0 to 1; that of a pair is the larger one. Left out, nothing bounces. */
  readonly restitution?: number;
  /** Torque about the normal that friction resists, per normal force, m. Left out or 0, a single point turns freely. */
  readonly torsionalFriction?: number;
  /** Torque across the normal that resists rolling, per normal force, m. Left out or 0, it rolls freely. */
  readonly rollingFriction?: number;
  /** The surface with the higher priority says what two have together. Default 0. */
  readonly priority?: number;
  /**
   * Two shapes meet where a bit of one's group is in the other's mask, or the other way round: `contype` and `conaffinity` of MJCF.
   * Integers from 0 to 2³² − 1. Default 1 and 1.
   */
  readonly group?: number;
  readonly mask?: number;
}

/** How friction coefficients of two surfaces make one: √(ab), the larger, the smaller, or ab. */
export type FrictionCombination = "geometricMean" | "max" | "min" | "product";

/** What two particular shapes have together, whatever their surfaces say. */
export interface SurfacePairDescription {
  /** Names of the bodies, "world" among them, and of a shape of each. */
  readonly bodies: readonly [string, string];
  readonly shapes: readonly [string, string];
  /** Default: what the surfaces have together. */
  readonly frictionCoefficient?: number;
  readonly torsionalFriction?: number;
  readonly rollingFriction?: number;
}

export interface CollisionsDescription {
  /** Whether bodies that a joint holds together may touch. Default false. Floating joints hold nothing. */
  readonly adjacent?: boolean;
  /** Pairs of bodies that never touch; "world" is one. */
  readonly exclude?: readonly (readonly [string, string])[];
  /** Pairs of bodies that may touch although they are adjacent or their masks do not meet. */
  readonly include?: readonly (readonly [string, string])[];
  /** When given, only these pairs of bodies may touch, as far as masks and the rest allow. */
  readonly only?: readonly (readonly [string, string])[];
  /** Default "geometricMean". */
  readonly combine?: FrictionCombination;
  /** Shapes whose friction with each other is their own. */
  readonly pairs?: readonly SurfacePairDescription[];
  /** Points on faces for which memory is made beforehand; what is needed besides is made when it is. Default 0. */
  readonly capacity?: number;
}

/** Shapes with closed forms of their volume. */
export type PrimitiveShape = ShapePlacement & PrimitiveForm;

/** Capsules and cylinders lie along their z axis; `length` of a capsule is between the centres of its two ends. */
type PrimitiveForm =
  | { readonly kind: "box"; readonly size: Vector3 }
  | { readonly kind: "sphere"; readonly radius: number }
  | { readonly kind: "capsule"; readonly radius: number; readonly length: number }
  | { readonly kind: "cylinder"; readonly radius: number; readonly length: number }
  | { readonly kind: "ellipsoid"; readonly radii: Vector3 };

export type Shape = ShapePlacement &
  (
    | PrimitiveForm
    /** The convex hull of points. */
    | { readonly kind: "hull"; readonly points: readonly Vector3[] }
    /** z ≤ 0 of its frame is solid. */
    | { readonly kind: "halfSpace" }
    /**
     * Terrain over a rectangle of extent `size` along x and y, centred at its frame's origin: rows of heights along x, from the least y
     * to the largest, evenly spaced. Below is solid.
     */
    | {
        readonly kind: "heightField";
        readonly size: readonly [number, number];
        readonly heights: readonly (readonly number[])[];
      }
  );

export type JointKind =
  | "fixed"
  | "prismatic"
  | "planar"
  | "fixedOrientation"
  | "revolute"
  | "cylindrical"
  | "planarAxis"
  | "freeRevolute"
  | "orbital"
  | "prismaticOrbital"
  | "planarOrbital"
  | "freeOrbital"
  | "spherical"
  | "cylindricalFree"
  | "planarFree"
  | "floating"
  | "universal"
  | "serial";

/** A value for all free axes, or one each (translations first, then rotations). */
export type PerAxis<T> = T | readonly T[];

export interface JointDescription {
  readonly kind: JointKind;
  /** A body's name, or "world". */
  readonly parent: string;
  readonly child: string;
  /** Where the joint holds the parent, in its frame and from its centre of mass (world: from the origin). Default [0, 0, 0]. */
  readonly parentAnchor?: Vector3;
  readonly childAnchor?: Vector3;
  /** Unit vector in the parent's frame. Default [0, 0, 1]. */
  readonly axis?: Vector3;
  /** Serial angles: the hinge axes, in the parent's frame at zero angles, applied first to last from parent to child. */
  readonly axes?: readonly Vector3[];
  /**
   * Two serial axes that do not meet: the second passes the first at this distance along axes[0] × axes[1]. The anchors are then
   * the feet of the common perpendicular, the parent's on the first axis and the child's on the second. Default 0.
   */
  readonly axisOffset?: number;
  /** Orientation of the child in the parent at zero coordinates. Default identity. */
  readonly orientation?: Quaternion;
  /** Spring on each free axis, N/m or N·m/rad, and its rest position. Give 0 for one whose parameter will be set later. */
  readonly stiffness?: PerAxis<number>;
  readonly rest?: PerAxis<number>;
  readonly damping?: PerAxis<number>;
  /** Hard limits [lower, upper]; null for none on that side or that axis. Angles about one axis count over any number of turns. */
  readonly limits?:
    | readonly [number | null, number | null]
    | readonly (readonly [number | null, number | null] | null)[];
  /** Largest rotation angle of a joint with two or three free rotations that are not serial angles. */
  readonly tiltLimit?: number;
  /** Rotor inertia seen at the axis. */
  readonly armature?: PerAxis<number>;
  /** Coulomb friction: largest force or torque. */
  readonly friction?: PerAxis<number>;
  /** Which free axes have an actuator whose input is a force or torque. Default none. */
  readonly actuated?: PerAxis<boolean>;
  /** Which free axes have a position servo, whose input is the target. Default none. */
  readonly servo?: Servo | null | readonly (Servo | null)[];
  /** Largest force or torque of actuators and servos; null for none. */
  readonly effortLimit?: number | null | readonly (number | null)[];
  /** Middle of the range of efforts where it is not 0: actuators and servos give effortCenter ± effortLimit. */
  readonly effortCenter?: PerAxis<number>;
}

export type ContactModel = "impact" | "linear" | "cone";

/** A half-space {p : normal·p ≥ offset} fixed to `body` (default the world). */
export interface HalfSpace {
  readonly body?: string;
  readonly normal: Vector3;
  readonly offset: number;
}

export interface ContactDescription {
  readonly name?: string;
  readonly body: string;
  /** Centre of the contact sphere in the body's frame. */
  readonly point: Vector3;
  /** 0 (the default) is a point. */
  readonly radius?: number;
  /** Default "cone", the exact second-order friction cone. A coefficient of exactly 0 is "impact". */
  readonly model?: ContactModel;
  readonly frictionCoefficient?: number;
  /** Coefficient of restitution, 0 to 1: the part of the compression's impulse that comes back. Left out, nothing bounces. */
  readonly restitution?: number;
  /** Torque about the normal that friction resists, per normal force, m; model "cone" only. Left out or 0, it turns freely. */
  readonly torsionalFriction?: number;
  /** Torque across the normal that resists rolling, per normal force, m; model "cone" only. Left out or 0, it rolls freely. */
  readonly rollingFriction?: number;
  /** Default the floor, z ≥ 0. */
  readonly halfSpace?: HalfSpace;
}

/**
 * What acts on ℓ = Σ ratio·coordinate; `axis` counts the joint's free axes. One of three: ℓ = offset (the default), hard limits
 * of ℓ, or a spring and damper on it. For several, give several gears.
 */
export interface GearDescription {
  readonly terms: readonly { readonly joint: string; readonly axis?: number; readonly ratio: number }[];
  /** Default 0. */
  readonly offset?: number;
  /** Hard limits [lower, upper]; null for none on that side. Angles count over any number of turns, as those of joint limits do. */
  readonly range?: readonly [number | null, number | null];
  /** Force −stiffness·(ℓ − rest) − damping·dℓ/dt on every coordinate, times its ratio. */
  readonly stiffness?: number;
  readonly rest?: number;
  readonly damping?: number;
}
