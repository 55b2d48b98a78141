/** What is simulated: a smooth motion, and two falls that end 0.1 s after the first impact. After that, falls are chaotic. */
import { type JointState, type MechanismDescription, models, servoTargets } from "dojo-sim";

export interface Scene {
  readonly name: "pendulum" | "a1" | "atlas";
  readonly title: string;
  readonly description: MechanismDescription;
  /** At rest at this instant. */
  readonly start: Readonly<Record<string, JointState>>;
  /** Held throughout. */
  readonly input: Float64Array;
  readonly seconds: number;
  /** Times at which positions are compared, evenly up to the end: about every 0.05 s, the coarsest time step. */
  readonly samples: number;
}

const gravity = 9.81;
const afterImpact = 0.1;

/**
 * Servos of A1, N·m/rad, with damping in the hinges, N·m·s/rad, where MuJoCo treats it implicitly. Limp, its legs would fold onto their
 * limits within the 0.1 s: a second impact, of stiff legs between limits and floor.
 */
const [servoStiffness, hingeDamping] = [100, 2];

export function scenes(): Scene[] {
  const servo = { stiffness: servoStiffness, damping: 0 };
  return [
    {
      name: "pendulum",
      title: "Pendulum, let go at 90°",
      description: models.pendulum({ actuated: false }),
      start: { hinge: { position: [Math.PI / 2] } },
      input: new Float64Array(0),
      seconds: 2,
      samples: 40,
    },
    {
      name: "a1",
      title: "A1 on servos, dropped from 0.2 m",
      // it lands on its feet: they alone have contacts here
      ...drop(models.a1({ servo, damping: hingeDamping, bodyContacts: false }), "rest", 0.2),
    },
    {
      name: "atlas",
      title: "Atlas with dampers, dropped from 0.5 m",
      ...drop(models.atlas({ actuated: false, spring: 1, damper: 25, bodyContacts: false }), "straight", 0.5),
    },
  ];
}

/** From rest at a height above where it stands. Servos hold the pose. */
function drop(description: MechanismDescription, state: string, height: number): Omit<Scene, "name" | "title"> {
  const standing = description.states?.[state] ?? {};
  const [x = 0, y = 0, z = 0, ...turn] = standing.base?.position ?? [];
  return {
    description,
    start: { ...standing, base: { position: [x, y, z + height, ...turn] } },
    input: servoTargets(description, state),
    seconds: Math.sqrt((2 * height) / gravity) + afterImpact,
    samples: 8,
  };
}
