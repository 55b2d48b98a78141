/** What the page has to know of a mechanism: shapes to draw, sliders to make. */
import { inertiaEllipsoid, type Mechanism, type MechanismCoordinate, type MechanismJoint } from "dojo-sim";
import type { CoordinateInfo, InputInfo, SceneInfo } from "../protocol.ts";
import { ownFriction } from "./settings.ts";

type Parts = Pick<
  SceneInfo,
  | "bodies"
  | "contacts"
  | "world"
  | "coordinates"
  | "inputs"
  | "weight"
  | "groupMasses"
  | "base"
  | "floats"
  | "friction"
  | "restitution"
>;

/** `reach` is half the robot's size. */
export function mechanismParts(mechanism: Mechanism, reach: number): Parts {
  const { description, bodies, contacts, heldContacts, joints } = mechanism;
  const mass = bodies.reduce((sum, body) => sum + body.mass, 0);
  const root = joints.find(
    ({ parent, coordinates }) => parent < 0 && coordinates.filter(({ motion }) => motion === "translation").length >= 2,
  );
  const lastChild = mechanism.tree.length > 0 ? joints[mechanism.tree[mechanism.tree.length - 1].joint].child : 0;
  return {
    bodies: bodies.map((body) => {
      const { shapes } = description.bodies[body.name];
      const drawn = shapes && shapes.length > 0 ? shapes : [inertiaEllipsoid(description.bodies[body.name])];
      return { name: body.name, mass: body.mass, shapes: drawn };
    }),
    world: description.shapes ?? [],
    // those that joints hold are on the floor too, and bear nothing
    contacts: [...contacts, ...heldContacts]
      .filter((contact) => contact.feature === "pointPlane")
      .map(({ name, body, other, point, radius, normal, offset }) => {
        return { name, body, other, point, radius, normal, offset };
      }),
    coordinates: joints.flatMap(({ coordinates }) =>
      coordinates.map((coordinate): CoordinateInfo => {
        const [lower, upper] = rangeOf(coordinate);
        return { name: coordinate.name, motion: coordinate.motion, lower, upper };
      }),
    ),
    inputs: inputsOf(mechanism, 9.81 * mass, reach),
    weight: Math.hypot(...mechanism.gravity) * mass,
    groupMasses: groupMassesOf(mechanism),
    base: root ? root.child : Math.max(0, lastChild),
    floats: root !== undefined,
    friction: ownFriction(mechanism),
    restitution: contacts.find(({ restitution }) => restitution !== null)?.restitution ?? null,
  };
}

function inputsOf(mechanism: Mechanism, weight: number, reach: number): InputInfo[] {
  const found: (InputInfo & { readonly at: number })[] = [];
  for (const joint of mechanism.joints) {
    for (const coordinate of joint.coordinates) {
      if (coordinate.input >= 0) found.push({ at: coordinate.input, ...jointInput(joint, coordinate, weight, reach) });
    }
  }
  for (const { name, body, input, lower, upper } of mechanism.thrusters) {
    found.push({ at: input, name, kind: "thruster", lower: lower ?? -weight, upper: upper ?? weight, unit: "", body });
  }
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...input }) => input);
}

function jointInput(joint: MechanismJoint, coordinate: MechanismCoordinate, weight: number, reach: number): InputInfo {
  const turns = coordinate.motion === "rotation";
  const common = { name: coordinate.name, body: joint.child >= 0 ? joint.child : joint.parent };
  if (coordinate.servo) {
    const [lower, upper] = rangeOf(coordinate);
    return { ...common, kind: "servo", lower, upper, unit: turns ? "rad" : "m" };
  }
  const most = coordinate.effortLimit ?? roundUp(turns ? 0.5 * weight * reach : weight);
  return { ...common, kind: "motor", lower: -most, upper: most, unit: turns ? "N·m" : "N" };
}

/** Range of a slider: the limits, or half a turn and two metres both ways. */
function rangeOf({ motion, lower, upper }: MechanismCoordinate): [number, number] {
  const most = motion === "rotation" ? Math.PI : 2;
  return [lower ?? Math.min(-most, (upper ?? 0) - most), upper ?? Math.max(most, (lower ?? 0) + most)];
}

/** 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= value) ?? value;
}

/** For each body the mass of all that joints hold together with it. Floating joints hold nothing, and the world ties nobody to others. */
export function groupMassesOf({ bodies, joints }: Mechanism): number[] {
  const group = bodies.map((_, body) => body);
  for (const { parent, child, coordinates } of joints) {
    if (parent < 0 || child < 0 || coordinates.length === 6) continue;
    const [into, from] = [group[parent], group[child]];
    group.forEach((own, body) => {
      if (own === from) group[body] = into;
    });
  }
  return group.map((own) => bodies.reduce((sum, { mass }, body) => sum + (group[body] === own ? mass : 0), 0));
}
