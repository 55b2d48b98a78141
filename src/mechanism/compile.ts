/**
 * Description → mechanism: every fault is reported at once, names become indices, joints get their frames, and a spanning
 * tree of the joints is laid from the world.
 */
import { bodyStateSize, matrix3, quaternion, vector } from "../math/index.ts";
import { coordinateNumbers } from "./coordinateParameters.ts";
import type {
  ContactDescription,
  GearDescription,
  JointDescription,
  Matrix3,
  MechanismDescription,
  Quaternion,
  Servo,
  Vector3,
} from "./description.ts";
import { isSerial, jointFreedom } from "./freedom.ts";
import { actuatedAxes } from "./inputNames.ts";
import {
  type JointFrameValues,
  type JointShape,
  type Mechanism,
  type MechanismBody,
  type MechanismContact,
  type MechanismCoordinate,
  type MechanismGear,
  type MechanismJoint,
  type MechanismThruster,
  worldIndex,
} from "./mechanism.ts";
import { entriesOf } from "./order.ts";
import { eachAxis, limitsPerAxis, perAxis } from "./perAxis.ts";
import { spanningTree } from "./spanningTree.ts";
import { touchOf } from "./touch.ts";
import { DescriptionError, faultsOf } from "./validation.ts";

export function compile(description: MechanismDescription): Mechanism {
  const faults = faultsOf(description);
  if (faults.length > 0) throw new DescriptionError(faults);

  const bodies = entriesOf(description, "bodies").map(([name, body], index): MechanismBody => {
    const { mass, inertia, gravityScale = 1 } = body;
    return { name, index, mass, inertia, gravityScale, gyration: gyrationOf(mass, inertia) };
  });
  const bodyIndex = (name: string): number =>
    name === "world" ? worldIndex : bodies.findIndex((body) => body.name === name);

  const inputNames: string[] = [];
  const coordinateNames: string[] = [];
  const joints = entriesOf(description, "joints").map(([name, joint], index): MechanismJoint => {
    const coordinateOffset = coordinateNames.length;
    const coordinates = jointCoordinates(name, joint, inputNames);
    coordinateNames.push(...coordinates.map((coordinate) => coordinate.name));
    const shape = jointShape(joint);
    return {
      name,
      index,
      parent: bodyIndex(joint.parent),
      child: bodyIndex(joint.child),
      shape,
      frames: jointFrames(joint, shape),
      coordinates,
      coordinateOffset,
      tiltLimit: joint.tiltLimit ?? null,
    };
  });
  const contacts = (description.contacts ?? []).map((contact, index) => mechanismContact(contact, index, bodyIndex));
  const gears = entriesOf(description, "gears").map(
    ([name, gear], index): MechanismGear => ({
      name,
      index,
      terms: gear.terms.map((term) => ({
        joint: joints.findIndex((joint) => joint.name === term.joint),
        coordinate: term.axis ?? 0,
        ratio: term.ratio,
      })),
      ...gearForce(gear),
    }),
  );
  const thrusters = entriesOf(description, "thrusters").map(
    ([name, thruster], index): MechanismThruster => ({
      name,
      index,
      body: bodyIndex(thruster.body),
      position: thruster.position ?? [0, 0, 0],
      force: thruster.force ?? [0, 0, 0],
      torque: thruster.torque ?? [0, 0, 0],
      lower: thruster.limits?.[0] ?? null,
      upper: thruster.limits?.[1] ?? null,
      input: inputNames.push(name) - 1,
    }),
  );
  const { density = 0, viscosity = 0, wind = [0, 0, 0] } = description.fluid ?? {};
  const fluid = density > 0 || viscosity > 0 ? { density, viscosity, wind } : null;
  const touch = touchOf(description, bodies, joints);
  const { tree, loopJoints } = spanningTree(bodies.length, joints);
  return frozen({
    description: structuredClone(description),
    name: description.name ?? "mechanism",
    timestep: description.timestep,
    gravity: description.gravity ?? [0, 0, -9.81],
    springConservation: description.springConservation ?? 0.9,
    damperCentering: description.damperCentering ?? 0.2,
    bodies,
    joints,
    contacts,
    heldContacts: [],
    gears,
    thrusters,
    fluid,
    ...(touch && { touch }),
    tree,
    loopJoints,
    stateSize: bodyStateSize * bodies.length,
    inputSize: inputNames.length,
    coordinateCount: coordinateNames.length,
    inputNames,
    coordinateNames,
  });
}

/** √(largest principal moment / mass). */
export function gyrationOf(mass: number, inertia: Matrix3): number {
  return Math.sqrt(Math.max(...matrix3.symmetricEigenvalues(inertia)) / mass);
}

function jointCoordinates(name: string, joint: JointDescription, inputNames: string[]): MechanismCoordinate[] {
  const { freeAxes } = jointFreedom(joint);
  const count = freeAxes.length;
  const numbers = (Object.keys(coordinateNumbers) as (keyof typeof coordinateNumbers)[]).map(
    (option) => [option, perAxis<number>(joint[option], count, 0)] as const,
  );
  const limits = limitsPerAxis(joint.limits, count);
  const actuated = actuatedAxes(joint);
  const isPassive = [joint.stiffness, joint.damping, joint.armature].some((value) => value !== undefined);
  const servos = eachAxis<Servo>(joint.servo, count);
  const efforts = eachAxis<number>(joint.effortLimit, count);
  return freeAxes.map((axis, i) => {
    const coordinateName = `${name}.${axis.name}`;
    return {
      name: coordinateName,
      motion: axis.motion,
      passive: isPassive,
      ...(Object.fromEntries(numbers.map(([option, values]) => [option, values[i]])) as Record<
        keyof typeof coordinateNumbers,
        number
      >),
      lower: limits[i][0],
      upper: limits[i][1],
      servo: servos[i],
      effortLimit: efforts[i],
      input: actuated[i] ? inputNames.push(coordinateName) - 1 : -1,
    };
  });
}

/** What acts on a gear's sum. */
function gearForce({ offset = 0, range, stiffness, rest = 0, damping }: GearDescription) {
  if (range) return { kind: "range", lower: range[0], upper: range[1] } as const;
  if (stiffness === undefined && damping === undefined) return { kind: "equality", offset } as const;
  return { kind: "spring", stiffness: stiffness ?? 0, rest, damping: damping ?? 0 } as const;
}

function jointShape(joint: JointDescription): JointShape {
  const { constrainedTranslations, constrainedRotations } = jointFreedom(joint);
  const axes = joint.axes ?? [];
  const serial = isSerial(joint.kind) && axes.length > 1;
  return {
    translation: constrainedTranslations as JointShape["translation"],
    rotation: constrainedRotations as JointShape["rotation"],
    serial,
    mirrored: serial && axes.length === 3 && vector.dot(vector.cross(axes[0], axes[1]), axes[2]) < 0,
  };
}

/** Joint frames in parent and child: they coincide, up to the skew of serial axes, at zero coordinates. */
function jointFrames(joint: JointDescription, shape: JointShape): JointFrameValues {
  const zeroOrientation = joint.orientation ? quaternion.normalize(joint.orientation) : identity;
  const parentFrame = shape.serial ? serialFrame(joint.axes as readonly Vector3[]) : axisFrame(joint, shape);
  const skew =
    shape.serial && shape.rotation === 1
      ? vector.dot((joint.axes as readonly Vector3[])[0], (joint.axes as readonly Vector3[])[1])
      : 0;
  const childFrame = quaternion.multiply(
    quaternion.multiply(quaternion.conjugate(zeroOrientation), parentFrame),
    serialTurn(skew),
  );
  return {
    parentAnchor: joint.parentAnchor ?? [0, 0, 0],
    parentFrame,
    childAnchor: joint.childAnchor ?? [0, 0, 0],
    childFrame,
    skew,
    axisOffset: joint.axisOffset ?? 0,
  };
}

const identity: Quaternion = [1, 0, 0, 0];

/** C of R = Rx(θ₁) C Ry(θ₂): the turn about z that carries y to the second of two serial axes, sin(turn) = −skew. */
export function serialTurn(skew: number): Quaternion {
  return skew === 0 ? identity : quaternion.fromAxisAngle([0, 0, 1], -Math.asin(skew));
}

/** Frame whose z axis is the joint's axis; the parent's own frame where no axis matters. */
function axisFrame(joint: JointDescription, shape: JointShape): Quaternion {
  const axis = isSerial(joint.kind) ? joint.axes?.[0] : joint.axis;
  const matters = [shape.translation, shape.rotation].some((count) => count === 1 || count === 2);
  if (!axis || !matters) return identity;
  const z = vector.normalize(axis);
  const [x, y] = vector.perpendicularBasis(z);
  return quaternion.fromMatrix(matrix3.transpose([x, y, z]));
}

/** Frame with x along the first hinge and y in the plane of the first two. */
function serialFrame(axes: readonly Vector3[]): Quaternion {
  const x = vector.normalize(axes[0]);
  const y = vector.normalize(vector.sub(axes[1], vector.scale(x, vector.dot(axes[1], x))));
  return quaternion.fromMatrix(matrix3.transpose([x, y, vector.cross(x, y)]));
}

function mechanismContact(
  contact: ContactDescription,
  index: number,
  bodyIndex: (name: string) => number,
): MechanismContact {
  const frictionCoefficient = contact.frictionCoefficient ?? 0;
  const normal = contact.halfSpace ? vector.normalize(contact.halfSpace.normal) : vector.unitZ;
  return {
    name: contact.name ?? `contact${index}`,
    index,
    body: bodyIndex(contact.body),
    other: bodyIndex(contact.halfSpace?.body ?? "world"),
    // the friction cone of a zero coefficient has no interior
    model: frictionCoefficient === 0 ? "impact" : (contact.model ?? "cone"),
    feature: "pointPlane",
    point: contact.point,
    radius: contact.radius ?? 0,
    frictionCoefficient,
    restitution: contact.restitution ?? null,
    torsionalFriction: contact.torsionalFriction || null,
    rollingFriction: contact.rollingFriction || null,
    normal,
    offset: contact.halfSpace?.offset ?? 0,
    tangent: vector.perpendicularBasis(normal)[0],
  };
}

/** Freezes an object and everything in it. */
function frozen<T extends object>(value: T): T {
  for (const entry of Object.values(value)) if (typeof entry === "object" && entry !== null) frozen(entry);
  return Object.freeze(value);
}
