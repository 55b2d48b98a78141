/** Mechanisms of benchmarks/loops.ts: a rope on serial angles, a ragdoll, legs with closed loops, and what is left of loops cut open. */
import {
  type BodyDescription,
  box,
  capsule,
  compile,
  floating,
  frictionContact,
  type JointDescription,
  type MechanismDescription,
  models,
  revolute,
  serial,
  sphere,
  spherical,
  type Vector3,
} from "dojo-sim";

const axes: readonly Vector3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Leaves out the joints that close loops. */
export function cut(description: MechanismDescription): MechanismDescription {
  const { joints, loopJoints } = compile(description);
  const closing = new Set(loopJoints.map((index) => joints[index].name));
  const left = ([name]: [string, unknown]): boolean => !closing.has(name);
  const keep = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(left));
  const states = Object.entries(description.states ?? {}).map(([name, state]) => [name, keep(state)]);
  return { ...description, joints: keep(description.joints ?? {}), states: Object.fromEntries(states) };
}

/** The rope, each of its ball joints as three hinges in a row. */
export function serialRope(links: number, damping: number): MechanismDescription {
  const description = models.rope({ links, damping });
  const joints = Object.entries(description.joints ?? {}).map(([name, { kind: _, ...joint }]) => [
    name,
    serial({ ...joint, axes }),
  ]);
  return { ...description, joints: Object.fromEntries(joints) };
}

/** Fifteen bodies that fall: springs, dampers and limits at every joint. On ball joints limited by a cone, or on serial angles. */
export function ragdoll(balls: boolean): MechanismDescription {
  const bodies: Record<string, BodyDescription> = {
    pelvis: box({ size: [0.2, 0.3, 0.15], mass: 8 }),
    chest: box({ size: [0.2, 0.3, 0.3], mass: 12 }),
    head: sphere({ radius: 0.1, mass: 4 }),
  };
  const joints: Record<string, JointDescription> = { base: floating({ parent: "world", child: "pelvis" }) };
  const tie = (parent: string, child: string, parentAnchor: Vector3, childAnchor: Vector3): void => {
    const place = { parent, child, parentAnchor, childAnchor, stiffness: 5, damping: 0.5 };
    joints[child] = balls ? spherical({ ...place, tiltLimit: 1 }) : serial({ ...place, axes, limits: [-1, 1] });
  };
  tie("pelvis", "chest", [0, 0, 0.1], [0, 0, -0.2]);
  tie("chest", "head", [0, 0, 0.2], [0, 0, -0.12]);
  for (const [side, y] of [
    ["left", 1],
    ["right", -1],
  ] as const) {
    const limb = (parent: string, at: Vector3, names: readonly string[], length: number): void => {
      let above = parent;
      let anchor = at;
      for (const part of names) {
        const name = `${side}${part}`;
        bodies[name] = capsule({ radius: 0.05, length, mass: 2 });
        tie(above, name, anchor, [0, 0, length / 2 + 0.02]);
        above = name;
        anchor = [0, 0, -length / 2 - 0.02];
      }
    };
    limb("pelvis", [0, 0.1 * y, -0.08], ["Thigh", "Shin", "Foot"], 0.3);
    limb("chest", [0, 0.2 * y, 0.1], ["Arm", "Forearm", "Hand"], 0.2);
  }
  const ends = Object.keys(bodies).filter((name) => /Foot|Hand|head/.test(name));
  return {
    name: "ragdoll",
    timestep: 0.01,
    bodies,
    joints,
    contacts: ends.map((body) =>
      frictionContact({ body, point: [0, 0, -0.1], radius: 0.05, frictionCoefficient: 0.8 }),
    ),
    states: { dropped: { base: { position: [0, 0, 1.15, 0, 0, 0] } } },
  };
}

/**
 * Two legs after Cassie's: thigh, shin and tarsus in a loop with a rod from the thigh to the heel, and a foot that a crank on the tarsus
 * moves by a second rod. 17 bodies, four loops, feet on the ground. At zero coordinates all loops are closed.
 */
export function cassieLike(): MechanismDescription {
  const bodies: Record<string, BodyDescription> = { pelvis: box({ size: [0.2, 0.3, 0.2], mass: 10 }) };
  const joints: Record<string, JointDescription> = { base: floating({ parent: "world", child: "pelvis" }) };
  /** Centres at zero coordinates, from the pelvis. */
  const centres: Record<string, Vector3> = { pelvis: [0, 0, 0] };
  const less = (a: Vector3, b: Vector3): Vector3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const part = (name: string, centre: Vector3, mass: number): void => {
    bodies[name] = box({ size: [0.08, 0.06, 0.2], mass });
    centres[name] = centre;
  };
  const place = (parent: string, child: string, at: Vector3) => ({
    parent,
    child,
    parentAnchor: less(at, centres[parent]),
    childAnchor: less(at, centres[child]),
  });
  for (const [side, y] of [
    ["left", 0.15],
    ["right", -0.15],
  ] as const) {
    const of = (name: string): string => `${side}${name}`;
    const hinge = (parent: string, child: string, at: Vector3, axis: Vector3, more = {}): void => {
      joints[child] = revolute({ ...place(parent, child, at), axis, damping: 0.2, ...more });
    };
    part(of("Hip"), [0, y, -0.15], 2);
    part(of("Thigh"), [0.05, y, -0.3], 4);
    part(of("Shin"), [0, y, -0.55], 1);
    part(of("Tarsus"), [0.1, y, -0.75], 1);
    part(of("Rod"), [-0.1, y, -0.45], 0.3);
    part(of("Crank"), [0.12, y, -0.8], 0.2);
    part(of("Pushrod"), [0.16, y, -0.85], 0.2);
    part(of("Foot"), [0.15, y, -0.95], 0.4);
    const driven = { actuated: true, limits: [-1, 1] };
    hinge("pelvis", of("Hip"), [0, y, -0.1], [1, 0, 0], driven);
    hinge(of("Hip"), of("Thigh"), [0, y, -0.2], [0, 1, 0], driven);
    hinge(of("Thigh"), of("Shin"), [0.08, y, -0.42], [0, 1, 0], driven);
    hinge(of("Shin"), of("Tarsus"), [0, y, -0.65], [0, 1, 0]);
    hinge(of("Tarsus"), of("Foot"), [0.14, y, -0.9], [0, 1, 0]);
    hinge(of("Tarsus"), of("Crank"), [0.12, y, -0.76], [0, 1, 0], driven);
    joints[of("Rod")] = spherical(place(of("Thigh"), of("Rod"), [-0.05, y, -0.3]));
    joints[of("Heel")] = spherical(place(of("Rod"), of("Tarsus"), [-0.08, y, -0.66]));
    joints[of("Pushrod")] = spherical(place(of("Crank"), of("Pushrod"), [0.17, y, -0.8]));
    joints[of("Toe")] = spherical(place(of("Pushrod"), of("Foot"), [0.2, y, -0.9]));
  }
  return {
    name: "Cassie-like legs",
    timestep: 0.01,
    bodies,
    joints,
    contacts: ["left", "right"].flatMap((side) =>
      [-0.08, 0.1].map((x) => frictionContact({ body: `${side}Foot`, point: [x, 0, -0.05], frictionCoefficient: 0.8 })),
    ),
    states: { dropped: { base: { position: [0, 0, 1.02, 0, 0, 0] } } },
  };
}
