/**
 * The equations of a step with its motion given: the residuals of the bodies are then linear in everything that acts, and are read
 * off the step's own kernels, one unit of each at a time:
 *   r + C λ + Y y + F f = 0
 * λ constraint impulses of joints and gears, y the actuators (impulses of motors, servos and thrusters), f the impulses of contacts
 * and limits in their cones. Springs, dampers, rotors, drag and gravity are in r. Rows are taken by their worth on the motions that
 * the constraints allow (freeMotions.ts), which has no λ, and whose lengths are those of accelerations in the metric of the masses.
 */
import { MassMetric } from "../coordinates/index.ts";
import { bodyParameterNames } from "../equations/index.ts";
import { buildSystem, type NodePlace, type System } from "../kernels/index.ts";
import {
  type Continuation,
  copyParameters,
  NearTouches,
  type Simulation,
  type TouchReading,
  turnsInto,
} from "../simulation/index.ts";
import type { Cone } from "../solver/index.ts";
import { constraintRowsOf, forceRowsOf } from "./balanceRows.ts";
import { rotationServos, withoutServos } from "./balanceServos.ts";
import { addNode, type Bearing, type NodeOutput, type Support, writeImpulses } from "./bearing.ts";
import { FreeMotions } from "./freeMotions.ts";

export interface Balance {
  /** What is left of the bodies' rows without actuators and supports, by its worth. */
  readonly r: Float64Array;
  readonly inputs: Float64Array[];
  readonly forces: Float64Array[];
  readonly cones: Cone[];
  readonly supports: Support[];
  /** Shapes that touch, with what they bear under these forces. */
  readonly touches: (forces: Float64Array) => TouchReading[];
  /** Input (N, or a servo's target) of each actuator from its impulse. */
  readonly inputFor: (impulses: Float64Array) => Float64Array;
  /** Whether columns depend on the inputs, as those of servos on rotation vectors do on their targets. */
  readonly isNonlinear: boolean;
  /** Worths → forces and torques. */
  readonly forcesOf: (worth: Float64Array) => Float64Array;
}

/** The motion that is asked about: velocities are those that lead to the next state. */
export interface Motion {
  readonly state: Float64Array;
  readonly next: Float64Array;
  readonly velocities: Float64Array;
  readonly continuation: Continuation | undefined;
}

export class StepBalance {
  private readonly simulation: Simulation;
  private readonly fixed: System | undefined;
  private readonly touches: NearTouches | undefined;

  constructor(simulation: Simulation) {
    const { mechanism, target } = simulation;
    const { touch } = mechanism;
    this.simulation = simulation;
    if (touch) this.touches = new NearTouches({ ...mechanism, touch }, target);
    else this.fixed = buildSystem(mechanism, target);
  }

  /**
   * Parameters are those of the simulation. Servos on rotation vectors push as they would at the targets of `near`, or, without it, where
   * the joint is going.
   */
  assemble(motion: Motion, bearing: Bearing, near?: Float64Array): Balance {
    const { state, next, velocities, continuation } = motion;
    const { touches, simulation } = this;
    const system = this.fixed ?? (touches as NearTouches).at(simulation.system, state, next, bearing.distance);
    const { mechanism, f64, places, unknowns, coneSize, equalities, nodes } = system;
    const h = simulation.timestep;
    const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
    const input = view(places.input, mechanism.inputSize);
    const unknown = view(places.unknown, unknowns);
    const b = view(places.coneB, coneSize);
    const rows = view(places.residual, unknowns);
    const gaps = view(places.residual + unknowns, equalities);
    const bodyRows = 6 * mechanism.bodies.length;
    copyParameters(simulation.system, system);
    turnsInto(f64, system, state, continuation);
    f64.set(state, places.state);
    unknown.fill(0);
    unknown.set(velocities);
    b.fill(0);
    f64.fill(1, places.coneC, places.coneC + coneSize);
    input.fill(0);
    const turned = rotationServos(system, state, velocities, h, near);
    const servoWanted = withoutServos(system);

    // r, with the forces on coordinates put in their places
    const evaluate = (): void => {
      for (const list of ["evaluate", "balances"]) system.run(list);
    };
    setLengths(system, h);
    const forceRows = nodes.flatMap((node) => forceRowsOf(system, node));
    system.run("prepare");
    evaluate();
    const still = Float64Array.from(rows);
    const distances = Float64Array.from(gaps, (entry) => 1 - entry);
    const column = (set: (amount: number) => void): Float64Array => {
      set(1);
      evaluate();
      const out = rows.map((entry, i) => entry - still[i]);
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
    const constraintColumns = (node: NodePlace): Float64Array[] =>
      constraintRowsOf(system, node).map((row) => reduced(ofUnknown(row)));
    const motions = new FreeMotions(
      mechanism,
      metric,
      (joint) => constraintColumns(nodes[joint]),
      nodes.filter(({ kind }) => kind === "gear").flatMap(constraintColumns),
    );
    const free = (bodies: Float64Array): Float64Array => motions.worthOf(bodies);
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
      const { from, to } = probeInput(system, i);
      // inputs are read where the step is prepared
      const rowsAt = (amount: number): Float64Array => {
        input[i] = amount;
        system.run("prepare");
        evaluate();
        return Float64Array.from(rows);
      };
      const first = rowsAt(from);
      const perUnit = rowsAt(to).map((entry, k) => (entry - first[k]) / (to - from));
      input[i] = 0;
      // what the rows hold at zero input is not zero where that is outside the limits
      for (let k = 0; k < given.length; k++) given[k] += first[k] - from * perUnit[k] - still[k];
      return free(reduced(perUnit.map((entry) => entry / h)));
    });
    system.run("prepare");
    const forces: Float64Array[] = [];
    const cones: Cone[] = [];
    const supports: Support[] = [];
    const output: NodeOutput = {
      distances,
      bearing,
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
    for (const node of nodes) addNode(system, node, output);
    for (const node of system.touch?.boundNodes ?? []) addNode(system, node, output);

    return {
      r: free(reduced(given)),
      inputs,
      forces,
      cones,
      supports,
      touches: (amounts) => {
        if (!touches) return [];
        for (const { node, impulses } of supports) writeImpulses(system, node, impulses(amounts));
        return touches.readings;
      },
      isNonlinear: turned.size > 0,
      inputFor: (impulses) =>
        impulses.map((impulse, i) => {
          const target = turned.get(i)?.targetFor(impulses);
          if (target !== undefined) return target;
          const servo = servoWanted.get(i);
          if (!servo) return impulse / h;
          return servo.perTarget > 0 ? (impulse - servo.atZero) / servo.perTarget : 0;
        }),
      forcesOf: (worth) => motions.forceOf(worth).map((entry) => entry / h),
    };
  }
}

/** Lengths of gears with a range follow from the motion: their rows say Σ ratio·θ₊/h = length/h. */
function setLengths(system: System, h: number): void {
  const { mechanism, f64, places, nodes } = system;
  const ranges = nodes.filter(({ kind, index }) => kind === "gear" && mechanism.gears[index].kind === "range");
  if (ranges.length === 0) return;
  system.run("prepare");
  system.run("evaluate");
  for (const { multiplier } of ranges) f64[places.unknown + multiplier] = h * f64[places.residual + multiplier];
}

/** Two values of an input within its limits. */
function probeInput({ mechanism }: System, i: number): { from: number; to: number } {
  const limits = [
    ...mechanism.joints.flatMap((joint) =>
      joint.coordinates
        .filter(({ input, effortLimit }) => input === i && effortLimit !== null)
        .map(({ effortLimit, effortCenter }) => [effortCenter - (effortLimit ?? 0), effortCenter + (effortLimit ?? 0)]),
    ),
    ...mechanism.thrusters.filter(({ input }) => input === i).map(({ lower, upper }) => [lower, upper]),
  ];
  const [lower, upper] = limits[0] ?? [null, null];
  const from = lower ?? (upper === null ? 0 : upper - 1);
  return { from, to: upper ?? from + 1 };
}
