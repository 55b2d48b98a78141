/** What a mechanism's joints and contacts are as species, and the parameter values that go into their memory. */
import {
  type ContactSpecies,
  type CoordinateFeatures,
  coordinateFeatures,
  coordinateParameterNames,
  frictionPlace,
  type GearSpecies,
  impactParameterNames,
  type JointSpecies,
  type Physics,
} from "../../equations/index.ts";
import { type Matrix3, matrix3, type Quaternion, quaternion, vector } from "../../math/index.ts";
import {
  coordinateParameters,
  featureValues,
  type Mechanism,
  type MechanismBody,
  type MechanismContact,
  type MechanismCoordinate,
  type MechanismFluid,
  type MechanismGear,
  type MechanismJoint,
  type MechanismThruster,
  type TouchPool,
  worldIndex,
} from "../../mechanism/index.ts";

/**
 * ε of the multipliers' diagonal, relative to 1/mass: only the matrix sees it, so a step's accuracy does not depend on it. Of a loop the
 * lightest body counts: where redundant rows do not agree yet, their multipliers grow to 1/ε times what they disagree by, and that must
 * leave room for the others. Gradients, which are made of the matrix, leave it out (gradients/refinement.ts).
 */
const regularization = 1e-10;

/** The bodies whose mass decides how large ε is: those of the loop that a joint closes, or the one below it. */
function bodiesBelow({ tree, joints, bodies, loopJoints }: Mechanism, joint: MechanismJoint): MechanismBody[] {
  if (!loopJoints.includes(joint.index)) return [bodies[joint.child]];
  const above = new Map(
    tree.map(({ joint: index, reversed }) => {
      const { parent, child } = joints[index];
      return reversed ? [parent, child] : [child, parent];
    }),
  );
  const [one, other] = [joint.parent, joint.child].map((body) => {
    const way = new Set<number>();
    for (let at = body; at !== worldIndex; at = above.get(at) as number) way.add(at);
    return way;
  });
  return bodies.filter(({ index }) => one.has(index) !== other.has(index));
}

export function jointSpecies(joint: MechanismJoint): JointSpecies {
  return {
    type: joint.shape,
    parentMoves: joint.parent !== worldIndex,
    features: joint.coordinates.map(featuresOf),
    tilt: joint.tiltLimit !== null,
  };
}

function featuresOf(coordinate: MechanismCoordinate): CoordinateFeatures {
  const acts = Object.entries(coordinateFeatures).map(([name, { parameter }]) => [
    name,
    parameter ? coordinateParameters[parameter].acts(coordinate) : coordinate.input >= 0 && coordinate.servo === null,
  ]);
  return Object.fromEntries(acts);
}

export function contactSpecies(contact: MechanismContact): ContactSpecies {
  const { model, feature, body, other, restitution, torsionalFriction, rollingFriction } = contact;
  const coreOnWorld = body === worldIndex;
  return {
    ...{ model, feature, otherMoves: !coreOnWorld && other !== worldIndex, coreOnWorld, bounces: restitution !== null },
    ...{ torsional: torsionalFriction !== null, rolling: rollingFriction !== null },
  };
}

export function poolSpecies(pool: TouchPool): ContactSpecies {
  const { model, feature, otherMoves, coreOnWorld, bounces, torsional, rolling } = pool;
  return { model, feature, otherMoves, coreOnWorld, bounces, torsional, rolling };
}

export function jointParameterValues(mechanism: Mechanism, joint: MechanismJoint): number[] {
  const { frames } = joint;
  const below = bodiesBelow(mechanism, joint);
  const lightest = Math.min(...below.map(({ mass }) => mass));
  const nimblest = Math.min(...below.map(({ mass, gyration }) => mass * gyration ** 2));
  return [
    ...frames.parentAnchor,
    ...frames.parentFrame,
    ...frames.childAnchor,
    ...frames.childFrame,
    frames.skew,
    frames.axisOffset,
    // turns
    ...joint.coordinates.map(() => 0),
    ...joint.coordinates.flatMap((coordinate) =>
      coordinateParameterNames.map((name) => coordinateParameters[name].value(coordinate)),
    ),
    joint.tiltLimit === null ? -1 : Math.cos(joint.tiltLimit / 2),
    regularization / lightest,
    regularization / nimblest,
  ];
}

export function contactParameterValues(contact: MechanismContact, physics: Physics): number[] {
  const [values, friction] = [featureValues(contact), frictionPlace(contact.feature)];
  return [
    ...values.slice(0, friction),
    contact.frictionCoefficient,
    ...values.slice(friction),
    ...[contact.restitution, contact.torsionalFriction, contact.rollingFriction].filter((value) => value !== null),
    ...(physics === "impact" ? impactParameterNames.map(() => 0) : []),
  ];
}

export function thrusterParameterValues(thruster: MechanismThruster): number[] {
  return [...thruster.position, ...thruster.force, ...thruster.torque, thruster.lower ?? 0, thruster.upper ?? 0];
}

/** The box with a body's mass and inertia: half-sizes along its principal axes, and their frame. */
export function dragParameterValues(fluid: MechanismFluid, body: MechanismBody): number[] {
  const { values, vectors } = matrix3.symmetricEigen(body.inertia);
  const [a, b, c] = values;
  const half = [b + c - a, a + c - b, a + b - c].map((moment) => Math.sqrt(Math.max(0, (1.5 * moment) / body.mass)));
  return [fluid.density, fluid.viscosity, ...fluid.wind, ...half, ...frameOf(vectors)];
}

/** Principal axes as a right-handed frame. */
function frameOf(axes: Matrix3): Quaternion {
  const columns = matrix3.transpose(axes);
  const isRight = vector.dot(vector.cross(columns[0], columns[1]), columns[2]) > 0;
  return quaternion.fromMatrix(
    isRight ? axes : matrix3.transpose([columns[0], columns[1], vector.scale(columns[2], -1)]),
  );
}

export function gearSpecies(gear: MechanismGear): GearSpecies {
  return gear.kind === "range"
    ? { kind: gear.kind, lower: gear.lower !== null, upper: gear.upper !== null }
    : { kind: gear.kind };
}

export function gearParameterValues(mechanism: Mechanism, gear: MechanismGear): number[] {
  if (gear.kind === "range") return [gear.lower ?? 0, gear.upper ?? 0];
  if (gear.kind === "spring") return [gear.stiffness, gear.rest, gear.damping];
  const total = mechanism.bodies.reduce((mass, body) => mass + body.mass, 0);
  return [gear.offset, regularization / total, 0];
}
