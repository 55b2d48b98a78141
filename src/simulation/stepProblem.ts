/**
 * One step of a mechanism as a cone problem: the unknowns are the bodies' next velocities and the joints' impulses (a),
 * and the cone variables of contacts, limits and joint friction (b, c). Everything lies in the system's memory.
 */
import { contactParameterNames } from "../equations/index.ts";
import type { System } from "../kernels/index.ts";
import type { ConeProblem, Direction } from "../solver/index.ts";
import { StepUnits } from "./units.ts";

/** Where the cone variables start, as factors on the natural impulse m v* and length h v*. */
export interface StartFactors {
  readonly impulse: number;
  readonly length: number;
}

/** Smallest friction coefficient that ξ starts with, and slack with which joint limits start (radians, metres). */
const smallestCoefficient = 1e-3;
const limitSlack = 0.1;
const frictionParameter = contactParameterNames.indexOf("frictionCoefficient");

export class StepProblem implements ConeProblem {
  readonly cones;
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly weight: Float64Array;
  readonly residual: Float64Array;
  readonly tolerance: Float64Array;
  readonly gapRows: Int32Array;
  readonly gapSlacks: Int32Array;
  readonly units: StepUnits;

  private readonly system: System;
  private readonly unknown: Float64Array;
  private readonly rows: Float64Array;
  private readonly step: Float64Array;
  private readonly coneRhs: Float64Array;
  private readonly stepB: Float64Array;
  private readonly stepC: Float64Array;
  private readonly zeroed: Float64Array;
  private readonly saved: Direction;

  constructor(system: System) {
    const { f64, places, unknowns, coneSize, equalities } = system;
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    this.system = system;
    this.cones = system.cones;
    this.unknown = view(places.unknown, unknowns);
    this.residual = view(places.residual, unknowns + equalities);
    this.rows = view(places.residual, unknowns);
    this.step = view(places.step, unknowns);
    this.b = view(places.coneB, coneSize);
    this.c = view(places.coneC, coneSize);
    this.coneRhs = view(places.coneRhs, coneSize);
    this.stepB = view(places.stepB, coneSize);
    this.stepC = view(places.stepC, coneSize);
    this.zeroed = f64.subarray(...system.zeroed);
    this.tolerance = new Float64Array(unknowns + equalities);
    this.weight = new Float64Array(this.cones.length);
    this.units = new StepUnits(system);
    this.saved = this.newDirection();
    const contacts = system.nodes.filter((node) => node.kind === "contact");
    this.gapRows = Int32Array.from(contacts, (node) => unknowns + node.equality);
    this.gapSlacks = Int32Array.from(contacts, (node) => node.cone);
  }

  newDirection(): Direction {
    const { unknowns, coneSize } = this.system;
    return { a: new Float64Array(unknowns), b: new Float64Array(coneSize), c: new Float64Array(coneSize) };
  }

  /** After state, input and parameters are in memory: what stays the same during the step. */
  prepare(residualTolerance: number): void {
    this.units.update(this.tolerance, residualTolerance);
    this.system.run("prepare");
  }

  /**
   * The solver's start: velocities of the last step, no impulses; every cone on the central path at the natural scale of the
   * step (or at `least` times its weight, if that is more), distances no smaller than those of free flight.
   */
  start(factors: StartFactors, least: number): void {
    const { f64, places, mechanism, nodes, unknowns } = this.system;
    this.unknown.fill(0);
    for (let i = 0; i < mechanism.bodies.length; i++) {
      for (let k = 0; k < 6; k++) this.unknown[6 * i + k] = f64[places.state + 13 * i + 7 + k];
    }
    if (this.cones.length === 0) return;
    this.b.fill(0);
    this.c.fill(0);
    this.evaluate();
    const h = f64[places.globals];
    const { fastest, natural } = this.units;
    const ratio = (factors.impulse * factors.length * fastest * fastest) / (this.units.speed * this.units.speed);
    let mu = 0;
    for (let i = 0; i < natural.length; i++) mu = Math.max(mu, (ratio * natural[i]) / this.weight[i]);
    const growth = mu < least ? Math.sqrt(least / mu) : 1;
    mu = Math.max(mu, least);

    const length = factors.length * growth * h * fastest;
    let cone = 0;
    for (const node of nodes) {
      let equality = unknowns + node.equality;
      let secondOfPair = false;
      for (let i = 0; i < node.roles.length; i++, cone++) {
        const { offset } = this.cones[cone];
        const product = mu * this.weight[cone];
        switch (node.roles[i]) {
          case "contactNormal": // E = s − φ at s = 0
            this.startPair(offset, Math.max(-this.residual[equality++], length), product);
            break;
          case "limit":
          case "tilt":
            this.startPair(offset, Math.max(-this.residual[equality++], limitSlack * growth), product);
            break;
          case "contactFriction": {
            const impulse = this.frictionBound(node.cone, node.parameters);
            this.startPair(offset, product / impulse, product);
            break;
          }
          case "jointFriction": {
            // F h + f and F h − f start at F h: E = −2 F h where both are zero
            const bound = -this.residual[equality] / 2;
            this.startPair(offset, product / bound, product);
            if (secondOfPair) equality += 2;
            secondOfPair = !secondOfPair;
            break;
          }
          case "linearFriction":
            this.startPair(offset, (8 * product) / this.frictionBound(node.cone, node.parameters), product);
            break;
          case "linearMargin":
            this.startPair(offset, this.frictionBound(node.cone, node.parameters) / 2, product);
            break;
        }
      }
    }
  }

  /** c given, b = product / c. */
  private startPair(offset: number, c: number, product: number): void {
    this.c[offset] = c;
    this.b[offset] = product / c;
  }

  /** c_f γ of a contact whose normal impulse has its start. */
  private frictionBound(normal: number, parameters: number): number {
    return Math.max(this.system.f64[parameters + frictionParameter], smallestCoefficient) * this.b[normal];
  }

  /** Rids the memory of what a diverged solve left in it: padding that is multiplied by zero must be finite. */
  clean(): void {
    const { f64 } = this.system;
    for (let i = 0; i < f64.length; i++) if (!Number.isFinite(f64[i])) f64[i] = 0;
  }

  evaluate(): void {
    this.zeroed.fill(0);
    this.system.run("evaluate");
  }

  factor(): boolean {
    this.system.run("factor");
    return true;
  }

  solve(coneRhs: Float64Array, out: Direction): void {
    const { rows, step } = this;
    for (let i = 0; i < rows.length; i++) step[i] = -rows[i];
    if (coneRhs.length > 0) {
      this.coneRhs.set(coneRhs);
      this.system.run("rhs");
    }
    this.system.run("solve");
    out.a.set(step);
    if (coneRhs.length === 0) return;
    this.system.run("recover");
    out.b.set(this.stepB);
    out.c.set(this.stepC);
  }

  save(): void {
    this.saved.a.set(this.unknown);
    this.saved.b.set(this.b);
    this.saved.c.set(this.c);
  }

  /** The equations live where every |ψ₊| < 1. */
  advance(alpha: number, direction: Direction): boolean {
    addScaledInto(this.unknown, this.saved.a, alpha, direction.a);
    addScaledInto(this.b, this.saved.b, alpha, direction.b);
    addScaledInto(this.c, this.saved.c, alpha, direction.c);
    return this.isInDomain();
  }

  private isInDomain(): boolean {
    const { unknown } = this;
    const h = this.system.f64[this.system.places.globals];
    for (let i = 0; i < this.system.mechanism.bodies.length; i++) {
      const at = 6 * i + 3;
      const square = unknown[at] ** 2 + unknown[at + 1] ** 2 + unknown[at + 2] ** 2;
      if (!(0.25 * h * h * square < 1)) return false;
    }
    return true;
  }
}

function addScaledInto(out: Float64Array, base: Float64Array, alpha: number, direction: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = base[i] + alpha * direction[i];
}
