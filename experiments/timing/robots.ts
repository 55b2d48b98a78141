/**
 * The four robots of [table:time_benchmark]: where each starts, and the range of its random inputs. The same description goes to both
 * engines. Contacts are spheres against the floor and nothing else, all over the body where a robot falls: with feet alone, it would
 * sink through the floor. A robot's own bodies pass through each other.
 */
import { compile, type MechanismDescription, models, Random } from "dojo-sim";

export const robotNames = ["humanoid", "a1", "panda", "x2"] as const;
export type RobotName = (typeof robotNames)[number];

export interface Robot {
  readonly title: string;
  readonly setUp: string;
  readonly description: MechanismDescription;
  /** Which of the description's states it starts in. */
  readonly start: string;
  /** Ranges by input. */
  readonly ranges: readonly (readonly [number, number])[];
}

const timestep = 0.01;

/** N·m. To stand takes 4.3 at the knee; at random, the motors' 33.5 would spin a calf by more than a quarter turn a step. */
const a1Torque = 5;

/** N. The published servo of the fingers gives no more than its stiffness, 100 N/m, over their 4 cm. */
const fingerForce = 4;

const makers: Readonly<Record<RobotName, () => Robot>> = {
  humanoid: () => {
    const description = models.humanoid({ timestep, bodyContacts: true });
    return {
      title: "Humanoid",
      setUp:
        "stands, then falls; 8 contacts of the feet and 13 of the body; torques within the motors' gears (20 to 120 N·m)",
      description,
      start: "rest",
      ranges: effortRanges(models.humanoid({ effortLimits: true })),
    };
  },
  a1: () => {
    const description = models.a1({ timestep, bodyContacts: true });
    return {
      title: "Unitree A1",
      setUp: `stands, then falls; 4 contacts of the feet and 16 of the body; torques within ±${a1Torque} N·m`,
      description,
      start: "rest",
      ranges: new Array(compile(description).inputSize).fill([-a1Torque, a1Torque]),
    };
  },
  panda: () => {
    const description = models.panda({ timestep, floor: false });
    return {
      title: "Franka Panda",
      setUp: `no contacts, joint limits, fingers tied by a gear; torques within ±87 and ±12 N·m, fingers ±${fingerForce} N`,
      description,
      start: "rest",
      ranges: [...effortRanges(models.panda({ effortLimits: true })).slice(0, -1), [-fingerForce, fingerForce]],
    };
  },
  x2: () => {
    const description = models.skydioX2({ timestep, floor: false });
    return {
      title: "Skydio X2",
      setUp: "in the air, with drag; thrusts of 0 to 13 N",
      description,
      start: "hover",
      ranges: Object.values(description.thrusters ?? {}).map(({ limits }) => limits as [number, number]),
    };
  },
};

export function robot(name: RobotName): Robot {
  return makers[name]();
}

/** What the motors can do, as the description with `effortLimits` knows it. */
function effortRanges(description: MechanismDescription): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { coordinates } of compile(description).joints) {
    for (const { input, effortLimit } of coordinates) {
      if (input >= 0 && effortLimit !== null) ranges[input] = [-effortLimit, effortLimit];
    }
  }
  return ranges;
}

/** Uniform within the ranges, new every step. */
export function randomInputs({ ranges }: Robot, steps: number, seed = 1): Float64Array[] {
  const random = new Random(seed);
  return Array.from({ length: steps }, () => Float64Array.from(ranges, ([low, high]) => random.uniform(low, high)));
}
