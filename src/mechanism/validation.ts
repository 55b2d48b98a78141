/**
 * Everything that can be wrong with a description and be seen without moving it. (Loops that no configuration closes
 * need kinematics and are found by `compile`.) A description may be untrusted JSON: nothing here throws but
 * `assertDescription`, and that only `DescriptionError`.
 */
import { checkBody } from "./bodyFaults.ts";
import { checkContacts, checkGear } from "./contactFaults.ts";
import type { MechanismDescription } from "./description.ts";
import { checkFluid, checkStateInputs, checkStates, checkThruster } from "./extraFaults.ts";
import { DescriptionError, type Fault, FaultList, fieldsOf, member, show } from "./faults.ts";
import { inputNamesOf } from "./inputNames.ts";
import { type CheckedJoint, checkJoint } from "./jointFaults.ts";
import { checkOrder } from "./order.ts";
import { checkCollisions, checkShapes } from "./shapeFaults.ts";

export { DescriptionError, type Fault, type FaultCode } from "./faults.ts";

const mechanismFields = fieldsOf<MechanismDescription>()(
  "name timestep! gravity springConservation damperCentering bodies! joints contacts shapes collisions gears",
  "thrusters fluid states stateInputs parameters order",
);

/** Throws one `DescriptionError` that lists every fault. */
export function assertDescription(description: unknown): asserts description is MechanismDescription {
  const faults = faultsOf(description);
  if (faults.length > 0) throw new DescriptionError(faults);
}

/** Every fault, in the order of the description; empty when it is valid. */
export function faultsOf(description: unknown): Fault[] {
  const faults = new FaultList();
  const fields = faults.record("", description, mechanismFields, "a description");
  if (!fields) return faults.faults.map((fault) => ({ ...fault, path: "description" }));
  const given = (name: keyof MechanismDescription, check: (value: unknown) => void) => {
    if (fields.get(name) !== undefined) check(fields.get(name));
  };

  given("name", (value) => faults.string("name", value));
  given("timestep", (value) => faults.positive("timestep", value, "0.01 is a common one"));
  given("gravity", (value) => faults.vector3("gravity", value));
  given("springConservation", (value) => checkWeight(faults, "springConservation", value));
  given("damperCentering", (value) => checkWeight(faults, "damperCentering", value));

  const bodies = new Map<string, unknown>();
  given("bodies", (value) => {
    for (const [name, body] of faults.dictionary("bodies", value, "bodies by name") ?? []) {
      bodies.set(name, body);
      checkBody(faults, member("bodies", name), name, body);
    }
    if (bodies.size === 0)
      faults.add("no-bodies", "bodies", "a mechanism needs a body; add one, such as box({ size, mass })");
  });

  const bodyNames: ReadonlySet<string> = new Set(bodies.keys());
  const joints = new Map<string, CheckedJoint>();
  given("joints", (value) => {
    for (const [name, joint] of faults.dictionary("joints", value, "joints by name") ?? []) {
      joints.set(name, checkJoint(faults, member("joints", name), joint, bodyNames));
    }
  });
  checkReachable(faults, bodyNames, joints);

  given("contacts", (value) => checkContacts(faults, "contacts", value, bodyNames));
  given("shapes", (value) => checkShapes(faults, "shapes", value));
  given("collisions", (value) =>
    checkCollisions(faults, "collisions", value, bodyNames, surfaceNames(fields.get("shapes"), bodies)),
  );
  given("gears", (value) => {
    for (const [name, gear] of faults.dictionary("gears", value, "gears by name") ?? []) {
      checkGear(faults, member("gears", name), gear, joints);
    }
  });
  given("thrusters", (value) => {
    for (const [name, thruster] of faults.dictionary("thrusters", value, "thrusters by name") ?? []) {
      checkThruster(faults, member("thrusters", name), thruster, bodyNames);
    }
  });
  given("fluid", (value) => checkFluid(faults, "fluid", value));
  given("order", (value) => {
    checkOrder(faults, value, (kind) => Object.keys((fields.get(kind) as object | undefined) ?? {}));
  });
  given("parameters", (value) => {
    for (const [path, number] of faults.dictionary("parameters", value, "values by the paths of parameters") ?? []) {
      faults.number(member("parameters", path), number);
    }
  });
  given("states", (value) => checkStates(faults, "states", value, joints));
  given("stateInputs", (value) => {
    // what is actuated is known of joints and thrusters without faults
    const inputs = faults.faults.length > 0 ? undefined : inputNamesOf(description as MechanismDescription);
    const states = Object.keys((fields.get("states") as object | undefined) ?? {});
    checkStateInputs(faults, "stateInputs", value, states, inputs && new Set(inputs));
  });
  return faults.faults;
}

/** What ρ of springs, or of dampers and servos, may be. */
export const weightRanges = {
  springConservation: "must be from 0 (damps) to 1 (conserves energy); 0.9 is the default",
  damperCentering: "must be from 0 (dampers act at the end of a step) to 1 (in its middle); 0.2 is the default",
} as const;

function checkWeight(faults: FaultList, name: keyof typeof weightRanges, value: unknown): void {
  const number = faults.number(name, value);
  if (number === undefined || (number >= 0 && number <= 1)) return;
  faults.add("out-of-range", name, `${number} ${weightRanges[name]}`);
}

/**
 * Every body must hang on the world by some path of joints, whichever way they point: one fault for each group that
 * does not. When an end of some joint is unknown, nobody can tell, and that fault is reported already.
 */
/** Names of the shapes that touch, by body, of a description that may be wrong anywhere. */
function surfaceNames(world: unknown, bodies: ReadonlyMap<string, unknown>): Map<string, string[]> {
  const namesOf = (shapes: unknown): string[] =>
    (Array.isArray(shapes) ? shapes : []).flatMap((shape: unknown, i) => {
      const { name = `shape${i}`, contact = false } = (shape ?? {}) as { name?: string; contact?: unknown };
      return contact === false ? [] : [name];
    });
  return new Map([
    ["world", namesOf(world)],
    ...[...bodies].map(([name, body]): [string, string[]] => [
      name,
      namesOf((body as { shapes?: unknown } | undefined)?.shapes),
    ]),
  ]);
}

function checkReachable(
  faults: FaultList,
  bodies: ReadonlySet<string>,
  joints: ReadonlyMap<string, CheckedJoint>,
): void {
  const neighbours = new Map<string, string[]>(["world", ...bodies].map((name) => [name, []]));
  const children = new Set<string>();
  for (const { parent, child } of joints.values()) {
    if (parent === undefined || child === undefined) return;
    neighbours.get(parent)?.push(child);
    neighbours.get(child)?.push(parent);
    children.add(child);
  }

  const reached = new Set<string>();
  const reach = (start: string): string[] => {
    const group = [start];
    reached.add(start);
    // the group grows while we walk it
    for (const name of group) {
      for (const neighbour of neighbours.get(name) ?? []) {
        if (reached.has(neighbour)) continue;
        reached.add(neighbour);
        group.push(neighbour);
      }
    }
    return group;
  };
  reach("world");
  for (const start of bodies) {
    if (reached.has(start)) continue;
    const group = reach(start);
    const root = group.find((name) => !children.has(name)) ?? start;
    const others = group.length > 1 ? ` (nor are ${group.length - 1} bodies joined to it)` : "";
    const wayOut = `add floating({ parent: "world", child: ${show(root)} }) to the joints`;
    faults.add("unreachable-body", member("bodies", root), `is joined to the world by no path${others}; ${wayOut}`);
  }
}
