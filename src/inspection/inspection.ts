/** The result of `inspect`, as data. */
import type { StateFault } from "../simulation/index.ts";

/** A body below the joint that its tree hangs it on. */
export interface InspectedBody {
  readonly name: string;
  readonly mass: number;
  /** Bodies between it and the world, 0 where there is none. */
  readonly depth: number;
  /** The joint of the tree that holds it; undefined if nothing does. */
  readonly joint: string | undefined;
  /** Contacts that the description lists, shapes that touch others, and thrusters. */
  readonly contacts: number;
  readonly shapes: number;
  readonly thrusters: number;
}

export interface InspectedCoordinate {
  readonly name: string;
  readonly motion: "translation" | "rotation";
  readonly lower: number | null;
  readonly upper: number | null;
  readonly drive: "motor" | "servo" | "none";
  readonly effortLimit: number | null;
  readonly damping: number;
  readonly stiffness: number;
  readonly friction: number;
  readonly armature: number;
}

export interface InspectedJoint {
  readonly name: string;
  readonly kind: string;
  readonly parent: string;
  readonly child: string;
  /** Whether it closes a loop. */
  readonly closesLoop: boolean;
  readonly coordinates: readonly InspectedCoordinate[];
}

/** Something that looks wrong. */
export interface Suspicion {
  /** Stable, for programs. */
  readonly code:
    | "light-body"
    | "inertia"
    | "start"
    | "weak-motor"
    | "excluded-contacts"
    | "small-body"
    | "no-inputs"
    | "no-contacts";
  /** Where: "bodies.finger", "joints.hip". */
  readonly path: string;
  /** The fault, and a way out. */
  readonly message: string;
}

/** Runs with one time step from the start: at rest, and under random inputs. */
export interface TimestepRow {
  readonly timestep: number;
  /** Share of steps that were solved. */
  readonly solved: number;
  readonly iterations: number;
  /** Time of a step, µs. */
  readonly microseconds: number;
  /** Largest distance of a body from its place in a run at half the time step, m; undefined if a run ended early. */
  readonly error: number | undefined;
}

/** The cost of one feature of the description. */
export interface FeatureRow {
  readonly feature: string;
  readonly count: number;
  /** Time of a step with everything less that of a step without it, µs. Noise of the clock may make it negative. */
  readonly microseconds: number;
}

export interface Inspection {
  readonly name: string;
  readonly mass: number;
  readonly bodies: readonly InspectedBody[];
  readonly joints: readonly InspectedJoint[];
  readonly inputs: readonly string[];
  readonly contacts: number;
  /** Shapes that touch each other. */
  readonly shapes: number;
  readonly gears: number;
  readonly states: readonly string[];
  readonly timestep: number;
  readonly parameters: number;
  readonly quantities: number;
  readonly start: {
    readonly state: string;
    readonly faults: readonly StateFault[];
    /** Largest distance by which a body had to be moved, m. */
    readonly moved: number;
    /** Contacts that touch. */
    readonly touching: readonly string[];
  };
  readonly suspicions: readonly Suspicion[];
}
