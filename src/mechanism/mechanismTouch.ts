/** What `compile` makes of shapes that touch each other. */
import type { ContactFeature } from "../geometry/index.ts";
import type { ContactModel, FrictionCombination, Quaternion, Shape, Vector3 } from "./description.ts";

export type { ContactFeature };

/** A shape that touches others. */
export interface TouchShape {
  readonly index: number;
  /** Its name within its body. */
  readonly name: string;
  /** Its body, or worldIndex. */
  readonly body: number;
  readonly form: Shape;
  /** Its placement in the body. */
  readonly position: Vector3;
  readonly orientation: Quaternion;
  readonly surface: TouchSurface;
}

export interface TouchSurface {
  readonly frictionCoefficient: number;
  /** These are null where none was declared. */
  readonly restitution: number | null;
  readonly torsionalFriction: number | null;
  readonly rollingFriction: number | null;
  readonly priority: number;
  readonly group: number;
  readonly mask: number;
}

/** What two shapes, by number, have together; null where their surfaces say it. */
export interface TouchPair {
  readonly shapes: readonly [number, number];
  readonly frictionCoefficient: number | null;
  readonly torsionalFriction: number | null;
  readonly rollingFriction: number | null;
}

/**
 * A shape of the world and one of a body, by number, that joints keep where they touch: they can neither open nor press, and take no part in steps.
 */
export interface HeldPair {
  readonly shapes: readonly [number, number];
  /** The direction along which they are apart, in the world, and the height along it at which joints keep the body. */
  readonly normal: Vector3;
  readonly height: number;
}

/** Slots of one kind: contacts whose bodies are bound at run time. */
export interface TouchPool {
  readonly feature: ContactFeature;
  readonly model: Exclude<ContactModel, "linear">;
  /** Whether both bodies move. */
  readonly otherMoves: boolean;
  /** Whether the world has the point, line or round part, and the body that moves what it meets. Default false. */
  readonly coreOnWorld?: boolean;
  /** Whether friction resists turning about the normal, and across it; only with model "cone". */
  readonly torsional?: boolean;
  readonly rolling?: boolean;
  /** Whether its slots may bounce. */
  readonly bounces?: boolean;
  readonly count: number;
}

export interface MechanismTouch {
  readonly shapes: readonly TouchShape[];
  readonly combine: FrictionCombination;
  readonly pairs: readonly TouchPair[];
  /** Pairs of bodies, smaller index first, that never touch, whatever their masks. */
  readonly excluded: readonly (readonly [number, number])[];
  /** Pairs of bodies that may touch whatever their masks. */
  readonly included: readonly (readonly [number, number])[];
  /** Where given, no others may. */
  readonly only: readonly (readonly [number, number])[] | null;
  readonly held: readonly HeldPair[];
  readonly pools: readonly TouchPool[];
}
