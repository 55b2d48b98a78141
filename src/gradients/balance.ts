/**
 * The equations of a step with its motion given: the residuals of the bodies are then linear in everything that acts, and are read
 * off the step's own kernels, one unit of each at a time:
 *   r + C λ + Y y + F f = 0
 * λ constraint impulses of joints and gears, y the actuators (impulses of motors, servos and thrusters), f the impulses of contacts
 * and limits in their cones. Springs, dampers, rotors, drag and gravity are in r. Rows are weighed by M^(−1/2), so that lengths are
 * those of accelerations in the metric of the masses, and λ is taken out by projecting on what no constraint can bear.
 */
import type { Target } from "../codegen/index.ts";
import { MassMetric, OrthonormalBasis } from "../coordinates/index.ts";
import { bodyParameterNames, loadedCoordinates, turningCoordinates } from "../equations/index.ts";
import { buildSystem, jointSpecies, type NodePlace, type System } from "../kernels/index.ts";
import type { Mechanism } from "../mechanism/index.ts";
import type { Cone } from "../solver/index.ts";
import { RotationServos } from "./rotationServos.ts";

/** Columns that the others leave this part of are spanned by them. */
const rankTolerance = 1e-9;
/** Joint friction turns over within this rate, rad/s or m/s. */
const frictionRate = 1e-6;
/** Contacts that slip faster, m/s, give the friction of sliding. */
const slipSpeed = 1e-3;
/** Limits nearer than this, rad or m, may bear. */
const limitDistance = 1e-6;

export interface Support {
  readonly contact: number;
  /** First of its forces, and how the normal and the two friction impulses come from them. */
  readonly first: number;
  readonly impulses: (forces: Float64Array) => [number, number, number];
}

export interface Balance {
  /** What is left of the bodies' rows without actuators and supports, weighed. */
  readonly r: Float64Array;
  readonly inputs: Float64Array[];
  readonly forces: Float64Array[];
  readonly cones: Cone[];
  readonly supports: Support[];
  /** Input (N, or a servo's target) of each actuator from its impulse. */
  readonly inputFor: (impulses: Float64Array) => Float64Array;
  /** Whether columns depend on the inputs, as those of servos on rotation vectors do on their targets. */
  readonly isNonlinear: boolean;
  /** Weighed rows → forces and torques. */
  readonly unweigh: (rows: Float64Array) => Float64Array;
}

export class StepBalance {
  private readonly system: System;
  private readonly mechanism: Mechanism;

  constructor(mechanism: Mechanism, target: Target) {
    this.mechanism = mechanism;
    this.system = buildSystem(mechanism, target);
  }

  /**
   * `data` is the memory of the simulation; unknowns are the bodies' next velocities. Servos on rotation vectors push as they would at
   * the targets of `near`, or, without it, where the joint is going.
   */
  assemble(
    data: Float64Array,
    state: Float64Array,
    velocities: Float64Array,
    bears: (contact: number, distance: number) => boolean,
    near?: Float64Array,
  ): Balance {
    const { system, mechanism } = this;
    const { f64, places, unknowns, coneSize, equalities, nodes } = system;
    const h = data[places.globals];
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    const input = view(places.input, mechanism.inputSize);
    const unknown = view(places.unknown, unknowns);
    const b = view(places.coneB, coneSize);
    const rows = view(places.residual, unknowns);
    const gaps = view(places.residual + unknowns, equalities);
    const bodyRows = 6 * mechanism.bodies.length;
    f64.set(data);
    f64.set(state, places.state);
    unknown.fill(0);
    unknown.set(velocities);
    b.fill(0);
    f64.fill(1, places.coneC, places.coneC + coneSize);
    input.fill(0);
    const turned = this.rotationServos(state, velocities, h, near);
    const servoWanted = this.withoutServos();

    // r, with the forces on coordinates put in their places
    const evaluate = (): void => {
      system.run("prepare");
      system.run("evaluate");
    };
    this.setLengths(h);
    const forceRows = nodes.flatMap((node) => this.forceRowsOf(node));
    const base = (): Float64Array => {
      evaluate();
      return Float64Array.from(rows);
    };
    const still = base();
    const distances = Float64Array.from(gaps, (entry) => 1 - entry);
    const column = (set: (amount: number) => void, amount = 1): Float64Array => {
      set(amount);
      evaluate();
      const out = rows.map((entry, i) => (entry - still[i]) / amount);
      set(0);
      return out;
    };
    const ofUnknown = (i: number): Float64Array =>
      column((amount) => {
        unknown[i] = amount;
      });
    const forceColumns = new Map(forceRows.map((row) => [row, ofUnknown(row)]));
    /** A row says λ = force; its multiplier follows from everything else. */
    const reduced = (full: Float64Array): Float64Array => {
      const out = full.slice(0, bodyRows);
      for (const [row, ofForce] of forceColumns) {
        if (full[row] !== 0) for (let i = 0; i < bodyRows; i++) out[i] -= ofForce[i] * full[row];
      }
      return out;
    };

    // constraints, actuators, what bears
    const metric = new MassMetric(mechanism.bodies.length, (body) => {
      const at = places.bodyParameters + bodyParameterNames.length * body;
      return f64.subarray(at, at + bodyParameterNames.length);
    });
    const basis = new OrthonormalBasis(rankTolerance);
    /** Weighed, and without what constraints bear. */
    const free = (bodies: Float64Array): Float64Array => {
      const out = Float64Array.from(bodies);
      metric.scaleInverse(out);
      basis.reject(out);
      return out;
    };
    for (const row of nodes.flatMap((node) => this.constraintRowsOf(node))) basis.add(free(reduced(ofUnknown(row))));
    const given = Float64Array.from(still);
    const inputs = Array.from({ length: mechanism.inputSize }, (_, i) => {
      const torques = turned.get(i)?.torques;
      if (torques) {
        const column = new Float64Array(bodyRows);
        for (const { row, amount } of torques) {
          const perUnit = forceColumns.get(row) as Float64Array;
          for (let k = 0; k < bodyRows; k++) column[k] += amount * perUnit[k];
        }
        return free(column);
      }
      const servo = servoWanted.get(i);
      if (servo) return free((forceColumns.get(servo.row) as Float64Array).slice(0, bodyRows));
      const { from, to } = this.probeInput(i);
      input[i] = from;
      evaluate();
      const first = Float64Array.from(rows);
      input[i] = to;
      evaluate();
      const perUnit = rows.map((entry, k) => (entry - first[k]) / (to - from));
      input[i] = 0;
      // what the rows hold at zero input is not zero where that is outside the limits
      for (let k = 0; k < given.length; k++) given[k] += first[k] - from * perUnit[k] - still[k];
      return free(reduced(perUnit.map((entry) => entry / h)));
    });
    const forces: Float64Array[] = [];
    const cones: Cone[] = [];
    const supports: Support[] = [];
    const output: NodeOutput = {
      distances,
      bears,
      given,
      forces,
      cones,
      supports,
      impulse: (entries) =>
        column((amount) => {
          for (const [index, weight] of entries) b[index] = amount * weight;
        }),
      free: (full) => free(reduced(full)),
    };
    for (const node of nodes) this.addNode(node, output);

    return {
      r: free(reduced(given)),
      inputs,
      forces,
      cones,
      supports,
      isNonlinear: turned.size > 0,
      inputFor: (impulses) =>
        impulses.map((impulse, i) => {
          const target = turned.get(i)?.targetFor(impulses);
          if (target !== undefined) return target;
          const servo = servoWanted.get(i);
          if (!servo) return impulse / h;
          return servo.perTarget > 0 ? (impulse - servo.atZero) / servo.perTarget : 0;
        }),
      unweigh: (weighed) => {
        const out = weighed.map((entry) => entry / h);
        metric.scale(out);
        return out;
      },
    };
  }

  /** Servos on rotation vectors, by input. */
  private rotationServos(
    state: Float64Array,
    velocities: Float64Array,
    h: number,
    near: Float64Array | undefined,
  ): Map<number, TurnedServo> {
    const { mechanism, system } = this;
    const found = new Map<number, TurnedServo>();
    for (const joint of mechanism.joints) {
      const turning = turningCoordinates(joint.shape);
      const entries = turning.map((i) => joint.coordinates[i]);
      if (entries.every(({ servo }) => servo === null)) continue;
      const gains = entries.map(({ servo }, k) => {
        const at = (name: string): number =>
          system.f64[system.parameters.get(`joints.${joint.name}.${name}.${turning[k]}`) as number];
        return servo ? { stiffness: at("servoStiffness"), damping: at("servoDamping") } : undefined;
      });
      const servos = new RotationServos(
        joint,
        gains,
        state,
        velocities,
        h,
        system.f64[system.parameters.get("damperCentering") as number],
      );
      const targets = near ? entries.map(({ input, servo }) => (servo ? near[input] : 0)) : servos.ahead;
      const directions = servos.directions(targets);
      const first = system.nodes[joint.index].multiplier + this.forceRow(joint.index, turning[0]);
      const solved = (impulses: Float64Array): number[] =>
        servos.targetsFor(
          entries.map(({ input, servo }) => (servo ? impulses[input] : 0)),
          targets,
        );
      entries.forEach(({ input, servo }, k) => {
        if (!servo) return;
        found.set(input, {
          torques: directions[k].map((amount, axis) => ({ row: first + axis, amount })),
          targetFor: (impulses) => solved(impulses)[k],
        });
      });
    }
    return found;
  }

  /** Lengths of gears with a range follow from the motion: their rows say Σ ratio·θ₊/h = length/h. */
  private setLengths(h: number): void {
    const { system, mechanism } = this;
    const { f64, places, nodes } = system;
    const ranges = nodes.filter(({ kind, index }) => kind === "gear" && mechanism.gears[index].kind === "range");
    if (ranges.length === 0) return;
    system.run("prepare");
    system.run("evaluate");
    for (const { multiplier } of ranges) f64[places.unknown + multiplier] = h * f64[places.residual + multiplier];
  }

  /** Takes the servos' forces out of the equations; returns what they would be at target zero, by input. */
  private withoutServos(): Map<number, { row: number; atZero: number; perTarget: number }> {
    const { system, mechanism } = this;
    const { f64, places, parameters, unknowns, nodes } = system;
    const found = new Map<number, { row: number; atZero: number; perTarget: number }>();
    const read = (): Float64Array => {
      system.run("prepare");
      system.run("evaluate");
      return f64.slice(places.residual, places.residual + unknowns + system.equalities);
    };
    const servos = mechanism.joints.flatMap((joint) =>
      joint.coordinates.flatMap((coordinate, i) => (coordinate.servo ? [{ joint, coordinate, i }] : [])),
    );
    if (servos.length === 0) return found;
    const place = (name: string, joint: string, i: number): number =>
      parameters.get(`joints.${joint}.${name}.${i}`) as number;
    // efforts are counted from zero, not from the middle of their range
    for (const { joint, i } of servos) f64[place("effortCenter", joint.name, i)] = 0;
    const active = read();
    const inputs = f64.subarray(places.input, places.input + mechanism.inputSize);
    inputs.fill(1);
    const further = read();
    inputs.fill(0);
    for (const { joint, i } of servos) {
      f64[place("servoStiffness", joint.name, i)] = f64[place("servoDamping", joint.name, i)] = 0;
    }
    const passive = read();
    for (const { joint, coordinate, i } of servos) {
      const node = nodes[joint.index];
      const row = node.multiplier + this.forceRow(joint.index, i);
      // λ − force, or for a bounded effort the row that compares it with what is wanted
      const at = coordinate.effortLimit === null ? row : unknowns + this.effortEquality(joint.index, i);
      const sign = coordinate.effortLimit === null ? -1 : 1;
      found.set(coordinate.input, {
        row,
        atZero: sign * (active[at] - passive[at]),
        perTarget: sign * (further[at] - active[at]),
      });
    }
    return found;
  }

  /** Two values of an input within its limits. */
  private probeInput(i: number): { from: number; to: number } {
    const { mechanism } = this;
    const limits = [
      ...mechanism.joints.flatMap((joint) =>
        joint.coordinates
          .filter(({ input, effortLimit }) => input === i && effortLimit !== null)
          .map(({ effortLimit, effortCenter }) => [
            effortCenter - (effortLimit ?? 0),
            effortCenter + (effortLimit ?? 0),
          ]),
      ),
      ...mechanism.thrusters.filter(({ input }) => input === i).map(({ lower, upper }) => [lower, upper]),
    ];
    const [lower, upper] = limits[0] ?? [null, null];
    const from = lower ?? (upper === null ? 0 : upper - 1);
    return { from, to: upper ?? from + 1 };
  }

  private constraintCount({ kind, index }: NodePlace): number {
    if (kind === "gear") return this.mechanism.gears[index].kind === "equality" ? 1 : 0;
    if (kind !== "joint") return 0;
    const { translation, rotation, serial } = this.mechanism.joints[index].shape;
    return translation + (serial && rotation !== 1 ? 0 : rotation);
  }

  private constraintRowsOf(node: NodePlace): number[] {
    return Array.from({ length: this.constraintCount(node) }, (_, k) => node.multiplier + k);
  }

  private forceRowsOf(node: NodePlace): number[] {
    if (node.kind === "gear") {
      const { kind } = this.mechanism.gears[node.index];
      return kind === "equality" ? [] : [node.multiplier + node.multipliers - 1];
    }
    if (node.kind !== "joint") return [];
    const first = this.constraintCount(node);
    return Array.from({ length: node.multipliers - first }, (_, k) => node.multiplier + first + k);
  }

  private carries(joint: number, i: number): boolean {
    const c = this.mechanism.joints[joint].coordinates[i];
    return c.passive || c.lower !== null || c.upper !== null || c.friction > 0 || c.servo !== null;
  }

  /** Which of a joint's rows is the force on coordinate i. */
  private forceRow(joint: number, i: number): number {
    let row = this.constraintCount(this.system.nodes[joint]);
    for (const k of loadedCoordinates(jointSpecies(this.mechanism.joints[joint]))) if (k < i) row++;
    return row;
  }

  /** The equality that compares a servo's effort with the wanted one: the second of its pair. */
  private effortEquality(joint: number, i: number): number {
    let at = this.system.nodes[joint].equality;
    this.mechanism.joints[joint].coordinates.forEach((c, k) => {
      if (k > i || !this.carries(joint, k)) return;
      at += (c.lower !== null ? 1 : 0) + (c.upper !== null ? 1 : 0) + (c.friction > 0 ? 2 : 0);
      if (k < i && c.servo && c.effortLimit !== null) at += 2;
    });
    return at + 1;
  }

  /** What a node's cones can do: limits and contacts bear, joint friction acts. */
  private addNode(node: NodePlace, out: NodeOutput): void {
    const { distances, impulse, free, forces, cones } = out;
    let cone = node.cone;
    let equality = node.equality;
    const orthant = (column: Float64Array): void => {
      cones.push({ kind: "orthant", offset: forces.length, size: 1 });
      forces.push(free(column));
    };
    for (let i = 0; i < node.roles.length; i++) {
      const role = node.roles[i];
      if (role === "limit" || role === "tilt") {
        if (distances[equality] < limitDistance) orthant(impulse([[cone, 1]]));
        equality++;
        cone++;
      } else if (role === "jointFriction") {
        // E₁ = low + high − 2 F h and E₂ = forward − backward − rate, at b = 0 and c = 1
        const bound = (distances[equality] - 1) / 2;
        const rate = distances[equality + 1] - 1;
        const amount = frictionImpulse(bound, rate);
        const unit = impulse([
          [cone, 1],
          [cone + 1, -1],
        ]);
        for (let k = 0; k < unit.length; k++) out.given[k] += amount * unit[k];
        equality += 2;
        cone += 2;
        i++;
      } else if (role === "effort") {
        equality += 2;
        cone += 2;
        i++;
      } else if (role === "contactNormal") {
        if (out.bears(node.index, distances[equality])) this.addContact(node, out);
        return;
      }
    }
  }

  private addContact(node: NodePlace, { distances, impulse, free, forces, cones, supports }: NodeOutput): void {
    const { f64, parameters } = this.system;
    const { name, model } = this.mechanism.contacts[node.index];
    const first = forces.length;
    const normal = node.cone;
    const coefficient = f64[parameters.get(`contacts.${name}.frictionCoefficient`) as number];
    const add = (entries: readonly (readonly [number, number])[]): void => {
      forces.push(free(impulse(entries)));
    };
    const orthants = (count: number): void => {
      for (let k = 0; k < count; k++) cones.push({ kind: "orthant", offset: first + k, size: 1 });
    };
    if (model === "impact") {
      add([[normal, 1]]);
      orthants(1);
      supports.push({ contact: node.index, first, impulses: (f) => [f[first], 0, 0] });
      return;
    }
    // slip along the two tangents: η₁₋₂ of the cone, η of the first two sides of the pyramid (where ψ = 0)
    const isCone = model === "cone";
    const slip = [0, 1].map((k) => distances[node.equality + (isCone ? 2 : 1) + k]);
    const speed = Math.sqrt(slip[0] ** 2 + slip[1] ** 2);
    const tangent = (k: 0 | 1, weight: number): (readonly [number, number])[] =>
      isCone ? [[normal + 2 + k, weight]] : weight > 0 ? [[normal + 1 + k, weight]] : [[normal + 3 + k, -weight]];
    if (speed > slipSpeed) {
      // friction of sliding: opposite to the slip, or to its larger part on the pyramid
      const larger = Math.abs(slip[0]) >= Math.abs(slip[1]) ? 0 : 1;
      const along = isCone
        ? slip.map((entry) => (-coefficient * entry) / speed)
        : [0, 1].map((k) => (k === larger ? -coefficient * Math.sign(slip[k]) : 0));
      add([[normal, 1], ...([0, 1] as const).flatMap((k) => (along[k] === 0 ? [] : tangent(k, along[k])))]);
      orthants(1);
      supports.push({
        contact: node.index,
        first,
        impulses: (f) => [f[first], along[0] * f[first], along[1] * f[first]],
      });
    } else if (isCone) {
      add([[normal, 1 / coefficient]]);
      add([[normal + 2, 1]]);
      add([[normal + 3, 1]]);
      cones.push({ kind: "secondOrder", offset: first, size: 3 });
      supports.push({
        contact: node.index,
        first,
        impulses: (f) => [f[first] / coefficient, f[first + 1], f[first + 2]],
      });
    } else {
      for (const [k, sign] of [
        [0, 1],
        [1, 1],
        [0, -1],
        [1, -1],
      ] as const)
        add([[normal, 1], ...tangent(k, sign * coefficient)]);
      orthants(4);
      supports.push({
        contact: node.index,
        first,
        impulses: (f) => [
          f[first] + f[first + 1] + f[first + 2] + f[first + 3],
          coefficient * (f[first] - f[first + 2]),
          coefficient * (f[first + 1] - f[first + 3]),
        ],
      });
    }
  }
}

/** A servo on an entry of a rotation vector. */
interface TurnedServo {
  /** What an impulse of one adds to the joint's rows of torques. */
  readonly torques: readonly { readonly row: number; readonly amount: number }[];
  readonly targetFor: (impulses: Float64Array) => number;
}

interface NodeOutput {
  readonly distances: Float64Array;
  readonly bears: (contact: number, distance: number) => boolean;
  /** Rows of what acts anyway: added to. */
  readonly given: Float64Array;
  readonly forces: Float64Array[];
  readonly cones: Cone[];
  readonly supports: Support[];
  /** Rows by one unit of these cone variables. */
  readonly impulse: (entries: readonly (readonly [number, number])[]) => Float64Array;
  readonly free: (full: Float64Array) => Float64Array;
}

/** −F h sign(rate), rounded off within `frictionRate`: on the central path at κ = F h · frictionRate. */
function frictionImpulse(bound: number, rate: number): number {
  const kappa = bound * frictionRate;
  if (Math.abs(rate) < 1e-3 * frictionRate) return (-rate * bound * bound) / (2 * kappa);
  return (kappa - Math.sqrt(kappa * kappa + rate * rate * bound * bound)) / rate;
}
