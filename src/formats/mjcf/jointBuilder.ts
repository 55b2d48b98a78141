/** A joint while it is being imported: its frame, and what acts on each free axis, to which actuators are added later. */
import type { JointDescription, Servo } from "../../mechanism/index.ts";

export interface AxisForces {
  stiffness: number;
  rest: number;
  damping: number;
  armature: number;
  friction: number;
  lower: number | null;
  upper: number | null;
  actuated: boolean;
  servo: Servo | null;
  effortLimit: number | null;
  effortCenter: number;
}

export function noForces(): AxisForces {
  return {
    stiffness: 0,
    rest: 0,
    damping: 0,
    armature: 0,
    friction: 0,
    lower: null,
    upper: null,
    actuated: false,
    servo: null,
    effortLimit: null,
    effortCenter: 0,
  };
}

export type JointFrame = Pick<
  JointDescription,
  | "kind"
  | "parent"
  | "child"
  | "parentAnchor"
  | "childAnchor"
  | "axis"
  | "axes"
  | "axisOffset"
  | "orientation"
  | "tiltLimit"
>;

export interface JointBuilder {
  readonly name: string;
  readonly frame: JointFrame;
  readonly axes: AxisForces[];
}

export function describeJoint({ frame, axes }: JointBuilder): JointDescription {
  const numbers = (name: "stiffness" | "rest" | "damping" | "armature" | "friction" | "effortCenter") => {
    const values = axes.map((axis) => axis[name]);
    return values.some((value) => value !== 0) ? { [name]: shared(values) } : {};
  };
  const limited = axes.some(({ lower, upper }) => lower !== null || upper !== null);
  const limits = axes.map(({ lower, upper }) => (lower === null && upper === null ? null : ([lower, upper] as const)));
  const efforts = axes.map(({ effortLimit }) => effortLimit);
  const actuated = axes.map((axis) => axis.actuated);
  const servos = axes.map(({ servo }) => servo);
  return {
    ...frame,
    ...numbers("stiffness"),
    ...numbers("rest"),
    ...numbers("damping"),
    ...(limited && { limits: axes.length === 1 ? (limits[0] as [number, number]) : limits }),
    ...numbers("armature"),
    ...numbers("friction"),
    ...(actuated.includes(true) && { actuated: shared(actuated) }),
    ...(servos.some((servo) => servo !== null) && { servo: axes.length === 1 ? servos[0] : servos }),
    ...(efforts.some((effort) => effort !== null) && { effortLimit: shared(efforts) }),
    ...numbers("effortCenter"),
  };
}

/** One value where all are equal. */
function shared<T>(values: readonly T[]): T | readonly T[] {
  return values.every((value) => value === values[0]) ? values[0] : values;
}
