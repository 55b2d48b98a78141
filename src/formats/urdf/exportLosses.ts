/** What a description says and its URDF will not. */
import {
  type ContactDescription,
  type JointDescription,
  jointFreedom,
  limitsPerAxis,
  type MechanismDescription,
  perAxis,
} from "../../mechanism/index.ts";
import { lostParameters } from "../lostParameters.ts";

/** A path of the description and what becomes of it. */
export type Warn = (path: string, message: string) => void;

/** Joint types that other readers of URDF know. */
/** What importers take where they are told nothing. */
const usualGravity = [0, 0, -9.81];
const standardKinds = ["fixed", "revolute", "prismatic", "planar", "floating"];

export function isDriven(joint: JointDescription): boolean {
  return perAxis<boolean>(joint.actuated, jointFreedom(joint).freeAxes.length, false).some(Boolean);
}

export function listLosses(description: MechanismDescription, collisions: string, warn: Warn): void {
  listSettings(description, warn);
  const joints = Object.entries(description.joints ?? {});
  for (const [name, joint] of joints) listJoint(`joints.${name}`, joint, warn);
  if (!joints.some(([, joint]) => isDriven(joint))) {
    warn("joints", 'none is actuated, and a URDF without transmissions cannot say so; import it with actuated: "none"');
  }
  for (const [name, body] of Object.entries(description.bodies)) {
    if ((body.gravityScale ?? 1) !== 1) warn(`bodies.${name}.gravityScale`, "left out");
    for (const [i, shape] of (body.shapes ?? []).entries()) {
      if (shape.kind !== "capsule" && shape.kind !== "ellipsoid") continue;
      warn(`bodies.${name}.shapes[${i}]`, `<${shape.kind}> is beyond the standard; other programs may not know it`);
    }
  }
  listSurfaces(description, collisions, warn);
  for (const [i, contact] of (description.contacts ?? []).entries()) {
    listContact(`contacts[${i}]`, contact, collisions, warn);
  }
}

function listSettings(description: MechanismDescription, warn: Warn): void {
  const { timestep, gravity, springConservation, damperCentering, thrusters, fluid, states, stateInputs } = description;
  if (timestep !== 0.01) warn("timestep", `pass timestep: ${timestep} to the importer`);
  const isUsual = gravity?.every((entry, axis) => entry === usualGravity[axis]) ?? true;
  if (gravity && !isUsual) {
    warn("gravity", `pass gravity: [${gravity.join(", ")}] to the importer (--gravity ${gravity.join(",")})`);
  }
  if (springConservation !== undefined) warn("springConservation", "left out");
  if (damperCentering !== undefined) warn("damperCentering", "left out");
  for (const name of Object.keys(thrusters ?? {})) warn(`thrusters.${name}`, "left out");
  if (fluid) warn("fluid", "left out");
  // the importer makes an initial state of its own
  for (const name of Object.keys(states ?? {})) if (name !== "initial") warn(`states.${name}`, "left out");
  for (const name of Object.keys(stateInputs ?? {})) warn(`stateInputs.${name}`, "left out");
  for (const path of lostParameters(description)) warn(`parameters["${path}"]`, "left out");
}

function listJoint(path: string, joint: JointDescription, warn: Warn): void {
  const count = jointFreedom(joint).freeAxes.length;
  if (!standardKinds.includes(joint.kind)) {
    warn(path, `type="${joint.kind.toLowerCase()}" is beyond the standard; other programs may not know it`);
  }
  for (const field of ["stiffness", "armature"] as const) {
    if (perAxis<number>(joint[field], count, 0).some((value) => value !== 0)) warn(`${path}.${field}`, "left out");
  }
  for (const field of ["servo", "tiltLimit", "axisOffset"] as const) {
    if (joint[field] !== undefined && joint[field] !== null) warn(`${path}.${field}`, "left out");
  }
  const limited = limitsPerAxis(joint.limits, count).some((pair) => pair.some((bound) => bound !== null));
  if (count > 1 && limited) warn(`${path}.limits`, "URDF limits joints with one coordinate only; left out");
  if (perAxis<number>(joint.effortCenter, count, 0).some((center) => center !== 0))
    warn(`${path}.effortCenter`, "efforts of URDF are the same both ways; left out");
  const actuated = perAxis<boolean>(joint.actuated, count, false);
  if (new Set(actuated).size > 1) warn(`${path}.actuated`, "a transmission drives all axes of a joint");
}

/** Fields of a surface; friction is listed for all together. */
const surfaceFields = ["restitution", "torsionalFriction", "rollingFriction", "priority", "group", "mask"] as const;

/** What touching shapes lose: their surfaces, the floor, and what may touch what beyond exclusions. */
function listSurfaces(description: MechanismDescription, collisions: string, warn: Warn): void {
  const lists = [
    ["shapes", description.shapes ?? []] as const,
    ...Object.entries(description.bodies).map(([name, { shapes }]) => [`bodies.${name}.shapes`, shapes ?? []] as const),
  ];
  const friction = new Set<number>();
  for (const [path, shapes] of lists) {
    for (const [i, { kind, contact, position = [0, 0, 0] }] of shapes.entries()) {
      if (contact === undefined || contact === false) continue;
      const surface = contact === true ? {} : contact;
      friction.add(surface.frictionCoefficient ?? 0.8);
      for (const field of surfaceFields) {
        if (surface[field] !== undefined) warn(`${path}[${i}].contact.${field}`, "left out");
      }
      if (collisions === "none") warn(`${path}[${i}].contact`, 'left out, because collisions are "none"');
      if (path !== "shapes") continue;
      if (kind === "halfSpace") {
        warn(`${path}[${i}]`, `left out; the importer has a floor, pass floor: { height: ${position[2]} }`);
      } else if (kind === "hull" || kind === "heightField") warn(`${path}[${i}]`, `a ${kind} is left out`);
    }
  }
  if (friction.size > 1 || (friction.size === 1 && !friction.has(0.8))) {
    const least = Math.min(...friction);
    warn("frictionCoefficient", `of shapes is left out; pass floor: { frictionCoefficient: ${least} } to the importer`);
  }
  for (const field of ["adjacent", "include", "only", "combine", "pairs", "capacity"] as const) {
    if (description.collisions?.[field] !== undefined) warn(`collisions.${field}`, "left out");
  }
  if ((description.collisions?.exclude ?? []).length > 0)
    warn("collisions.exclude", "is in `srdf`; pass it to the importer");
}

function listContact(path: string, contact: ContactDescription, collisions: string, warn: Warn): void {
  if (collisions !== "contacts") {
    warn(path, `left out, because collisions are ${JSON.stringify(collisions)}`);
    return;
  }
  const { frictionCoefficient = 0, model, halfSpace } = contact;
  if (frictionCoefficient !== 0.8) {
    warn(`${path}.frictionCoefficient`, `pass floor: { frictionCoefficient: ${frictionCoefficient} } to the importer`);
  }
  if (contact.restitution !== undefined) warn(`${path}.restitution`, "left out");
  if (model !== undefined && model !== "cone") warn(`${path}.model`, `"${model}" is left out`);
  if (halfSpace === undefined) return;
  const upright =
    (halfSpace.body ?? "world") === "world" && halfSpace.normal.every((entry, i) => entry === (i === 2 ? 1 : 0));
  const wayOut = upright
    ? `pass floor: { height: ${halfSpace.offset} } to the importer`
    : "left out; the floor is written";
  warn(`${path}.halfSpace`, wayOut);
}
