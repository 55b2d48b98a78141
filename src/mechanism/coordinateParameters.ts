/**
 * The parameters of a joint's coordinate in one table: what each is in a compiled coordinate, what the coordinate is with another value,
 * when it acts at all, and what the description's joint lacks where it does not. Memory, checks, gradients and the mechanism as it is now
 * all go by it.
 */
import type { MechanismCoordinate } from "./mechanism.ts";

interface CoordinateParameter {
  /** The value as memory has it: 0 where there is none. */
  readonly value: (coordinate: MechanismCoordinate) => number;
  readonly changed: (coordinate: MechanismCoordinate, value: number) => Partial<MechanismCoordinate>;
  /** Values that it may have where it acts. Default any. */
  readonly range?: "from 0" | "above 0";
  /** Whether the coordinate's equations have it. */
  readonly acts: (coordinate: MechanismCoordinate) => boolean;
  /** What they were compiled without where it does not act, and the way out. */
  readonly feature: string;
  readonly remedy: string;
}

/** Options of a joint that are one number for each coordinate, 0 where they are left out; and which values a description may give. */
export const coordinateNumbers = {
  stiffness: "from 0",
  rest: "any",
  damping: "from 0",
  armature: "from 0",
  friction: "from 0",
  effortCenter: "any",
} as const satisfies Partial<Record<keyof MechanismCoordinate, "from 0" | "any">>;

const passive = (name: "stiffness" | "rest" | "damping" | "armature"): CoordinateParameter => ({
  value: (coordinate) => coordinate[name],
  changed: (_, value) => ({ [name]: value }),
  ...(name !== "rest" && { range: "from 0" }),
  acts: (coordinate) => coordinate.passive,
  feature: "a spring, damper or armature",
  remedy: `give the description's joint a ${name === "rest" ? "stiffness" : name} (0 will do)`,
});

const bound = (name: "lower" | "upper"): CoordinateParameter => ({
  value: (coordinate) => coordinate[name] ?? 0,
  changed: (coordinate, value) => (coordinate[name] === null ? {} : { [name]: value }),
  acts: (coordinate) => coordinate[name] !== null,
  feature: `this ${name} limit`,
  remedy: "add limits to the description's joint",
});

const servo = (name: "stiffness" | "damping"): CoordinateParameter => ({
  value: (coordinate) => coordinate.servo?.[name] ?? 0,
  changed: (coordinate, value) => ({ servo: coordinate.servo && { ...coordinate.servo, [name]: value } }),
  range: "from 0",
  acts: (coordinate) => coordinate.servo !== null,
  feature: "a servo",
  remedy: "give the description's joint a servo",
});

const effort = {
  acts: ({ effortLimit, input }: MechanismCoordinate) => effortLimit !== null && input >= 0,
  feature: "an effort limit",
  remedy: "give the description's joint an effortLimit",
} as const;

export const coordinateParameters = {
  stiffness: passive("stiffness"),
  rest: passive("rest"),
  damping: passive("damping"),
  armature: passive("armature"),
  lower: bound("lower"),
  upper: bound("upper"),
  friction: {
    value: ({ friction }) => friction,
    changed: (_, friction) => ({ friction }),
    range: "above 0",
    acts: ({ friction }) => friction > 0,
    feature: "friction",
    remedy: "give the description's joint a friction above 0",
  },
  servoStiffness: servo("stiffness"),
  servoDamping: servo("damping"),
  effortLimit: {
    value: ({ effortLimit }) => effortLimit ?? 0,
    changed: ({ effortLimit }, value) => (effortLimit === null ? {} : { effortLimit: value }),
    range: "above 0",
    ...effort,
  },
  effortCenter: {
    value: ({ effortCenter }) => effortCenter,
    changed: (_, effortCenter) => ({ effortCenter }),
    ...effort,
  },
} as const satisfies Readonly<Record<string, CoordinateParameter>>;

type CoordinateParameterName = keyof typeof coordinateParameters;

/** The parameter of this name, if coordinates have one. */
export function coordinateParameter(name: string): CoordinateParameter | undefined {
  return Object.hasOwn(coordinateParameters, name) ? coordinateParameters[name as CoordinateParameterName] : undefined;
}

/** The coordinate with the values that `read` has for its parameters. */
export function withCoordinateValues(
  coordinate: MechanismCoordinate,
  read: (name: string) => number,
): MechanismCoordinate {
  const made = { ...coordinate };
  for (const [name, parameter] of Object.entries<CoordinateParameter>(coordinateParameters)) {
    Object.assign(made, parameter.changed(made, read(name)));
  }
  return made;
}

/** What a coordinate is on which nothing acts but its limits. */
export const unloaded = {
  passive: false,
  stiffness: 0,
  damping: 0,
  armature: 0,
  friction: 0,
  servo: null,
  effortLimit: null,
  effortCenter: 0,
  input: -1,
} as const satisfies Partial<MechanismCoordinate>;
