/**
 * What a parameter may be set to. A mechanism is compiled without the equations that its description did not ask for: a
 * spring where there is none, a limit that is absent. Such numbers have a place in memory and no effect, so changing one is
 * refused, with a way out; so is whatever leaves the physics: masses and inertias that are not positive, frames that do
 * not rotate, friction cones without an interior.
 */
import { featureAt } from "../../geometry/index.ts";
import { matrix3, vector } from "../../math/index.ts";
import {
  ArgumentError,
  coordinateParameter,
  type Mechanism,
  type MechanismContact,
  type MechanismGear,
  type MechanismJoint,
  type MechanismThruster,
  weightRanges,
} from "../../mechanism/index.ts";
import { inertiaAt } from "./currentMechanism.ts";

/** Reads a parameter as it would be after the change. */
export type ReadParameter = (path: string) => number;

/** Frames may be off length 1 by this much, so that finite differences of their entries pass. */
const frameTolerance = 1e-3;
/** Sine of the smallest angle between a contact's normal and its tangent hint. */
const smallestAngle = 1e-6;

/** Throws when the parameter at `path`, now read from `after` and formerly `before`, is not allowed. */
export function requireParameter(mechanism: Mechanism, path: string, before: number, after: ReadParameter): void {
  const value = after(path);
  if (!Number.isFinite(value)) refuse("not-finite", path, `${value}; give a finite number`);
  // names may contain dots: the longest that fits is taken
  const [kind] = path.split(".", 1);
  const rest = path.slice(kind.length + 1);
  if (kind === "bodies") {
    const body = longestPrefix(mechanism.bodies, rest);
    requireBody(`bodies.${body.name}`, rest.slice(body.name.length + 1), value, after);
  } else if (kind === "joints") {
    const joint = longestPrefix(mechanism.joints, rest);
    requireJoint(joint, rest.slice(joint.name.length + 1), path, before, after);
  } else if (kind === "contacts") {
    const contact = longestPrefix(mechanism.contacts, rest);
    requireContact(contact, rest.slice(contact.name.length + 1), path, value, after);
  } else if (kind === "gears") {
    const gear = longestPrefix(mechanism.gears, rest);
    requireGear(gear, rest.slice(gear.name.length + 1), path, before, after);
  } else if (kind === "thrusters") {
    const thruster = longestPrefix(mechanism.thrusters, rest);
    requireThruster(thruster, rest.slice(thruster.name.length + 1), before, after);
  } else if (kind === "surfaces") {
    if (path.endsWith(".restitution")) requireRestitution(path, value);
    else atLeastZero(path, value);
  } else if (kind === "drag") {
    requireDrag(path, value, after);
  } else requireGlobal(path, value);
}

function longestPrefix<T extends { readonly name: string }>(list: readonly T[], rest: string): T {
  return list
    .filter(({ name }) => rest.startsWith(`${name}.`))
    .reduce((longest, entry) => (entry.name.length > longest.name.length ? entry : longest));
}

function requireGlobal(path: string, value: number): void {
  if (path === "timestep" && value <= 0) refuse("non-positive", path, `${value} must be above 0; 0.01 is a common one`);
  if ((path === "springConservation" || path === "damperCentering") && !(value >= 0 && value <= 1)) {
    refuse("out-of-range", path, `${value} ${weightRanges[path]}`);
  }
}

function requireBody(body: string, name: string, value: number, after: ReadParameter): void {
  const path = `${body}.${name}`;
  if (name === "gravityScale") return;
  if (name === "mass") {
    if (value <= 0) refuse("non-positive", path, `${value} must be above 0; give a small mass instead`);
    return;
  }
  const moments = matrix3.symmetricEigenvalues(inertiaAt(after, `${body}.inertia`));
  if (Math.min(...moments) > 0) return;
  const shown = moments.map((moment) => Number(moment.toPrecision(3))).join(", ");
  const message = `${value} would leave principal moments ${shown}, which must be above 0; ${together}`;
  refuse("inertia-not-positive-definite", path, message);
}

const together = "change entries that belong together with setParameters";

function requireJoint(joint: MechanismJoint, name: string, path: string, before: number, after: ReadParameter): void {
  const value = after(path);
  const [what, part] = name.split(".");
  const own = `joints.${joint.name}`;
  const compiledWithout = (feature: string, wayOut: string): void => {
    if (value === before) return;
    refuse("compiled-without", path, `${own} was compiled without ${feature}, so this would do nothing; ${wayOut}`);
  };
  const coordinate = joint.coordinates[Number(part)];
  const parameter = coordinateParameter(what);
  if (parameter) {
    const { range, feature, remedy } = parameter;
    if (!parameter.acts(coordinate)) compiledWithout(feature, `${remedy} and compile again`);
    else if (range === "from 0") atLeastZero(path, value);
    else if (range === "above 0" && value <= 0) {
      refuse("non-positive", path, `${value} must be above 0 once compiled with it; give a small one, such as 1e-6`);
    }
  }
  switch (what) {
    case "lower":
    case "upper": {
      const both = coordinate.lower !== null && coordinate.upper !== null;
      const [lower, upper] = [after(`${own}.lower.${part}`), after(`${own}.upper.${part}`)];
      if (both && lower >= upper) {
        refuse(
          "limits-order",
          path,
          `lower ${lower} must be below upper ${upper}; move both at once with setParameters`,
        );
      }
      return;
    }
    case "tiltCosine":
      if (joint.tiltLimit === null)
        compiledWithout("a tilt limit", "add tiltLimit to the description's joint and compile again");
      else if (!(value >= 0 && value < 1)) {
        refuse("out-of-range", path, `${value} must be from 0 (half a turn) to below 1: give cos(angle / 2)`);
      }
      return;
    case "skew":
      if (!(joint.shape.serial && joint.shape.rotation === 1))
        compiledWithout("two serial angles", "use a universal joint");
      else if (Math.abs(value) >= 1)
        refuse("out-of-range", path, `${value} must be between -1 and 1; 0 is perpendicular`);
      return;
    case "axisOffset":
      if (!(joint.shape.serial && joint.shape.rotation === 1))
        compiledWithout("two serial angles", "use a universal joint");
      return;
    case "parentFrame":
    case "childFrame":
      requireUnit(`${own}.${what}`, path, after);
      return;
    case "regularization":
      atLeastZero(path, value);
  }
}

function requireContact(
  contact: MechanismContact,
  name: string,
  path: string,
  value: number,
  after: ReadParameter,
): void {
  const own = `contacts.${contact.name}`;
  const triple = (what: string): vector.Vector3 => [
    after(`${own}.${what}.x`),
    after(`${own}.${what}.y`),
    after(`${own}.${what}.z`),
  ];
  if (name === "radius" || name === "torsionalFriction" || name === "rollingFriction") atLeastZero(path, value);
  else if (name === "frictionCoefficient") {
    atLeastZero(path, value);
    if (contact.model === "impact" && value > 0) {
      const wayOut = "give the description's contact a coefficient above 0 and compile again";
      refuse("compiled-without", path, `${own} was compiled without friction, so this would do nothing; ${wayOut}`);
    }
    if (contact.model !== "impact" && value === 0) {
      const wayOut = "give a small one, such as 1e-3, or compile with a coefficient of 0";
      refuse("non-positive", path, `0 must be above 0 once compiled with friction; ${wayOut}`);
    }
  } else if (name === "restitution") requireRestitution(path, value);
  else if ("normal" in featureAt[contact.feature] && (name.startsWith("normal.") || name.startsWith("tangent."))) {
    const [normal, tangent] = [triple("normal"), triple("tangent")];
    const sine = vector.norm(vector.cross(normal, tangent));
    if (sine > smallestAngle * vector.norm(normal) * vector.norm(tangent)) return;
    const message = `would leave the normal zero or along the tangent hint, which must point elsewhere; ${together}`;
    refuse("out-of-range", path, message);
  }
}

function requireRestitution(path: string, value: number): void {
  if (!(value >= 0 && value <= 1))
    refuse("out-of-range", path, `${value} must be between 0, which does not bounce, and 1, which loses nothing`);
}

function requireGear(gear: MechanismGear, name: string, path: string, before: number, after: ReadParameter): void {
  const value = after(path);
  if (name === "regularization" || name === "stiffness" || name === "damping") atLeastZero(path, value);
  if (gear.kind !== "range" || (name !== "lower" && name !== "upper")) return;
  requireBound(`gears.${gear.name}`, gear, name, "give the range of the description's gear this bound", before, after);
}

/** One of two bounds: it must have been compiled, and lower stays below upper. */
function requireBound(
  own: string,
  compiled: { readonly lower: number | null; readonly upper: number | null },
  side: "lower" | "upper",
  remedy: string,
  before: number,
  after: ReadParameter,
): void {
  const path = `${own}.${side}`;
  if (compiled[side] === null && after(path) !== before) {
    const message = `${own} was compiled without this limit, so this would do nothing`;
    refuse("compiled-without", path, `${message}; ${remedy} and compile again`);
  }
  const [lower, upper] = ["lower", "upper"].map((entry) => after(`${own}.${entry}`));
  if (compiled.lower === null || compiled.upper === null || lower < upper) return;
  refuse("limits-order", path, `lower ${lower} must be below upper ${upper}; move both at once with setParameters`);
}

function requireThruster(thruster: MechanismThruster, name: string, before: number, after: ReadParameter): void {
  if (name !== "lower" && name !== "upper") return;
  requireBound(`thrusters.${thruster.name}`, thruster, name, "add limits to the description's thruster", before, after);
}

function requireDrag(path: string, value: number, after: ReadParameter): void {
  if (/\.(density|viscosity|halfSize\.[xyz])$/.test(path)) atLeastZero(path, value);
  const frame = /^(.*\.boxFrame)\.[wxyz]$/.exec(path);
  if (frame) requireUnit(frame[1], path, after);
}

function requireUnit(quaternion: string, path: string, after: ReadParameter): void {
  const length = vector.norm(["w", "x", "y", "z"].map((entry) => after(`${quaternion}.${entry}`)));
  if (Math.abs(length - 1) <= frameTolerance) return;
  refuse("not-unit", path, `would make a quaternion of length ${Number(length.toPrecision(6))}, not 1; ${together}`);
}

function atLeastZero(path: string, value: number): void {
  if (value < 0) refuse("negative", path, `${value} must not be negative; 0 is the least`);
}

function refuse(code: string, path: string, message: string): never {
  throw new ArgumentError(code, path, message);
}
