/** What floats: nothing acts on it from outside, and nothing inside it takes energy. */
import { type JointDescription, type MechanismDescription, models, Random } from "dojo-sim";

export interface Scene {
  readonly name: "humanoid" | "ballHumanoid" | "spin";
  readonly label: string;
  make(timestep: number): MechanismDescription;
  /** Positions and velocities at the start. */
  start(): Record<string, { readonly position: readonly number[]; readonly velocity: readonly number[] }>;
}

/** Standard deviation of every joint rate and of the root's velocities, rad/s and m/s. */
const speed = 0.5;
const seed = 3;

export const scenes: readonly Scene[] = [
  { name: "humanoid", label: "floating humanoid", make: bareHumanoid, start: () => randomStart(bareHumanoid(0.01)) },
  {
    name: "ballHumanoid",
    label: "with ball joints",
    make: ballHumanoid,
    start: () => randomStart(ballHumanoid(0.01)),
  },
  {
    name: "spin",
    label: "middle-axis spin",
    make: (timestep) => models.dzhanibekov({ timestep }),
    start: () => {
      const { base } = models.dzhanibekov().states?.spinning ?? {};
      return { base: { position: [0, 0, 0, 0, 0, 0], velocity: base.velocity ?? [] } };
    },
  },
];

function randomStart({ joints = {}, states }: MechanismDescription): ReturnType<Scene["start"]> {
  const random = new Random(seed);
  const starts = Object.entries(joints).map(([name, joint]) => {
    const count = { floating: 6, spherical: 3 }[joint.kind as string] ?? joint.axes?.length ?? 1;
    const rest = joint.kind === "spherical" ? undefined : states?.rest[name]?.position;
    const velocity = Array.from({ length: count }, () => speed * random.normal());
    return [name, { position: rest ?? new Array<number>(count).fill(0), velocity }] as const;
  });
  return Object.fromEntries(starts);
}

/** Without gravity, floor, limits, springs, dampers, rotor inertias, motors and hamstrings: links and hinges alone. */
function bareHumanoid(timestep: number): MechanismDescription {
  const options = { floor: false, jointLimits: false, springs: false, actuated: false } as const;
  const { gears: _hamstrings, ...description } = models.humanoid({ timestep, gravity: [0, 0, 0], ...options });
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]): [string, JointDescription] => {
    const { stiffness: _stiffness, damping: _damping, armature: _armature, ...rest } = joint;
    return [name, rest];
  });
  return { ...description, joints: Object.fromEntries(joints) };
}

/** The same with balls in place of two or three hinges in a row, which lock where two of them line up. */
function ballHumanoid(timestep: number): MechanismDescription {
  const { states: _states, ...description } = bareHumanoid(timestep);
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]): [string, JointDescription] => {
    if (joint.kind !== "serial") return [name, joint];
    const { axes: _axes, axisOffset: _offset, ...rest } = joint;
    return [name, { ...rest, kind: "spherical" }];
  });
  return { ...description, joints: Object.fromEntries(joints) };
}
