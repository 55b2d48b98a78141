/** What floats: nothing acts on it from outside, and nothing inside it takes energy. */
import { type JointDescription, type MechanismDescription, models, Random } from "dojo-sim";

export interface Scene {
  readonly name: "humanoid" | "spin";
  readonly label: string;
  make(timestep: number): MechanismDescription;
  /** Positions and velocities at the start. */
  start(): Record<string, { readonly position: readonly number[]; readonly velocity: readonly number[] }>;
}

/** Standard deviation of every joint rate and of the root's velocities, rad/s and m/s. */
const speed = 0.5;
const seed = 3;

export const scenes: readonly Scene[] = [
  {
    name: "humanoid",
    label: "floating humanoid",
    make: bareHumanoid,
    start: () => {
      const description = bareHumanoid(0.01);
      const random = new Random(seed);
      const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
        const count = joint.kind === "floating" ? 6 : (joint.axes?.length ?? 1);
        const rest = description.states?.rest[name]?.position ?? new Array(count).fill(0);
        return [
          name,
          { position: rest, velocity: Array.from({ length: count }, () => speed * random.normal()) },
        ] as const;
      });
      return Object.fromEntries(joints);
    },
  },
  {
    name: "spin",
    label: "spin about the middle axis",
    make: (timestep) => models.dzhanibekov({ timestep }),
    start: () => {
      const { base } = models.dzhanibekov().states?.spinning ?? {};
      return { base: { position: [0, 0, 0, 0, 0, 0], velocity: base.velocity ?? [] } };
    },
  },
];

/** Without gravity, floor, limits, springs, dampers, rotor inertias, motors and hamstrings: links and hinges alone. */
function bareHumanoid(timestep: number): MechanismDescription {
  const options = { floor: false, jointLimits: false, springs: false, actuated: false } as const;
  const { gears: _hamstrings, ...description } = models.humanoid({ timestep, gravity: [0, 0, 0], ...options });
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]): [string, JointDescription] => {
    const { damping: _damping, armature: _armature, ...rest } = joint;
    return [name, rest];
  });
  return { ...description, joints: Object.fromEntries(joints) };
}
