/**
 * Parameters by name, as directions in the memory of parameters: a derivative with respect to a parameter is one along its
 * direction.
 *   "bodies.rod.mass", "joints.hinge.damping.0", "gravity.z", "timestep"     any of `simulation.parameterNames`
 *   "bodies.rod.centerOfMass.x|y|z"       the centre of mass moves in the body by c while its geometry stays where it is: joint
 *                                         anchors, contact points, half-spaces and thrusters of the body move by −c as seen from
 *                                         it. Its inertia (about the centre of mass) and the state, which is that of the centre of
 *                                         mass, are held.
 *   "joints.hinge.parentFrame.rotation.x|y|z", "….childFrame.rotation.x"     a small turn of a joint's frame about its own axes:
 *                                         the four numbers of a frame by themselves leave the rotations, and are refused.
 *   "surfaces.crate.shape0.frictionCoefficient", "….restitution", "….torsionalFriction", "….rollingFriction"   of a shape that touches others: the coefficients of all contacts that it
 *                                         has in the step follow by the rule that combines two surfaces.
 *   "contacts.*.frictionCoefficient"      one common parameter: the sum of all that match; * stands for one name or part of it.
 *                                         Those that the mechanism was compiled without are left out.
 */
import { frictionSlopes, largerRule } from "../equations/index.ts";
import { featureFields } from "../geometry/index.ts";
import { type Quaternion, quaternion, type Vector3, vector } from "../math/index.ts";
import {
  ArgumentError,
  coordinateParameter,
  type MechanismTouch,
  matchingNames,
  nearestName,
  type SurfaceParameter,
  surfaceParameters,
  surfacePath,
} from "../mechanism/index.ts";
import type { NamedSystem } from "./slotContacts.ts";

export interface ParameterDirection {
  readonly name: string;
  /** Memory index and how much of it. */
  readonly entries: readonly { readonly index: number; readonly weight: number }[];
}

/** Directions of the named parameters at their present values. `mayBeNone`: patterns of contacts that come and go may fit none. */
export function parameterDirections(
  system: NamedSystem,
  names: readonly string[],
  mayBeNone = false,
): ParameterDirection[] {
  if (names.length === 0) return [];
  const directions = new Directions(system);
  return names.map((name) => (name.includes("*") ? directions.common(name, mayBeNone) : directions.single(name)));
}

/** Every name that `parameterDirections` knows besides patterns. */
export function differentiableParameters(system: NamedSystem): string[] {
  const directions = new Directions(system);
  return directions.names.filter((name) => directions.missingFeature(name) === undefined && !directions.frameOf(name));
}

/** Whether it is a parameter of a surface. */
export function isOfSurface(name: string): boolean {
  return name.startsWith("surfaces.");
}

type Entry = ParameterDirection["entries"][number];
const axes = ["x", "y", "z"] as const;

class Directions {
  private readonly system: NamedSystem;
  private readonly composite: Map<string, () => Entry[]>;

  constructor(system: NamedSystem) {
    this.system = system;
    const { bodies, joints } = system.mechanism;
    this.composite = new Map([
      ...bodies.flatMap(({ name, index }) =>
        axes.map((axis, k): [string, () => Entry[]] => [
          `bodies.${name}.centerOfMass.${axis}`,
          () => this.centerOfMass(index, k),
        ]),
      ),
      ...joints.flatMap(({ name }) =>
        (["parentFrame", "childFrame"] as const).flatMap((frame) =>
          axes.map((axis, k): [string, () => Entry[]] => [
            `joints.${name}.${frame}.rotation.${axis}`,
            () => this.rotation(`joints.${name}.${frame}`, k),
          ]),
        ),
      ),
    ]);
  }

  get names(): string[] {
    return [...this.system.parameters.keys(), ...this.composite.keys()];
  }

  single(name: string): ParameterDirection {
    const index = this.system.parameters.get(name);
    if (index !== undefined && this.system.combined && isOfSurface(name))
      return { name, entries: this.surface(index, this.system.combined) };
    if (index === undefined) {
      const composite = this.composite.get(name);
      if (composite) return { name, entries: composite() };
      const nearest = nearestName(name, this.names);
      const hint =
        nearest === undefined
          ? "parameterNames lists all, and so does dojo inspect --names"
          : `did you mean "${nearest}"? parameterNames lists all, and so does dojo inspect --names`;
      throw new ArgumentError("unknown-parameter", name, `no such parameter; ${hint}`);
    }
    const missing = this.missingFeature(name);
    if (missing !== undefined) {
      const message = `the mechanism was compiled without ${missing}, so its derivative is not known; give the description one and compile again`;
      throw new ArgumentError("compiled-without", name, message);
    }
    const frame = this.frameOf(name);
    if (frame !== undefined) {
      const message = `an entry of a unit quaternion does not vary by itself; give "${frame}.rotation.x", a small turn of the frame about its own axis`;
      throw new ArgumentError("not-unit", name, message);
    }
    return { name, entries: [{ index, weight: 1 }] };
  }

  /** The joint's frame that the name is an entry of, if it is one. */
  frameOf(name: string): string | undefined {
    const frame = /^(joints\..*\.(?:parent|child)Frame)\.[wxyz]$/.exec(name)?.[1];
    return frame !== undefined && this.composite.has(`${frame}.rotation.x`) ? frame : undefined;
  }

  common(pattern: string, mayBeNone: boolean): ParameterDirection {
    const fitting = pattern.includes(".") ? matchingNames(pattern, this.names) : [];
    const matches = fitting.filter((name) => this.missingFeature(name) === undefined);
    if (matches.length === 0 && !mayBeNone) {
      const message =
        "no parameter fits; * stands for one name between dots, and parameterNames lists all, and so does dojo inspect --names";
      throw new ArgumentError("unknown-parameter", pattern, message);
    }
    const total = new Map<number, number>();
    for (const { index, weight } of matches.flatMap((name) => this.single(name).entries)) {
      total.set(index, (total.get(index) ?? 0) + weight);
    }
    return { name: pattern, entries: [...total].map(([index, weight]) => ({ index, weight })) };
  }

  /** What the equations lack for this parameter to have an effect, if anything. */
  missingFeature(name: string): string | undefined {
    const { mechanism, parameters } = this.system;
    if (!parameters.has(name)) return undefined;
    for (const contact of mechanism.contacts) {
      if (name !== `contacts.${contact.name}.frictionCoefficient`) continue;
      return contact.model === "impact" ? "friction there" : undefined;
    }
    for (const thruster of mechanism.thrusters) {
      for (const side of ["lower", "upper"] as const) {
        if (name === `thrusters.${thruster.name}.${side}` && thruster[side] === null) return "that limit";
      }
    }
    return jointFeatureMissing(mechanism, name);
  }

  private read(path: string): number {
    return this.system.f64[this.index(path)];
  }

  private index(path: string): number {
    return this.system.parameters.get(path) as number;
  }

  private readVector(path: string): Vector3 {
    return [this.read(`${path}.x`), this.read(`${path}.y`), this.read(`${path}.z`)];
  }

  /**
   * Coefficients of the contacts that a surface has: restitution f(a, b), friction of all kinds s f(a, b), s being the part of it that the step
   * was taken with.
   */
  private surface(index: number, combined: Int32Array): Entry[] {
    const { f64, mechanism, parameters } = this.system;
    const { touch } = mechanism;
    if (!touch) return [];
    const first = parameters.get(`${surfacePath(mechanism, touch.shapes[0])}.frictionCoefficient`) as number;
    const entries: Entry[] = [];
    for (let k = 0; k < combined.length; k += 4) {
      const [parameter, at, own, other] = combined.subarray(k, k + 4);
      const places = [own, other].map((shape) => first + parameter * touch.shapes.length + shape);
      if (!places.includes(index)) continue;
      const name = surfaceParameters[parameter];
      if (name !== "restitution" && isGiven(touch, name, own, other)) continue;
      const priority = touch.shapes[own].surface.priority - touch.shapes[other].surface.priority;
      const rule = name === "frictionCoefficient" ? touch.combine : largerRule;
      const { value, slopes } = frictionSlopes(rule, f64[places[0]], f64[places[1]], priority);
      const slope = slopes.reduce((sum, entry, side) => (places[side] === index ? sum + entry : sum), 0);
      entries.push({ index: at, weight: name === "restitution" ? slope : (f64[at] / value) * slope });
    }
    return entries;
  }

  /** Everything fixed to the body moves by −1 along the axis. */
  private centerOfMass(body: number, k: number): Entry[] {
    const { joints, contacts, thrusters } = this.system.mechanism;
    const paths: string[] = [];
    for (const { name, parent, child } of joints) {
      if (parent === body) paths.push(`joints.${name}.parentAnchor`);
      if (child === body) paths.push(`joints.${name}.childAnchor`);
    }
    for (const { name, body: own } of thrusters) if (own === body) paths.push(`thrusters.${name}.position`);
    const entries = paths.map((path) => ({ index: this.index(`${path}.${axes[k]}`), weight: -1 }));
    for (const { name, feature, body: own, other } of contacts) {
      for (const { name: field, type, carrier } of featureFields[feature]) {
        if ((carrier === "body" ? own : other) !== body) continue;
        const path = `contacts.${name}.${field}`;
        if (type === "point") entries.push({ index: this.index(`${path}.${axes[k]}`), weight: -1 });
        if (type !== "offset") continue;
        // {p : n·p ≥ offset} becomes {p : n·(p + c) ≥ offset}
        const normal = vector.normalize(this.readVector(`contacts.${name}.normal`));
        entries.push({ index: this.index(path), weight: -normal[k] });
      }
    }
    return entries;
  }

  /** dQ = Q · (0, e/2). */
  private rotation(path: string, k: number): Entry[] {
    const q: Quaternion = [this.read(`${path}.w`), ...this.readVector(path)];
    const turn: Quaternion = [0, k === 0 ? 0.5 : 0, k === 1 ? 0.5 : 0, k === 2 ? 0.5 : 0];
    return quaternion
      .multiply(q, turn)
      .map((weight, i) => ({ index: this.index(`${path}.${["w", ...axes][i]}`), weight }));
  }
}

/** Whether friction of two shapes, of one kind, is said of the pair, not of their surfaces. */
function isGiven(
  { pairs }: MechanismTouch,
  name: Exclude<SurfaceParameter, "restitution">,
  a: number,
  b: number,
): boolean {
  return pairs.some(
    ({ shapes, [name]: given }) =>
      given !== null && Math.min(...shapes) === Math.min(a, b) && Math.max(...shapes) === Math.max(a, b),
  );
}

function jointFeatureMissing(mechanism: Pick<NamedSystem["mechanism"], "joints">, name: string): string | undefined {
  for (const joint of mechanism.joints) {
    const own = `joints.${joint.name}.`;
    if (!name.startsWith(own)) continue;
    const [what, part] = name.slice(own.length).split(".");
    const coordinate = joint.coordinates[Number(part)];
    const parameter = coordinateParameter(what);
    if (parameter && !parameter.acts(coordinate)) return parameter.feature;
    switch (what) {
      case "tiltCosine":
        if (joint.tiltLimit === null) return "a tilt limit";
        break;
      case "skew":
      case "axisOffset":
        if (!(joint.shape.serial && joint.shape.rotation === 1)) return "two serial angles there";
        break;
    }
  }
  return undefined;
}
