/**
 * Units of one step, so that a 1 g die and a 1 t crate are solved alike. With V a speed typical of the step:
 *   V = max(|g| h, a hundredth of the fastest body's speed, a crawl, what rounding far from the origin allows)
 * an impulse is of size m V, a length V h, an angle V h / r (r the radius of gyration), and complementarity m V² h for
 * (length × impulse) and m V² for (velocity × impulse). Tolerances are these times `residual`, plus rounding:
 *   toleranceᵢ = aᵢ · residual V + bᵢ · ε max|x| + cᵢ          naturalᵢ = dᵢ V²
 * Without gravity, V is also large enough to resolve what the step's own forces press with (`raise`).
 * The tables a, b, c, d depend on h and on the masses only; they are rebuilt when one of these has changed.
 *
 * v*, from which the cone variables start, is how much velocities must change in this step as far as the residual at the start
 * tells (old velocities, no impulses): by weight and inputs, by joints that would open, by limits and floors that would be crossed.
 * Started from the speed of the fastest body instead, a resting contact takes one iteration more, a robot's limb two.
 */
import { bodyParameterNames } from "../../equations/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import { bodyStateSize, stateOffsets } from "../../math/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { componentsOf, wholesOf } from "./components.ts";
import { ContactMasses } from "./contactMasses.ts";
import { contactSides } from "./contactSides.ts";

/** V as a fraction of the largest speed, for steps without gravity. */
const speedFraction = 0.01;
/** Slowest V: this part of a body's size a step. */
const crawl = 1e-6;
/** v* is at least this part of the largest speed: without it, 0.02% more first attempts fail at joints and high friction. */
const changeFraction = 0.06;
/** Rounding of a difference of positions, in units of their size. */
const positionRounding = 2e-15;
/** A light body's balance contains the impulses that heavy neighbours exchange through it: its unit is at least this part of theirs. */
const neighbourShare = 1e-4;

const none: readonly NodePlace[] = [];

export class StepUnits {
  /** κ' at which distances must be resolved. */
  finestKappa = 1e-8;
  /** V, and the speed of the fastest body. */
  speed = 1;
  fastest = 1;
  /** Complementarity unit of every cone in SI; of slots, of those that are bound. */
  natural: Float64Array;
  /** Whether neither gravity nor motion says how large this step's impulses are: then its forces have to (`raise`). */
  lacksScale = false;

  /** Of positions. */
  private rounding = 0;
  private readonly system: System;
  /** Largest distance of an anchor or contact point from its body, for rounding. */
  private readonly reach: number;
  /** What each body is connected to by joints and contacts, by the number of one of these bodies. */
  private component: Int32Array;
  /** Where contacts come and go. */
  private readonly contactMasses: ContactMasses | undefined;
  private arrangement = 0;
  /** What each body is held together with by joints, in the same way; and whether the tables are those of slots within such a whole alone. */
  private readonly whole: Int32Array;
  private isOfWholes = false;

  /** Of each contact between two bodies: what either side carries along; null for a side that the world holds. */
  private readonly sides: readonly ((readonly number[] | null)[] | undefined)[];

  // what the tables were built for
  private builtTimestep = -1;
  private readonly builtBodies: Float64Array;
  private readonly mass: Float64Array;
  private readonly gyration: Float64Array;
  private readonly componentMass: Float64Array;

  // a, b, c of the tolerances, d of the complementarity, and the change of speed that one unit of each row's residual asks for
  private readonly perSpeed: Float64Array;
  private readonly perRounding: Float64Array;
  private readonly fixed: Float64Array;
  private readonly perSquare: Float64Array;
  private readonly allNatural: Float64Array;
  private readonly perResidual: Float64Array;

  constructor(system: System) {
    const { mechanism, unknowns, equalities } = system;
    const count = mechanism.bodies.length;
    this.system = system;
    this.reach = reachOf(mechanism);
    this.component = componentsOf(mechanism);
    this.sides = system.touch ? [] : mechanism.contacts.map((contact) => contactSides(mechanism, contact));
    this.builtBodies = new Float64Array(bodyParameterNames.length * count);
    this.mass = new Float64Array(count);
    this.gyration = new Float64Array(count);
    this.componentMass = new Float64Array(count);
    const rows = unknowns + equalities;
    this.perSpeed = new Float64Array(rows);
    this.perRounding = new Float64Array(rows);
    this.fixed = new Float64Array(rows);
    this.perResidual = new Float64Array(rows);
    const { touch } = system;
    const cones = system.cones.length + (touch?.nodes.reduce((sum, { roles }) => sum + roles.length, 0) ?? 0);
    this.allNatural = new Float64Array(cones);
    this.natural = this.allNatural.subarray(0, system.cones.length);
    this.perSquare = new Float64Array(cones);
    this.contactMasses = touch && new ContactMasses(mechanism);
    this.whole = touch ? wholesOf(mechanism) : new Int32Array(0);
  }

  /** Sets speeds, cone units and the reciprocals of the solver's tolerances for the state in memory. */
  update(perTolerance: Float64Array, residualTolerance: number): void {
    const { f64, places } = this.system;
    const h = f64[places.globals];
    if (this.isOutdated(h)) this.rebuild(h);
    else if (this.arrangement !== (this.system.touch?.version ?? 0)) this.rebuildSlots(h);

    // speeds and distances
    const g = norm3(f64, places.globals + 1);
    let fastest = 0;
    let farthest = this.boundReach();
    let size = 0;
    for (let i = 0, at = places.state; i < this.mass.length; i++, at += bodyStateSize) {
      const gyration = this.gyration[i];
      const speed = norm3(f64, at + stateOffsets.velocity) + norm3(f64, at + stateOffsets.angularVelocity) * gyration;
      if (speed > fastest) fastest = speed;
      if (gyration > size) size = gyration;
      for (let k = at; k < at + 3; k++) if (Math.abs(f64[k]) > farthest) farthest = Math.abs(f64[k]);
    }
    const slowest = (crawl * size) / h;
    const rounding = positionRounding * farthest;
    // far from the origin, the slack κ/γ of an impact must stay above the rounding of positions
    const resolvable = Math.sqrt((rounding * (fastest + h * g)) / (h * this.finestKappa));
    this.speed = Math.max(h * g, speedFraction * fastest, slowest, resolvable);
    this.fastest = fastest + h * g + slowest;
    this.lacksScale = h * g < slowest;
    this.rounding = rounding;
    this.spread(perTolerance, residualTolerance);
  }

  /**
   * Where `lacksScale`: what forces press with, by the residual at the old velocities without any impulse, must be resolved too. Pressed on a
   * limit without gravity, κ/γ would else lie below the rounding of positions, and no step would be solved as a whole.
   */
  raise(residual: Float64Array, perTolerance: Float64Array, residualTolerance: number): void {
    const { perResidual, perSpeed } = this;
    const { unknowns, f64, places } = this.system;
    let driven = 0;
    for (let i = 0; i < unknowns; i++) {
      // rows of forces on coordinates are in units of impulse
      const speed = Math.abs(residual[i]) * (perResidual[i] === 0 ? 1 / perSpeed[i] : perResidual[i]);
      if (speed > driven) driven = speed;
    }
    const resolvable = Math.sqrt((this.rounding * driven) / (f64[places.globals] * this.finestKappa));
    if (resolvable <= this.speed) return;
    this.speed = resolvable;
    this.spread(perTolerance, residualTolerance);
  }

  /** Tolerances and complementarity, from the speed. */
  private spread(perTolerance: Float64Array, residualTolerance: number): void {
    const { rounding } = this;
    const { perSpeed, perRounding, fixed, natural, perSquare } = this;
    const unit = residualTolerance * this.speed;
    const { unknowns, fixedEqualities, touch } = this.system;
    const rows = unknowns + fixedEqualities;
    for (let i = 0; i < rows; i++) perTolerance[i] = 1 / (perSpeed[i] * unit + perRounding[i] * rounding + fixed[i]);
    const bound = touch?.boundNodes ?? none;
    for (let k = 0; k < bound.length; k++) {
      const { equality, equalities } = bound[k];
      for (let i = unknowns + equality; i < unknowns + equality + equalities; i++)
        perTolerance[i] = 1 / (perSpeed[i] * unit + perRounding[i] * rounding + fixed[i]);
    }
    const square = this.speed * this.speed;
    for (let i = 0; i < natural.length; i++) natural[i] = perSquare[i] * square;
  }

  /** v*, from the residual at the old velocities without any impulse. */
  changeOfSpeed(residual: Float64Array): number {
    const { perResidual } = this;
    const { unknowns } = this.system;
    let change = Math.max(this.speed, changeFraction * this.fastest);
    for (let i = 0; i < unknowns; i++) {
      const asked = Math.abs(residual[i]) * perResidual[i];
      if (asked > change) change = asked;
    }
    // distances: only what would be crossed counts
    const rows = unknowns + this.system.fixedEqualities;
    for (let i = unknowns; i < rows; i++) {
      const asked = residual[i] * perResidual[i];
      if (asked > change) change = asked;
    }
    const bound = this.system.touch?.boundNodes ?? none;
    for (let k = 0; k < bound.length; k++) {
      // the first row of a contact is its distance
      const i = unknowns + bound[k].equality;
      const asked = residual[i] * perResidual[i];
      if (asked > change) change = asked;
    }
    return change;
  }

  /** How much of that a body's own balance asks for. */
  changeOf(body: number, residual: Float64Array): number {
    const { perResidual } = this;
    let change = 0;
    for (let i = 6 * body; i < 6 * body + 6; i++) change = Math.max(change, Math.abs(residual[i]) * perResidual[i]);
    return change;
  }

  /** Radius of gyration of the node's child. */
  lengthOf(node: NodePlace): number {
    return this.gyration[node.bodies[1]];
  }

  /** Mass that a node's impulses move: of the whole connected mechanism, or of the lighter side of a contact between two bodies. */
  private massOf(node: NodePlace): number {
    const { contactMasses } = this;
    let largest = 0;
    for (const body of node.bodies)
      if (body !== worldIndex) largest = Math.max(largest, this.componentMass[this.component[body]]);
    // a gear's bodies are those of its terms: the heaviest robot there is stands for them
    if (node.kind === "gear") for (const mass of this.componentMass) largest = Math.max(largest, mass);
    if (contactMasses)
      return node.kind === "contact" && node.bodies[0] !== worldIndex
        ? Math.min(largest, contactMasses.lighter(node))
        : largest;
    const sides = node.kind === "contact" ? this.sides[node.index] : undefined;
    if (!sides) return largest;
    const lighter = Math.min(
      ...sides.map((side) => (side ? side.reduce((sum, body) => sum + this.mass[body], 0) : largest)),
    );
    return Math.min(largest, lighter);
  }

  /** Whether masses or the time step have changed. */
  private isOutdated(h: number): boolean {
    if (h !== this.builtTimestep) return true;
    const { builtBodies } = this;
    const { f64, places } = this.system;
    for (let k = 0, at = places.bodyParameters; k < builtBodies.length; k++, at++)
      if (f64[at] !== builtBodies[k]) return true;
    return false;
  }

  private rebuild(h: number): void {
    const { f64, places, nodes, touch, cones } = this.system;
    this.builtTimestep = h;
    this.arrangement = touch?.version ?? 0;
    if (touch) {
      this.component = componentsOf(this.system.mechanism, touch.boundNodes);
      this.natural = this.allNatural.subarray(0, cones.length + touch.boundCones.length);
    }
    const stride = bodyParameterNames.length;
    this.builtBodies.set(f64.subarray(places.bodyParameters, places.bodyParameters + this.builtBodies.length));
    this.componentMass.fill(0);
    for (let i = 0; i < this.mass.length; i++) {
      const [mass, xx, yy, zz] = this.builtBodies.subarray(stride * i, stride * i + 4);
      this.mass[i] = mass;
      this.gyration[i] = Math.sqrt(Math.max(xx, yy, zz) / mass);
      this.componentMass[this.component[i]] += mass;
    }
    this.contactMasses?.update([...nodes, ...(touch?.boundNodes ?? [])], this.mass);
    this.buildBodies(h);
    let cone = 0;
    for (const node of nodes) cone = this.buildNode(node, cone, h);
    for (const node of touch?.boundNodes ?? []) cone = this.buildNode(node, cone, h);
    this.isOfWholes = this.tiesWholes();
  }

  /** Where others are bound than before. Contacts within what joints hold together change nothing of anything else. */
  private rebuildSlots(h: number): void {
    const { touch, cones } = this.system;
    if (!touch || !this.isOfWholes || !this.tiesWholes()) {
      this.rebuild(h);
      return;
    }
    this.arrangement = touch.version;
    this.natural = this.allNatural.subarray(0, cones.length + touch.boundCones.length);
    let cone = cones.length;
    for (let k = 0; k < touch.boundNodes.length; k++) cone = this.buildNode(touch.boundNodes[k], cone, h);
  }

  /** Whether all slots that are bound tie bodies that joints hold together anyway. */
  private tiesWholes(): boolean {
    const { whole } = this;
    const bound = this.system.touch?.boundNodes ?? none;
    for (let k = 0; k < bound.length; k++) {
      const { bodies } = bound[k];
      if (bodies[0] === worldIndex || whole[bodies[0]] !== whole[bodies[1]]) return false;
    }
    return true;
  }

  private buildNode(node: NodePlace, cone: number, h: number): number {
    if (node.kind === "joint" || node.kind === "gear") this.buildJoint(node, h);
    return this.buildCones(node, cone, h);
  }

  /** Largest distance of an anchor or contact point from its body, slots that are bound among them. */
  private boundReach(): number {
    const { touch, f64 } = this.system;
    if (!touch) return this.reach;
    let { reach } = this;
    const { boundNodes } = touch;
    // what is the body's own begins with a point
    for (let i = 0; i < boundNodes.length; i++) reach = Math.max(reach, norm3(f64, boundNodes[i].parameters));
    return reach;
  }

  private buildBodies(h: number): void {
    for (let i = 0; i < this.mass.length; i++) {
      const mass = this.mass[i];
      const length = this.gyration[i];
      const share = Math.max(mass, neighbourShare * this.componentMass[this.component[i]]);
      for (let k = 0; k < 3; k++) {
        this.setRow(6 * i + k, share, mass / h, 0, 1 / mass);
        this.setRow(6 * i + 3 + k, share * length, (mass * length) / h, 0, 1 / (mass * length));
      }
    }
  }

  private buildJoint(node: NodePlace, h: number): void {
    const { mechanism } = this.system;
    const joint = node.kind === "joint" ? mechanism.joints[node.index] : undefined;
    const length = joint ? this.lengthOf(node) : 1;
    const impulse = this.massOf(node) * Math.min(1, length);
    const translations = joint ? joint.shape.translation : 0;
    const constraints = joint ? translations + joint.shape.rotation : 1;
    for (let k = 0; k < node.multipliers; k++) {
      const row = node.multiplier + k;
      if (k < translations) this.setRow(row, 1, 1 / h, 0, 1);
      else if (k < constraints) this.setRow(row, 1 / length, 1 / (h * length), positionRounding / h, length);
      // forces on free coordinates: a stiff spring or damper asks for far more than it will get
      else this.setRow(row, impulse, 0, 0, 0);
    }
  }

  /** Rows and pairs of a node's cones. Of joints, lengths may be angles, and speeds rates: the stricter serves for both. */
  private buildCones(node: NodePlace, first: number, h: number): number {
    if (node.roles.length === 0) return first;
    const length = node.kind === "joint" ? this.lengthOf(node) : 1;
    const rounding = node.kind === "contact" ? 0 : positionRounding;
    const mass = this.massOf(node);
    const impulse = mass * Math.min(1, length);
    const strict = Math.min(1, 1 / length);
    let cone = first;
    let row = this.system.unknowns + node.equality;
    for (const { rows, pairedWith } of node.roles) {
      for (const unit of rows) {
        if (unit === "length") this.setRow(row++, h * strict, strict, rounding, length / h);
        else if (unit === "speed") this.setRow(row++, strict, strict / h, rounding / h, 0);
        else this.setRow(row++, impulse, 0, 0, 0);
      }
      this.perSquare[cone++] = pairedWith === "length" ? mass * h : pairedWith === "speed" ? mass : impulse ** 2;
    }
    return cone;
  }

  private setRow(row: number, perSpeed: number, perRounding: number, fixed: number, perResidual: number): void {
    this.perSpeed[row] = perSpeed;
    this.perRounding[row] = perRounding;
    this.fixed[row] = fixed;
    this.perResidual[row] = perResidual;
  }
}

function norm3(values: Float64Array, at: number): number {
  return Math.sqrt(values[at] * values[at] + values[at + 1] * values[at + 1] + values[at + 2] * values[at + 2]);
}

function reachOf(mechanism: Mechanism): number {
  const lengths = [
    ...mechanism.joints.flatMap((joint) => [joint.frames.parentAnchor, joint.frames.childAnchor]),
    ...mechanism.contacts.map((contact) => contact.point),
  ].map((v) => Math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2));
  return Math.max(0, ...mechanism.bodies.map((body) => body.gyration), ...lengths);
}
