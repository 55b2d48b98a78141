/** The three falls of [time_step]: each robot is let go at rest above the floor, and the height of its torso is watched. */
import { type MechanismDescription, models, servoTargets } from "dojo-sim";

export interface Scene {
  readonly name: "atlas" | "a1Servos" | "a1Limp";
  readonly label: string;
  readonly title: string;
  /** The body whose centre of mass is watched. */
  readonly torso: string;
  /** From the release to the end, s. */
  readonly seconds: number;
  /** The mechanism at a time step, and the inputs that it gets throughout. */
  make(timestep: number): { readonly description: MechanismDescription; readonly input: Float64Array };
  /** Named state of the description that is lifted, and how far, m. */
  readonly pose: string;
  readonly lift: number;
}

const servo = { stiffness: 100, damping: 5 };

export const scenes: readonly Scene[] = [
  {
    name: "atlas",
    label: "Atlas",
    title: "Atlas, spring 1, damper 25, upright from 0.5 m",
    torso: "utorso",
    seconds: 2.5,
    pose: "straight",
    lift: 0.5,
    make: (timestep) => withTargets(models.atlas({ timestep, spring: 1, damper: 25, bodyContacts: true }), "straight"),
  },
  {
    name: "a1Servos",
    label: "A1 on servos",
    title: "A1, servos hold its pose, from 0.3 m",
    torso: "trunk",
    seconds: 2,
    pose: "rest",
    lift: 0.3,
    make: (timestep) => withTargets(models.a1({ timestep, servo, bodyContacts: true }), "rest"),
  },
  {
    name: "a1Limp",
    label: "A1 limp",
    title: "A1, motors off, from 0.3 m",
    torso: "trunk",
    seconds: 2,
    pose: "rest",
    lift: 0.3,
    make: (timestep) => withTargets(models.a1({ timestep, bodyContacts: true }), "rest"),
  },
];

function withTargets(description: MechanismDescription, pose: string): ReturnType<Scene["make"]> {
  return { description, input: servoTargets(description, pose) };
}

/** Positions of all joints where the robot is let go. */
export function releasePose(scene: Scene, description: MechanismDescription): Record<string, { position: number[] }> {
  const named = Object.entries(description.states?.[scene.pose] ?? {});
  const pose = Object.fromEntries(named.map(([joint, { position = [] }]) => [joint, { position: [...position] }]));
  pose.base.position[2] += scene.lift;
  return pose;
}

/** The same mechanism with so much inertia added to the rotor of every hinge, kg·m². */
export function withArmature(description: MechanismDescription, armature: number): MechanismDescription {
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
    return [name, joint.kind === "floating" ? joint : { ...joint, armature }] as const;
  });
  return { ...description, joints: Object.fromEntries(joints) };
}
