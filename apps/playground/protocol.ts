/** What the page and its worker say to each other. A request has a number, and its answer the same one; frames come unasked. */
import type { MechanismDescription, ReplayBody, ReplayContact, Shape } from "dojo-sim";

/** Motors take forces and torques, servos take targets. */
export type Drive = "motor" | "servo";

/** What bodies touch: the floor alone, or one another too, limbs of a robot among them. */
export type Collisions = "floor" | "shapes";

export interface GivenFile {
  /** With its folders, where they are known: "a1/meshes/trunk.stl". */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type Source =
  | { readonly kind: "model"; readonly name: string }
  | { readonly kind: "files"; readonly files: readonly GivenFile[] }
  | { readonly kind: "description"; readonly name: string; readonly description: MechanismDescription };

export interface Settings {
  /** Seconds. */
  readonly timestep: number;
  /** Central-path parameter, SI; null is the engine's own. */
  readonly kappa: number | null;
  /** Friction of all contacts and surfaces that have any; null leaves them as the model has them. */
  readonly friction: number | null;
  /** Restitution of all contacts; null leaves them as the model has them. */
  readonly restitution: number | null;
  /** Gravity along z, m/s². */
  readonly gravity: number;
  readonly tolerance: number;
}

/** What defines a scene; what is left out is the model's own. */
export interface SceneChoice {
  readonly source: Source;
  readonly drive?: Drive | undefined;
  /** A named state of the model. */
  readonly start?: string | undefined;
  /** Collisions of robots and files that have the choice. Default: bodies of the library and loose ones touch one another, robots in files the floor. */
  readonly collisions?: Collisions | undefined;
  readonly settings?: Partial<Settings> | undefined;
  /** State of all bodies, for the time step of the settings. */
  readonly state?: Float64Array | undefined;
  /** Over which its velocities are means. Default the time step of the settings. */
  readonly interval?: number | undefined;
  readonly input?: Float64Array | undefined;
}

export interface CoordinateInfo {
  readonly name: string;
  readonly motion: "translation" | "rotation";
  /** Lower end of a slider. */
  readonly lower: number;
  readonly upper: number;
}

export interface InputInfo {
  readonly name: string;
  readonly kind: "motor" | "servo" | "thruster";
  /** Lower end of a slider. */
  readonly lower: number;
  readonly upper: number;
  readonly unit: "N" | "N·m" | "m" | "rad" | "";
  /** Body where its arrow starts. */
  readonly body: number;
}

/** Poses of all bodies at equal intervals after the start, s. */
export interface LookAhead {
  readonly interval: number;
  readonly poses: readonly Float32Array[];
}

export interface SceneInfo {
  readonly name: string;
  /** Made again from this: a model's name, or the description of what a file held. */
  readonly source: Exclude<Source, { readonly kind: "files" }>;
  readonly bodies: readonly (ReplayBody & { readonly mass: number })[];
  readonly contacts: readonly ReplayContact[];
  /** Shapes fixed in the world. */
  readonly world: readonly Shape[];
  readonly coordinates: readonly CoordinateInfo[];
  readonly inputs: readonly InputInfo[];
  /** N. */
  readonly weight: number;
  /** For each body the mass of all that joints hold together with it, kg: what a push or a pull of it has to move. */
  readonly groupMasses: readonly number[];
  /** A base that floats, or the body at the end of an arm: whose velocity the gradient arrows show. */
  readonly base: number;
  readonly floats: boolean;
  /** Where the bodies go, of what does not float; null of what does, which the view follows. */
  readonly ahead: LookAhead | null;
  readonly drive: Drive;
  readonly canDrive: boolean;
  readonly start: string;
  readonly starts: readonly string[];
  /** Null where there is no choice. */
  readonly collisions: Collisions | null;
  readonly settings: Settings;
  /** The settings without any change. */
  readonly ownSettings: Settings;
  /** Friction of the model's contacts and surfaces where they have one; null without. */
  readonly friction: number | null;
  /** Restitution of the model's contacts; null without contacts. */
  readonly restitution: number | null;
  /** What the importer and the start have to say. */
  readonly notes: readonly string[];
  readonly input: Float64Array;
}

export interface Pull {
  readonly body: number;
  /** In the body's frame. */
  readonly point: readonly [number, number, number];
  /** In the world, towards which the point is drawn. */
  readonly target: readonly [number, number, number];
}

export interface Push {
  readonly body: number;
  /** N, at the centre of mass, in the world. */
  readonly force: readonly [number, number, number];
  /** Seconds of simulated time. */
  readonly duration: number;
}

export interface ArrowOptions {
  readonly body: number;
  /** Central-path parameter of the gradient. */
  readonly kappa: number;
}

export type Request =
  | { readonly kind: "load"; readonly choice: SceneChoice }
  | { readonly kind: "play"; readonly playing: boolean }
  | { readonly kind: "speed"; readonly speed: number }
  | { readonly kind: "step"; readonly steps: number }
  | { readonly kind: "reset" }
  | { readonly kind: "settings"; readonly settings: Partial<Settings> }
  | { readonly kind: "pose"; readonly coordinate: number; readonly value: number }
  | { readonly kind: "input"; readonly index: number; readonly value: number }
  | { readonly kind: "hold" }
  | { readonly kind: "pull"; readonly pull: Pull | null }
  | { readonly kind: "push"; readonly push: Push }
  | { readonly kind: "arrows"; readonly arrows: ArrowOptions | null }
  | { readonly kind: "snapshot" }
  | { readonly kind: "export"; readonly format: ExportFormat; readonly viewer?: string };

export type ExportFormat = "html" | "json" | "csv";

export interface Snapshot {
  readonly state: Float64Array;
  /** Over which its velocities are means. */
  readonly interval: number;
  readonly input: Float64Array;
  readonly time: number;
  readonly settings: Settings;
}

/** What each kind of request is answered with. */
export interface Answers {
  readonly load: { readonly info: SceneInfo; readonly frame: Frame };
  readonly settings: Settings;
  readonly pose: Float64Array;
  readonly hold: Float64Array;
  readonly reset: Float64Array;
  readonly snapshot: Snapshot;
  readonly export: { readonly name: string; readonly parts: readonly string[]; readonly type: string };
}

/** The present, for the picture and the plots. */
export interface Frame {
  readonly time: number;
  /** When it was made, by the worker's clock, ms. */
  readonly wall: number;
  readonly playing: boolean;
  /** Body by body: position 3, quaternion 4. */
  readonly poses: Float32Array;
  /** Contact by contact: force on the body in the world. */
  readonly forces: Float32Array;
  /** Where shapes touch: point 3 and force 3, in the world. Left out: nowhere. */
  readonly touches?: Float32Array;
  readonly coordinates: Float32Array;
  /** Point and target of a pull. */
  readonly pull: Float32Array | null;
  /** Input by input: d(velocity)/d(input), m/s a unit. */
  readonly arrows: Float32Array | null;
  /** Null when no step was taken since the frame before. */
  readonly sample: Sample | null;
  /** Seconds that an export would hold. */
  readonly recorded: number;
}

/** A sample of the steps since the last frame. */
export interface Sample {
  readonly steps: number;
  readonly kinetic: number;
  readonly potential: number;
  readonly momentum: number;
  readonly angularMomentum: number;
  /** Smallest, m; null without contacts. */
  readonly distance: number | null;
  /** Largest. */
  readonly iterations: number;
  /** Mean wall time, ms. */
  readonly stepTime: number;
}

export type FromWorker =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "refusal"; readonly id: number; readonly message: string }
  /** The simulation stopped by itself. */
  | { readonly kind: "stopped"; readonly message: string };

export type ToWorker = { readonly id: number; readonly request: Request };
