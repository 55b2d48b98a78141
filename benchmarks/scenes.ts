/** Mechanisms that several benchmarks share. */
import {
  type BodyDescription,
  box,
  type ContactDescription,
  capsule,
  compile,
  floating,
  frictionContact,
  type JointDescription,
  type Mechanism,
  revolute,
  type Vector3,
} from "dojo-sim";

/** A trunk on four legs of three links: 13 bodies, 12 motors with limits and dampers, 4 feet. As large as a humanoid. */
export function fourLegs(timestep = 0.01): Mechanism {
  const bodies: Record<string, BodyDescription> = { trunk: box({ size: [0.4, 0.3, 0.2], mass: 10 }) };
  const joints: Record<string, JointDescription> = { base: floating({ parent: "world", child: "trunk" }) };
  const contacts: ContactDescription[] = [];
  for (const [leg, x, y] of [
    ["frontLeft", 0.2, 0.15],
    ["frontRight", 0.2, -0.15],
    ["backLeft", -0.2, 0.15],
    ["backRight", -0.2, -0.15],
  ] as const) {
    let parent = "trunk";
    let parentAnchor: Vector3 = [x, y, -0.1];
    for (const [part, axis] of [
      ["Hip", [1, 0, 0]],
      ["Thigh", [0, 1, 0]],
      ["Shin", [0, 1, 0]],
    ] as const) {
      const child = leg + part;
      bodies[child] = capsule({ radius: 0.03, length: 0.2, mass: 1 });
      joints[child] = revolute({
        parent,
        child,
        axis,
        parentAnchor,
        childAnchor: [0, 0, 0.1],
        damping: 0.5,
        limits: [-1, 1],
        actuated: true,
      });
      parent = child;
      parentAnchor = [0, 0, -0.1];
    }
    contacts.push(frictionContact({ body: parent, point: [0, 0, -0.1], radius: 0.03, frictionCoefficient: 0.8 }));
  }
  return compile({ name: "four legs", timestep, bodies, joints, contacts });
}

/** Where `fourLegs` stands, feet just above the floor. */
export const fourLegsHeight = 0.74;

/**
 * A chain of links pinned to the world, without weight: hanging, a long one is a string under tension, whose vibrations between
 * links are too fast for the time step (2·√(links·g/length) rad/s) and would measure substeps.
 */
export function weightlessChain(links: number, timestep = 0.01): Mechanism {
  const bodies: Record<string, BodyDescription> = {};
  const joints: Record<string, JointDescription> = {};
  for (let i = 0; i < links; i++) {
    bodies[`link${i}`] = capsule({ radius: 0.02, length: 0.1, mass: 0.1 });
    joints[`joint${i}`] = revolute({
      parent: i === 0 ? "world" : `link${i - 1}`,
      child: `link${i}`,
      axis: i % 2 === 0 ? [1, 0, 0] : [0, 1, 0],
      parentAnchor: [0, 0, i === 0 ? 0 : -0.05],
      childAnchor: [0, 0, 0.05],
      damping: 0.01,
    });
  }
  return compile({ name: `chain of ${links}`, timestep, gravity: [0, 0, 0], bodies, joints });
}
