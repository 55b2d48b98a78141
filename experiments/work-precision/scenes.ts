/** What is simulated: a smooth motion, and two falls that end 0.1 s after the first impact. After that, falls are chaotic. */
import { compile, type JointState, type MechanismDescription, models } from "dojo-sim";

export interface Scene {
  readonly name: "pendulum" | "a1" | "atlas";
  readonly title: string;
  readonly description: MechanismDescription;
  /** At rest at this instant. */
  readonly start: Readonly<Record<string, JointState>>;
  readonly seconds: number;
  /** Times at which positions are compared, evenly up to the end: about every 0.05 s, the coarsest time step. */
  readonly samples: number;
}

const gravity = 9.81;
const afterImpact = 0.1;

export function scenes(): Scene[] {
  const pendulum = models.pendulum({ actuated: false });
  return [
    {
      name: "pendulum",
      title: "Pendulum, let go at 90°",
      description: pendulum,
      start: { hinge: { position: [Math.PI / 2] } },
      seconds: 2,
      samples: 40,
    },
    {
      name: "a1",
      title: "A1, limp, dropped from 0.2 m",
      ...drop(models.a1({ actuated: false }), "rest", "base", 0.2),
    },
    {
      name: "atlas",
      title: "Atlas, springs 1 and dampers 25, dropped from 0.5 m",
      ...drop(models.atlas({ actuated: false, spring: 1, damper: 25 }), "straight", "base", 0.5),
    },
  ];
}

function drop(
  description: MechanismDescription,
  state: string,
  base: string,
  height: number,
): Omit<Scene, "name" | "title"> {
  const standing = description.states?.[state] ?? {};
  const offset = compile(description).joints.find(({ name }) => name === base)?.coordinates.length ?? 0;
  const position = Array.from(
    { length: offset },
    (_, i) => (standing[base]?.position?.[i] ?? 0) + (i === 2 ? height : 0),
  );
  return {
    description,
    start: { ...standing, [base]: { position } },
    seconds: Math.sqrt((2 * height) / gravity) + afterImpact,
    samples: 8,
  };
}
