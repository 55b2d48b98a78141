/** Faults of contacts and gears. */
import type { ContactDescription, ContactModel, GearDescription, HalfSpace } from "./description.ts";
import { type FaultList, type Fields, fieldsOf, member, show } from "./faults.ts";
import { type CheckedJoint, checkPair } from "./jointFaults.ts";

const contactFields = fieldsOf<ContactDescription>()(
  "name body! point! radius model frictionCoefficient restitution torsionalFriction rollingFriction halfSpace",
);
const halfSpaceFields = fieldsOf<HalfSpace>()("body normal! offset!");
const gearFields = fieldsOf<GearDescription>()("terms! offset range stiffness rest damping");
const termFields = fieldsOf<GearDescription["terms"][number]>()("joint! axis ratio!");
const models = fieldsOf<Record<ContactModel, unknown>>()("impact linear cone");

export function checkContacts(faults: FaultList, path: string, value: unknown, bodies: ReadonlySet<string>): void {
  const contacts = faults.array(path, value, "an array of contacts");
  if (!contacts) return;
  const seen = new Map<string, number>();
  for (const [i, contact] of contacts.entries()) {
    // a contact without a name is called by its number
    const name = checkContact(faults, `${path}[${i}]`, contact, bodies) ?? `contact${i}`;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, i);
    else
      faults.add(
        "duplicate-name",
        `${path}[${i}].name`,
        `${show(name)} is ${path}[${first}] already; rename one, or leave names out`,
      );
  }
}

/** Returns the contact's name. */
function checkContact(
  faults: FaultList,
  path: string,
  value: unknown,
  bodies: ReadonlySet<string>,
): string | undefined {
  const contact = faults.record(path, value, contactFields, "a contact");
  if (!contact) return undefined;
  const body = checkBodyName(faults, `${path}.body`, contact.get("body"), bodies);
  if (contact.get("point") !== undefined) faults.vector3(`${path}.point`, contact.get("point"));
  if (contact.get("radius") !== undefined)
    faults.nonNegative(`${path}.radius`, contact.get("radius"), "0 makes a point");

  // the other side
  let other: string | undefined = "world";
  if (contact.get("halfSpace") !== undefined) {
    const halfSpace = faults.record(`${path}.halfSpace`, contact.get("halfSpace"), halfSpaceFields, "a half-space");
    const at = `${path}.halfSpace.body`;
    other =
      halfSpace &&
      (halfSpace.get("body") === undefined ? "world" : checkBodyName(faults, at, halfSpace.get("body"), bodies));
    if (halfSpace?.get("normal") !== undefined) faults.unit(`${path}.halfSpace.normal`, halfSpace.get("normal"), 3);
    if (halfSpace?.get("offset") !== undefined) faults.number(`${path}.halfSpace.offset`, halfSpace.get("offset"));
  }
  if (body !== undefined && body === other) {
    faults.add(
      "self-contact",
      path,
      `point and half-space both belong to ${show(body)} and never move; name another body`,
    );
  }

  // model and friction go together
  const model =
    contact.get("model") === undefined
      ? "cone"
      : faults.known("unknown-model", `${path}.model`, contact.get("model"), Object.keys(models));
  const friction = contact.get("frictionCoefficient");
  const coefficient =
    friction === undefined
      ? undefined
      : faults.nonNegative(`${path}.frictionCoefficient`, friction, "0 means no friction");
  if (friction === undefined && model !== undefined && model !== "impact") {
    faults.add("missing-field", `${path}.frictionCoefficient`, `model "${model}" needs it; give 0 for no friction`);
  }
  if (coefficient !== undefined && coefficient > 0 && model === "impact") {
    faults.add(
      "friction-without-model",
      `${path}.frictionCoefficient`,
      `model "impact" has no friction; leave it out, or use "cone"`,
    );
  }
  checkRestitution(faults, `${path}.restitution`, contact.get("restitution"));
  for (const name of ["torsionalFriction", "rollingFriction"] as const) {
    const given = contact.get(name);
    if (given === undefined) continue;
    const turning = faults.nonNegative(`${path}.${name}`, given, "0 means none");
    if (turning === undefined || turning === 0 || (model === "cone" && coefficient !== 0)) continue;
    const wayOut = `it needs model "cone" and a frictionCoefficient above 0`;
    faults.add("friction-without-model", `${path}.${name}`, `${wayOut}; give them, or leave it out`);
  }
  return contact.get("name") === undefined ? undefined : faults.string(`${path}.name`, contact.get("name"));
}

export function checkRestitution(faults: FaultList, path: string, value: unknown): void {
  if (value === undefined) return;
  const restitution = faults.nonNegative(path, value, "0 does not bounce");
  if (restitution !== undefined && restitution > 1)
    faults.add("out-of-range", path, `${restitution} would make energy; give a number from 0 to 1`);
}

export function checkBodyName(
  faults: FaultList,
  path: string,
  value: unknown,
  bodies: ReadonlySet<string>,
): string | undefined {
  return value === undefined
    ? undefined
    : value === "world"
      ? value
      : faults.known("unknown-body", path, value, bodies.has(String(value)) ? bodies : new Set([...bodies, "world"]));
}

export function checkGear(
  faults: FaultList,
  path: string,
  value: unknown,
  joints: ReadonlyMap<string, CheckedJoint>,
): void {
  const gear = faults.record(path, value, gearFields, "a gear");
  if (!gear) return;
  checkGearForce(faults, path, gear);
  if (gear.get("terms") === undefined) return;
  const terms = faults.array(`${path}.terms`, gear.get("terms"), "an array of terms");
  if (terms?.length === 0)
    faults.add("empty-gear", `${path}.terms`, "a gear without terms relates nothing; add terms, or remove it");
  for (const [i, term] of (terms ?? []).entries()) checkTerm(faults, `${path}.terms[${i}]`, term, joints);
}

/** An offset, a range, or a spring and damper. */
function checkGearForce(faults: FaultList, path: string, gear: Fields): void {
  const given = (name: keyof GearDescription): boolean => gear.get(name) !== undefined;
  for (const name of ["offset", "rest"] as const) if (given(name)) faults.number(`${path}.${name}`, gear.get(name));
  for (const name of ["stiffness", "damping"] as const)
    if (given(name)) faults.nonNegative(`${path}.${name}`, gear.get(name));
  if (given("range")) {
    const range = gear.get("range");
    checkPair(faults, `${path}.range`, range, "give an offset instead");
    if (Array.isArray(range) && range.length === 2 && range.every((bound) => bound === null)) {
      const wayOut = "give a number on one side, or remove the gear";
      faults.add("empty-gear", `${path}.range`, `a range without bounds limits nothing; ${wayOut}`);
    }
  }
  const isSpring = given("stiffness") || given("damping");
  if (given("rest") && !isSpring)
    faults.add("contradictory-gear", `${path}.rest`, "only a spring rests; give a stiffness, or an offset instead");
  const kinds = [given("offset") && "offset", given("range") && "range", isSpring && "spring or damper"].filter(
    Boolean,
  );
  if (kinds.length > 1)
    faults.add("contradictory-gear", path, `has ${kinds.join(" and ")}, and can have one; make a gear of each`);
}

function checkTerm(faults: FaultList, path: string, value: unknown, joints: ReadonlyMap<string, CheckedJoint>): void {
  const term = faults.record(path, value, termFields, "a gear's term");
  if (!term) return;
  if (term.get("ratio") !== undefined && faults.number(member(path, "ratio"), term.get("ratio")) === 0) {
    faults.add("zero-ratio", `${path}.ratio`, "a term of ratio 0 does nothing; remove it");
  }
  const axis = term.get("axis") === undefined ? 0 : faults.number(`${path}.axis`, term.get("axis"));
  if (term.get("joint") === undefined) return;
  const joint = faults.known("unknown-joint", `${path}.joint`, term.get("joint"), joints);
  const count = joint === undefined ? undefined : joints.get(joint)?.freeAxes;
  if (axis === undefined || count === undefined) return;
  if (Number.isInteger(axis) && axis >= 0 && axis < count) return;
  const wayOut = count === 0 ? "choose a joint that moves" : `axes count from 0 to ${count - 1}`;
  faults.add("unknown-axis", `${path}.axis`, `${axis}: joint ${show(joint)} has ${count} free axes; ${wayOut}`);
}
