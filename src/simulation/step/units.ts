/**
 * Units of one step, so that a 1 g die and a 1 t crate are solved alike. With V a speed typical of the step:
 *   V = max(|g| h, a hundredth of the fastest body's speed, a crawl, what rounding far from the origin allows)
 * an impulse is of size m V, a length V h, an angle V h / r (r the radius of gyration), and complementarity m V² h for
 * (length × impulse) and m V² for (velocity × impulse). Tolerances are these times `residual`, plus rounding:
 *   toleranceᵢ = aᵢ · residual V + bᵢ · ε max|x| + cᵢ          naturalᵢ = dᵢ V²
 * Without gravity, V is also large enough to resolve what the step's own forces press with (`raise`).
 * The tables a, b, c, d depend on h and on the masses only; they are rebuilt when one of these has changed. What depends on the state is
 * found by kernels (kernels/cones/unitKernels.ts).
 *
 * v*, from which the cone variables start, is how much velocities must change in this step as far as the residual at the start
 * tells (old velocities, no impulses): by weight and inputs, by joints that would open, by limits and floors that would be crossed.
 * Started from the speed of the fastest body instead, a resting contact takes one iteration more, a robot's limb two.
 */
import { bodyParameterNames, frameParameters } from "../../equations/index.ts";
import {
  type NodePlace,
  positionRounding,
  type System,
  speedFraction,
  totals,
  unitNumbers,
} from "../../kernels/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { wholesOf } from "./components.ts";
import { FarBodies } from "./farBodies.ts";
import { NodeMasses } from "./nodeMasses.ts";

/** v* is at least this part of the largest speed: without it, 0.02% more first attempts fail at joints and high friction. */
const changeFraction = 0.06;
/** A light body's balance contains the impulses that heavy neighbours exchange through it: its unit is at least this part of theirs. */
const neighbourShare = 1e-4;

const [parentAnchor, childAnchor] = ["parentAnchor.x", "childAnchor.x"].map((name) => frameParameters.indexOf(name));

const none: readonly NodePlace[] = [];

export class StepUnits {
  /** κ' at which distances must be resolved. */
  finestKappa = 1e-8;
  /** Whether the step goes on from the last one. */
  set goesOn(goesOn: boolean) {
    this.numbers[unitNumbers.goesOn] = goesOn ? 1 : 0;
  }

  /** How often the tables were built for other masses. */
  version = 0;
  /** V, and the speed of the fastest body. */
  speed = 1;
  fastest = 1;
  /** Complementarity unit of every cone in SI, at every entry. */
  readonly natural: Float64Array;
  /** Whether neither gravity nor motion says how large this step's impulses are: then its forces have to (`raise`). */
  lacksScale = false;

  private readonly system: System;
  private readonly numbers: Float64Array;
  private readonly totals: Float64Array;
  private readonly find: () => void;
  private readonly findTolerances: () => void;
  private readonly findNatural: () => void;
  /** V that the natural units are for. */
  private naturalSpeed = Number.NaN;
  /** Where anchors of joints and points of contacts lie in memory, three numbers each. */
  private readonly anchors: Int32Array;
  private arrangement = 0;
  /** What each body is held together with by joints, in the same way; and whether the tables are those of slots within such a whole alone. */
  private readonly whole: Int32Array;
  private isOfWholes = false;

  // what the tables were built for
  private builtTimestep = -1;
  private readonly builtBodies: Float64Array;
  private readonly masses: NodeMasses;
  private readonly gyration: Float64Array;
  private readonly share: Float64Array;
  private readonly farBodies: FarBodies | undefined;

  // a, b, c of the tolerances, d of the complementarity, and the change of speed that one unit of each row's residual asks for
  private readonly perSpeed: Float64Array;
  private readonly perRounding: Float64Array;
  private readonly fixed: Float64Array;
  private readonly perSquare: Float64Array;
  private readonly identity: Float64Array;
  private readonly perResidual: Float64Array;

  constructor(system: System) {
    const { mechanism, unknowns, equalities } = system;
    const count = mechanism.bodies.length;
    this.system = system;
    this.anchors = Int32Array.from(system.nodes.flatMap(anchorsOf));
    this.masses = new NodeMasses(system);
    const { touch, f64, solver, coneSize } = system;
    const { units } = solver;
    const rows = unknowns + equalities;
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    this.numbers = view(units.numbers, unitNumbers.count);
    this.totals = view(solver.totals, 2 * Object.keys(totals).length);
    this.find = system.runner("units", "tolerances");
    this.findTolerances = system.runner("tolerances");
    this.findNatural = system.runner("natural");
    this.builtBodies = view(units.built, bodyParameterNames.length * count);
    this.gyration = view(units.gyration, count);
    this.share = view(units.share, count).fill(1);
    this.farBodies = mechanism.touch && new FarBodies(mechanism, mechanism.touch);
    this.perSpeed = view(units.perSpeed, rows);
    this.perRounding = view(units.perRounding, rows);
    this.fixed = view(units.fixed, rows);
    // rows of slots that nothing is bound to are zero, and stay so
    this.fixed.fill(1, unknowns + system.fixedEqualities);
    this.perResidual = view(units.perResidual, rows);
    this.perSquare = view(units.perSquare, coneSize);
    this.natural = view(units.natural, coneSize);
    this.identity = view(solver.identity, coneSize);
    this.whole = touch ? wholesOf(mechanism) : new Int32Array(0);
  }

  /**
   * Sets speeds, the units of cones and the reciprocals of the solver's tolerances for the state in memory. True where the units of cones have
   * changed: then they have become their weights.
   */
  update(residualTolerance: number): boolean {
    const { numbers } = this;
    const { f64, places, touch } = this.system;
    const h = f64[places.globals];
    if (h !== this.builtTimestep) this.rebuild(h);
    else if (this.arrangement !== (touch?.version ?? 0)) this.rebuildSlots(h);
    numbers[unitNumbers.residual] = residualTolerance;
    numbers[unitNumbers.finestKappa] = this.finestKappa;
    this.weighBodies(h);
    this.find();
    if (!this.isUpToDate()) {
      this.rebuild(h);
      this.weighBodies(h);
      this.find();
    }
    this.speed = numbers[unitNumbers.speed];
    this.fastest = numbers[unitNumbers.fastest];
    this.lacksScale = numbers[unitNumbers.weight] < numbers[unitNumbers.slowest];
    if (this.speed === this.naturalSpeed) return false;
    this.naturalSpeed = this.speed;
    if (this.natural.length > 0) this.findNatural();
    return true;
  }

  /** How much each body counts where V is found, and how far what they have reaches. */
  private weighBodies(h: number): void {
    const { farBodies, share, gyration } = this;
    this.numbers[unitNumbers.reach] = this.reach();
    const { f64, places } = this.system;
    const weight = h * norm3(f64, places.globals + 1);
    farBodies?.weigh(share, f64, places.state, gyration, h, weight / speedFraction);
  }

  /** Whether the tables are those of the masses in memory. */
  private isUpToDate(): boolean {
    return this.totals[2 * totals.changed] === 0 && this.totals[2 * totals.changed + 1] === 0;
  }

  /**
   * Where `lacksScale`: what forces press with, by the residual at the old velocities without any impulse, must be resolved too. Pressed on a
   * limit without gravity, κ/γ would else lie below the rounding of positions, and no step would be solved as a whole.
   */
  raise(residual: Float64Array): void {
    const { perResidual, perSpeed, numbers } = this;
    const { unknowns, f64, places } = this.system;
    let driven = this.askedChange;
    for (let i = 0; i < unknowns; i++) {
      // rows of forces on coordinates are in units of impulse
      const speed = Math.abs(residual[i]) * (perResidual[i] === 0 ? 1 / perSpeed[i] : perResidual[i]);
      if (speed > driven) driven = speed;
    }
    const rounding = numbers[unitNumbers.rounding];
    const resolvable = Math.sqrt((rounding * driven) / (f64[places.globals] * this.finestKappa));
    if (resolvable <= this.speed) return;
    this.speed = this.naturalSpeed = resolvable;
    numbers[unitNumbers.unit] = numbers[unitNumbers.residual] * resolvable;
    numbers[unitNumbers.square] = resolvable * resolvable;
    numbers[unitNumbers.length] = f64[places.globals] * resolvable;
    this.findTolerances();
    this.findNatural();
  }

  /** (|g| h/V)², by which natural units are those of the weight; 1 where there is no gravity. */
  get partOfWeight(): number {
    const weight = this.numbers[unitNumbers.weight];
    return weight > 0 && weight < this.speed ? (weight / this.speed) ** 2 : 1;
  }

  /** v*, after a survey. */
  get changeOfSpeed(): number {
    return Math.max(this.speed, changeFraction * this.fastest, this.askedChange);
  }

  /** What the residual at the start asks for. */
  private get askedChange(): number {
    const { change } = totals;
    return Math.max(this.totals[2 * change], this.totals[2 * change + 1]);
  }

  /** Radius of gyration of the node's child. */
  lengthOf(node: NodePlace): number {
    return this.gyration[node.bodies[1]];
  }

  private rebuild(h: number): void {
    const { f64, places, nodes, touch } = this.system;
    this.builtTimestep = h;
    this.version++;
    this.arrangement = touch?.version ?? 0;
    const stride = bodyParameterNames.length;
    this.builtBodies.set(f64.subarray(places.bodyParameters, places.bodyParameters + this.builtBodies.length));
    const { mass: masses } = this.masses;
    for (let i = 0; i < masses.length; i++) {
      const [mass, xx, yy, zz] = this.builtBodies.subarray(stride * i, stride * i + 4);
      masses[i] = mass;
      this.gyration[i] = Math.sqrt(Math.max(xx, yy, zz) / mass);
    }
    this.numbers[unitNumbers.size] = Math.max(0, ...this.gyration);
    this.masses.update();
    this.buildBodies(h);
    for (const node of nodes) this.buildNode(node, h);
    for (const node of touch?.boundNodes ?? []) this.buildNode(node, h);
    this.isOfWholes = this.tiesWholes();
  }

  /** Where others are bound than before. Contacts within what joints hold together change nothing of anything else. */
  private rebuildSlots(h: number): void {
    const { touch } = this.system;
    if (!touch || !this.isOfWholes || !this.tiesWholes()) {
      this.rebuild(h);
      return;
    }
    this.arrangement = touch.version;
    for (let k = 0; k < touch.boundNodes.length; k++) this.buildNode(touch.boundNodes[k], h);
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

  private buildNode(node: NodePlace, h: number): void {
    if (node.kind === "joint" || node.kind === "gear") this.buildJoint(node, h);
    this.buildCones(node, h);
  }

  /** Largest distance of an anchor or contact point from its body, slots that are bound among them, for rounding. */
  private reach(): number {
    const { anchors, numbers } = this;
    const { touch, f64 } = this.system;
    let reach = numbers[unitNumbers.size];
    for (let i = 0; i < anchors.length; i++) reach = Math.max(reach, norm3(f64, anchors[i]));
    const bound = touch?.boundNodes ?? none;
    // what is the body's own begins with a point
    for (let i = 0; i < bound.length; i++) reach = Math.max(reach, norm3(f64, bound[i].parameters));
    return reach;
  }

  private buildBodies(h: number): void {
    const { masses } = this;
    for (let i = 0; i < masses.mass.length; i++) {
      const mass = masses.mass[i];
      const length = this.gyration[i];
      const share = Math.max(mass, neighbourShare * masses.ofWhole(i));
      for (let k = 0; k < 3; k++) {
        this.setRow(6 * i + k, share, mass / h, 0, 1 / mass);
        this.setRow(6 * i + 3 + k, share * length, (mass * length) / h, 0, 1 / (mass * length));
      }
    }
  }

  private buildJoint(node: NodePlace, h: number): void {
    const { mechanism } = this.system;
    const joint = node.kind === "joint" ? mechanism.joints[node.index] : undefined;
    const gear = joint ? undefined : mechanism.gears[node.index];
    const isSpring = gear?.kind === "spring";
    const length = joint ? this.lengthOf(node) : 1;
    const impulse = isSpring ? this.masses.ofSpring(gear, this.gyration) : this.masses.of(node) * Math.min(1, length);
    const translations = joint ? joint.shape.translation : 0;
    const constraints = joint ? translations + joint.shape.rotation : isSpring ? 0 : 1;
    for (let k = 0; k < node.multipliers; k++) {
      const row = node.multiplier + k;
      if (k < translations) this.setRow(row, 1, 1 / h, 0, 1);
      else if (k < constraints) this.setRow(row, 1 / length, 1 / (h * length), positionRounding / h, length);
      // forces on free coordinates: a stiff spring or damper asks for far more than it will get
      else this.setRow(row, impulse, 0, 0, 0);
    }
  }

  /** Rows and pairs of a node's cones. Of joints, lengths may be angles, and speeds rates: the stricter serves for both. */
  private buildCones(node: NodePlace, h: number): void {
    this.naturalSpeed = Number.NaN;
    if (node.roles.length === 0) return;
    const length = node.kind === "joint" ? this.lengthOf(node) : 1;
    const rounding = node.kind === "contact" ? 0 : positionRounding;
    const mass = this.masses.of(node);
    const impulse = mass * Math.min(1, length);
    const strict = Math.min(1, 1 / length);
    let at = node.cone;
    let row = this.system.unknowns + node.equality;
    for (const { rows, pairedWith, size } of node.roles) {
      for (const unit of rows) {
        if (unit === "length") this.setRow(row++, h * strict, strict, rounding, length / h);
        else if (unit === "speed") this.setRow(row++, strict, strict / h, rounding / h, 0);
        else this.setRow(row++, impulse, 0, 0, 0);
      }
      this.identity[at] = 1;
      this.perSquare.fill(
        pairedWith === "length" ? mass * h : pairedWith === "speed" ? mass : impulse ** 2,
        at,
        at + size,
      );
      at += size;
    }
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

function anchorsOf({ kind, parameters }: NodePlace): number[] {
  if (kind === "joint") return [parameters + parentAnchor, parameters + childAnchor];
  return kind === "contact" ? [parameters] : [];
}
