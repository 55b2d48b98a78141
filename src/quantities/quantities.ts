/**
 * What costs, constraints, rewards and observations are written in: the named quantities of a mechanism, as expressions.
 *   q.coordinate("hinge.angle"), q.rate("hinge.angle")          joint coordinates and their rates
 *   q.body("torso").position, .orientation, .velocity, .angularVelocity, .upright, .point([0, 0, 0.2]).position
 *   q.centerOfMass.position, .velocity; q.momentum.linear, .angular
 *   q.contact("foot").distance, .normalImpulse, .frictionImpulse
 *   q.input("hinge.angle"), q.time, q.parameter("height")
 *   q.named("bodies.torso.position.z")
 * They are built with `add`, `mul`, `sin` and the other functions of symbolic/; derivatives and kernels are generated (quantityFunction.ts).
 * Positions and velocities of bodies are those of their centres of mass, in the world; angular velocities are in the body's frame. Velocities
 * are means over the last interval, as in states. Momentum is m v and J ω of these velocities. Impulses of contacts are those of the step that
 * led to the state; who evaluates them has to know them (environments do), and `named` has no paths for them.
 */
import { contactGap, type Pose, worldPose } from "../equations/index.ts";
import { impulseSize } from "../kernels/index.ts";
import { bodyStateSize, stateOffsets } from "../math/index.ts";
import {
  ArgumentError,
  featureValues,
  type Mechanism,
  named,
  namedContact,
  nearestName,
  worldIndex,
} from "../mechanism/index.ts";
import {
  cross,
  div,
  type Expr,
  Graph,
  matVec,
  mul,
  rotate,
  type Scalar,
  sum,
  vadd,
  vscale,
} from "../symbolic/index.ts";

export interface PointQuantities {
  readonly position: readonly Scalar[];
  readonly velocity: readonly Scalar[];
}

export interface BodyQuantities extends PointQuantities {
  /** Scalar first, body to world. */
  readonly orientation: readonly Expr[];
  /** Angular velocity in the body's frame. */
  readonly angularVelocity: readonly Expr[];
  /** The body's axes seen in the world: `axes[2][2]` is 1 where its z axis points up. */
  readonly axes: readonly (readonly Scalar[])[];
  /** A point given in the body's frame, from its centre of mass. */
  readonly point: (place: readonly Scalar[]) => PointQuantities;
}

export interface ContactQuantities {
  /** Signed distance. */
  readonly distance: Scalar;
  /** Normal impulse in the step that led to the state, N·s. */
  readonly normalImpulse: Scalar;
  /** Friction impulses along the two tangents, N·s. */
  readonly frictionImpulse: readonly Scalar[];
}

/** Where a symbol's number comes from, and which entry it is. */
export type Section = "minimal" | "state" | "input" | "impulse" | "time" | "parameter";

export interface SymbolPlace {
  readonly section: Section;
  readonly index: number;
}

export class Quantities {
  readonly mechanism: Mechanism;
  readonly graph = new Graph();
  /** Where the number of each symbol comes from. */
  readonly places = new Map<Expr, SymbolPlace>();
  private readonly symbols = new Map<string, Expr>();
  private readonly parameterNumbers = new Map<string, number>();
  private lazyReaders: ReadonlyMap<string, Reader> | undefined;

  constructor(mechanism: Mechanism) {
    this.mechanism = mechanism;
  }

  /** Joint coordinate by its name in `mechanism.coordinateNames`. */
  coordinate(name: string): Expr {
    return this.symbol("minimal", this.coordinateIndex(name), name);
  }

  /** Its rate; of an entry of a rotation vector, of the relative angular velocity. */
  rate(name: string): Expr {
    const { coordinateCount } = this.mechanism;
    return this.symbol("minimal", coordinateCount + this.coordinateIndex(name), `${name} rate`);
  }

  /** All coordinates, then all rates, in the order of a minimal state. */
  get minimalState(): readonly Expr[] {
    const { coordinateNames } = this.mechanism;
    return [...coordinateNames.map((name) => this.coordinate(name)), ...coordinateNames.map((name) => this.rate(name))];
  }

  body(name: string): BodyQuantities {
    return this.bodyAt(named(this.mechanism.bodies, name, "body").index);
  }

  /** Centre of mass of the whole mechanism. */
  get centerOfMass(): PointQuantities {
    const { bodies } = this.mechanism;
    const total = bodies.reduce((mass, body) => mass + body.mass, 0);
    const mean = (read: (body: BodyQuantities) => readonly Scalar[]): Scalar[] =>
      [0, 1, 2].map((k) => div(sum(bodies.map(({ mass, index }) => mul(mass, read(this.bodyAt(index))[k]))), total));
    return { position: mean(({ position }) => position), velocity: mean(({ velocity }) => velocity) };
  }

  /** Momentum of the whole mechanism; angular momentum about the world's origin. */
  get momentum(): { readonly linear: readonly Scalar[]; readonly angular: readonly Scalar[] } {
    const parts = this.mechanism.bodies.map(({ mass, inertia, index }) => {
      const { position, velocity, orientation, angularVelocity } = this.bodyAt(index);
      const linear = vscale(velocity, mass);
      const own = rotate(orientation, matVec(inertia, angularVelocity));
      return { linear, angular: vadd(cross(position, linear), own) };
    });
    const total = (read: (part: (typeof parts)[number]) => readonly Scalar[]): Scalar[] =>
      [0, 1, 2].map((k) => sum(parts.map((part) => read(part)[k])));
    return { linear: total(({ linear }) => linear), angular: total(({ angular }) => angular) };
  }

  contact(name: string): ContactQuantities {
    const contact = namedContact(this.mechanism, name);
    const impulse = (k: number): Scalar =>
      "distance" in contact ? 0 : this.symbol("impulse", impulseSize * contact.index + k, `${name} impulse ${k}`);
    const poseOf = (body: number): Pose => {
      if (body === worldIndex) return worldPose;
      const { position, orientation } = this.bodyAt(body);
      return { position, orientation };
    };
    return {
      get distance() {
        return contactGap(contact.feature, featureValues(contact), poseOf(contact.body), poseOf(contact.other));
      },
      get normalImpulse() {
        return impulse(0);
      },
      get frictionImpulse() {
        return [impulse(1), impulse(2)];
      },
    };
  }

  /** Input by its name in `mechanism.inputNames`. */
  input(name: string): Expr {
    return this.symbol("input", this.indexIn(this.mechanism.inputNames, name, "input"), `input ${name}`);
  }

  get inputs(): readonly Expr[] {
    return this.mechanism.inputNames.map((name) => this.input(name));
  }

  /** Seconds since the start. */
  get time(): Expr {
    return this.symbol("time", 0, "time");
  }

  /** A number that is given with each evaluation: a reference that changes along the way, say. */
  parameter(name: string): Expr {
    const number = this.parameterNumbers.get(name) ?? this.parameterNumbers.size;
    this.parameterNumbers.set(name, number);
    return this.symbol("parameter", number, `parameter ${name}`);
  }

  get parameterNames(): readonly string[] {
    return [...this.parameterNumbers.keys()];
  }

  /** A quantity by its path: one of `quantityNames`. */
  named(path: string): Scalar {
    const found = this.readers.get(path);
    if (found) return found(this);
    const nearest = nearestName(path, this.names);
    const hint =
      nearest === undefined
        ? "quantityNames lists all, and so does dojo inspect --names"
        : `did you mean "${nearest}"?`;
    throw new ArgumentError("unknown-quantity", path, `no such quantity; ${hint}`);
  }

  /** The paths that `named` takes. */
  get names(): string[] {
    return [...this.readers.keys()];
  }

  private get readers(): ReadonlyMap<string, Reader> {
    this.lazyReaders ??= namedReaders(this.mechanism);
    return this.lazyReaders;
  }

  private bodyAt(index: number): BodyQuantities {
    const entries = (from: number, count: number): Expr[] =>
      Array.from({ length: count }, (_, i) => this.symbol("state", bodyStateSize * index + from + i, ""));
    const position = entries(stateOffsets.position, 3);
    const orientation = entries(stateOffsets.orientation, 4);
    const velocity = entries(stateOffsets.velocity, 3);
    const angularVelocity = entries(stateOffsets.angularVelocity, 3);
    return {
      position,
      orientation,
      velocity,
      angularVelocity,
      get axes() {
        const units = [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ];
        return units.map((unit) => rotate(orientation, unit));
      },
      point: (place) => ({
        position: vadd(position, rotate(orientation, place)),
        velocity: vadd(velocity, rotate(orientation, cross(angularVelocity, place))),
      }),
    };
  }

  private coordinateIndex(name: string): number {
    return this.indexIn(this.mechanism.coordinateNames, name, "coordinate");
  }

  private indexIn(names: readonly string[], name: string, what: string): number {
    const index = names.indexOf(name);
    if (index >= 0) return index;
    const nearest = nearestName(name, names);
    const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
    throw new ArgumentError(`unknown-${what}`, name, `no such ${what} (have: ${names.join(", ") || "none"})${hint}`);
  }

  protected symbol(section: Section, index: number, name: string): Expr {
    const key = `${section}.${index}`;
    const known = this.symbols.get(key);
    if (known) return known;
    const made = this.graph.symbol(name || key);
    this.symbols.set(key, made);
    this.places.set(made, { section, index });
    return made;
  }
}

type Reader = (q: Quantities) => Scalar;
const axes = ["x", "y", "z"] as const;

/** Every path that `named` takes, with how it is read. */
function namedReaders(mechanism: Mechanism): Map<string, Reader> {
  const readers = new Map<string, Reader>();
  const vector = (path: string, read: (q: Quantities) => readonly Scalar[], names: readonly string[] = axes): void => {
    names.forEach((name, k) => {
      readers.set(`${path}.${name}`, (q) => read(q)[k]);
    });
  };
  for (const { name } of mechanism.bodies) {
    vector(`bodies.${name}.position`, (q) => q.body(name).position);
    vector(`bodies.${name}.orientation`, (q) => q.body(name).orientation, ["w", ...axes]);
    vector(`bodies.${name}.velocity`, (q) => q.body(name).velocity);
    vector(`bodies.${name}.angularVelocity`, (q) => q.body(name).angularVelocity);
    // the body's own axes, seen in the world
    axes.forEach((axis, k) => {
      vector(`bodies.${name}.axes.${axis}`, (q) => q.body(name).axes[k]);
    });
  }
  for (const name of mechanism.coordinateNames) {
    readers.set(`joints.${name}`, (q) => q.coordinate(name));
    readers.set(`joints.${name}.rate`, (q) => q.rate(name));
    // as columns of tables call them
    readers.set(`coordinates.${name}`, (q) => q.coordinate(name));
    readers.set(`rates.${name}`, (q) => q.rate(name));
  }
  for (const { name } of [...mechanism.contacts, ...mechanism.heldContacts])
    readers.set(`contacts.${name}.distance`, (q) => q.contact(name).distance);
  for (const name of mechanism.inputNames) readers.set(`inputs.${name}`, (q) => q.input(name));
  vector("centerOfMass.position", (q) => q.centerOfMass.position);
  vector("centerOfMass.velocity", (q) => q.centerOfMass.velocity);
  vector("momentum.linear", (q) => q.momentum.linear);
  vector("momentum.angular", (q) => q.momentum.angular);
  readers.set("time", (q) => q.time);
  return readers;
}

/** The paths of all quantities that have a name. */
export function quantityNames(mechanism: Mechanism): string[] {
  return [...namedReaders(mechanism).keys()];
}
