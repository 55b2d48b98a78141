/** Suspicious data of a robot: it simulates, though hardly as somebody meant it. */
import { gravityCompensation } from "../control/index.ts";
import type { Mechanism, MechanismBody } from "../mechanism/index.ts";
import { heldContactsNote, type Simulation, type Start, smallBodies } from "../simulation/index.ts";
import type { Suspicion } from "./inspection.ts";

/** A body so much lighter than the one that it hangs on is hardly meant, and makes steps harder. */
const largestMassRatio = 1e4;
/** A body's radius of gyration cannot be larger than the body. */
const gyrationSlack = 1.5;

export function suspicionsOf(simulation: Simulation, start: Start): Suspicion[] {
  const mechanism = simulation.currentMechanism;
  return [
    ...lightBodies(mechanism),
    ...oddInertias(mechanism),
    ...faultyStart(start),
    ...weakMotors(simulation, start),
    ...excludedContacts(mechanism),
    ...tooSmall(mechanism),
    ...missing(mechanism),
  ];
}

function lightBodies({ bodies, joints }: Mechanism): Suspicion[] {
  return joints.flatMap(({ name, parent, child }) => {
    if (parent < 0 || child < 0) return [];
    const [light, heavy] = [bodies[parent], bodies[child]].sort((a, b) => a.mass - b.mass);
    if (heavy.mass < largestMassRatio * light.mass) return [];
    const ratio = Math.round(heavy.mass / light.mass).toLocaleString("en");
    return [
      {
        code: "light-body" as const,
        path: `bodies.${light.name}`,
        message: `${grams(light.mass)}, and ${heavy.name}, on the other side of ${name}, is ${ratio} times as heavy; give it the mass that it has, or fix it to its neighbour`,
      },
    ];
  });
}

function grams(mass: number): string {
  return mass < 1e-3 ? `${figure(mass * 1e6)} mg` : mass < 1 ? `${figure(mass * 1e3)} g` : `${figure(mass)} kg`;
}

const figure = (value: number): string => `${Number(value.toPrecision(3))}`;

/** Radii of gyration beyond the shapes of a body. */
function oddInertias({ bodies, description }: Mechanism): Suspicion[] {
  return bodies.flatMap(({ name, gyration }: MechanismBody) => {
    const shapes = description.bodies[name]?.shapes ?? [];
    const reach = Math.max(0, ...shapes.map(reachOfShape));
    if (reach === 0 || gyration < gyrationSlack * reach) return [];
    return [
      {
        code: "inertia" as const,
        path: `bodies.${name}.inertia`,
        message: `is that of a mass ${figure(gyration)} m from its centre, and its shapes reach ${figure(reach)} m; look at the unit of the inertia and at its origin`,
      },
    ];
  });
}

/** Largest distance of a shape's points from the centre of its body, or a bound on it. */
function reachOfShape(shape: NonNullable<Mechanism["description"]["bodies"][string]["shapes"]>[number]): number {
  const away = Math.hypot(...(shape.position ?? [0, 0, 0]));
  if (shape.kind === "box") return away + Math.hypot(...shape.size) / 2;
  if (shape.kind === "sphere") return away + shape.radius;
  if (shape.kind === "ellipsoid") return away + Math.max(...shape.radii);
  if (shape.kind === "capsule") return away + shape.radius + shape.length / 2;
  if (shape.kind === "cylinder") return away + Math.hypot(shape.radius, shape.length / 2);
  if (shape.kind === "hull") return away + Math.max(...shape.points.map((point) => Math.hypot(...point)));
  return Number.POSITIVE_INFINITY;
}

function faultyStart({ faults, moved }: Start): Suspicion[] {
  if (faults.length === 0) return [];
  const [{ path, message }] = faults;
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  const text = `the first state cannot be started from as it is: ${message}${others}; startOf moves bodies by up to ${figure(moved)} m`;
  return [{ code: "start", path, message: text }];
}

/** Motors that cannot hold the start against gravity. */
function weakMotors(simulation: Simulation, { state }: Start): Suspicion[] {
  const { currentMechanism: mechanism } = simulation;
  const coordinates = mechanism.joints.flatMap((joint) => joint.coordinates);
  const limited = coordinates.filter(({ input, servo, effortLimit }) => input >= 0 && !servo && effortLimit !== null);
  if (limited.length === 0) return [];
  const { input } = gravityCompensation(simulation, state);
  return limited.flatMap(({ name, motion, input: index, effortLimit, effortCenter }) => {
    const needed = Math.abs(input[index] - effortCenter);
    if (!(needed > (effortLimit as number))) return [];
    const unit = motion === "rotation" ? "N·m" : "N";
    return [
      {
        code: "weak-motor" as const,
        path: `joints.${name}`,
        message: `needs ${figure(needed)} ${unit} to hold the start, and gives ${figure(effortLimit as number)} at most`,
      },
    ];
  });
}

function excludedContacts(mechanism: Mechanism): Suspicion[] {
  const note = heldContactsNote(mechanism);
  return note === undefined ? [] : [{ code: "excluded-contacts", path: "contacts", message: note }];
}

function tooSmall(mechanism: Mechanism): Suspicion[] {
  return smallBodies(mechanism).map(({ body, timestep }) => ({
    code: "small-body" as const,
    path: `bodies.${body}`,
    message: `is small for the time step: it turns by radians where it lands; a time step of ${figure(timestep)} s would do`,
  }));
}

function missing({ inputSize, contacts, heldContacts, touch, joints }: Mechanism): Suspicion[] {
  const found: Suspicion[] = [];
  if (inputSize === 0 && joints.some(({ coordinates }) => coordinates.length > 0)) {
    found.push({
      code: "no-inputs",
      path: "joints",
      message: "nothing drives this robot: no joint has a motor or a servo",
    });
  }
  const isLoose = joints.some(({ parent, coordinates }) => parent < 0 && coordinates.length === 6);
  if (isLoose && contacts.length + heldContacts.length === 0 && !touch) {
    found.push({
      code: "no-contacts",
      path: "contacts",
      message: "it can fall, and has nothing that touches anything",
    });
  }
  return found;
}
