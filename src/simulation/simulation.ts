/**
 * A simulation: the only object that changes. It owns the memory of one mechanism, its parameters, and takes steps in it.
 */
import { chooseTarget, type Target } from "../codegen/index.ts";
import { jointCoordinates, jointRates } from "../coordinates/index.ts";
import { buildSystem, type System } from "../kernels/index.ts";
import type { Vector3 } from "../math/index.ts";
import { type Mechanism, named } from "../mechanism/index.ts";
import { bodyEnergy, type Energy, type EnergyData, type Momentum, momentumOf } from "./energy.ts";
import { type ContactReading, contactReading, smallestDistance } from "./readings.ts";
import { requireSteppable } from "./stateChecks.ts";
import { type StepOptions, type StepReport, Stepper } from "./stepper.ts";
import { changeIntervalInto } from "./timestepChange.ts";
import { Trajectory } from "./trajectory.ts";

export interface SimulationOptions extends StepOptions {
  /** Default: WebAssembly where there is SIMD, JavaScript elsewhere. */
  readonly target?: Target;
}

export interface StepResult extends Readonly<StepReport> {
  /** The state after the step: a view that the next step overwrites. */
  readonly next: Float64Array;
}

/** Called before each step; returns the input, or fills the one it is given. */
export type Controller = (state: Float64Array, step: number, input: Float64Array) => Float64Array | undefined;

export interface RolloutOptions {
  readonly steps: number;
  readonly controller?: Controller;
  /** Called after each step; returning false ends the rollout. */
  readonly onStep?: (result: StepResult, step: number) => boolean | undefined;
  /** Go on after a step that was not solved, from the best point found. Default false. */
  readonly continueOnFailure?: boolean;
}

export class Simulation {
  readonly mechanism: Mechanism;
  readonly stateSize: number;
  readonly inputSize: number;
  /** Memory and kernels, for tools that look inside. */
  readonly system: System;
  readonly stepper: Stepper;

  private readonly options: SimulationOptions;
  private readonly result: StepReport & { next: Float64Array };
  private readonly noInput: Float64Array;

  constructor(mechanism: Mechanism, options: SimulationOptions = {}) {
    this.mechanism = mechanism;
    this.options = options;
    this.stateSize = mechanism.stateSize;
    this.inputSize = mechanism.inputSize;
    this.system = buildSystem(mechanism, options.target ?? chooseTarget());
    this.stepper = new Stepper(this.system);
    this.noInput = new Float64Array(mechanism.inputSize);
    this.result = { ...this.stepper.report, next: new Float64Array(mechanism.stateSize) };
  }

  /** Seconds. Set it with `setParameter("timestep", h)`. */
  get timestep(): number {
    return this.system.f64[this.system.places.globals];
  }

  /** Paths of all parameters: "timestep", "bodies.rod.mass", "joints.hinge.damping.0", "contacts.contact0.frictionCoefficient". */
  get parameterNames(): string[] {
    return [...this.system.parameters.keys()];
  }

  parameter(path: string): number {
    return this.system.f64[this.parameterIndex(path)];
  }

  /** Changes a parameter between steps; nothing is recompiled. States made for another time step go through `changeTimestep`. */
  setParameter(path: string, value: number): void {
    const index = this.parameterIndex(path);
    if (!Number.isFinite(value)) throw new RangeError(`${path} = ${value}: a parameter must be a finite number`);
    if (path === "timestep" && value <= 0) throw new RangeError(`timestep = ${value}: it must be positive`);
    this.system.f64[index] = value;
  }

  /** Sets the time step, and returns the state with the interval momentum kept. */
  changeTimestep(state: Float64Array, timestep: number): Float64Array {
    const changed = Float64Array.from(state);
    const before = this.timestep;
    this.setParameter("timestep", timestep);
    for (const { index } of this.mechanism.bodies) changeIntervalInto(changed, index, this.stepper.inertia(index), before, timestep);
    return changed;
  }

  /** Force (world frame, at the centre of mass) and torque (body frame) that act on a body until changed. */
  setWrench(body: string, wrench: { readonly force?: Vector3; readonly torque?: Vector3 }): void {
    const { index } = named(this.mechanism.bodies, body, "body");
    const values = [...(wrench.force ?? [0, 0, 0]), ...(wrench.torque ?? [0, 0, 0])];
    if (!values.every(Number.isFinite)) throw new RangeError(`wrench on "${body}" is not finite: ${values.join(", ")}`);
    this.system.f64.set(values, this.system.places.wrench + 6 * index);
  }

  /** One step. The result and its `next` are overwritten by the next call. */
  step(state: Float64Array, input: Float64Array = this.noInput, options: StepOptions = this.options): StepResult {
    requireSteppable(this.mechanism, state, input, this.timestep);
    this.system.f64.set(input, this.system.places.input);
    this.stepper.step(state, this.result.next, options);
    Object.assign(this.result, this.stepper.report);
    return this.result;
  }

  /** Many steps. Ends early at a step that is not solved, unless told to go on. */
  rollout(start: Float64Array, { steps, controller, onStep, continueOnFailure = false }: RolloutOptions): Trajectory {
    if (!Number.isInteger(steps) || steps < 0) throw new RangeError(`steps = ${steps}: it must be a whole number, 0 or more`);
    const trajectory = new Trajectory(this.system, this.timestep, start);
    const input = new Float64Array(this.inputSize);
    for (let k = 0; k < steps; k++) {
      const given = controller?.(trajectory.final, k, input) ?? input;
      requireSteppable(this.mechanism, trajectory.final, given, this.timestep, k);
      const result = this.step(trajectory.final, given);
      trajectory.record(given, result, result.next);
      if (onStep?.(result, k) === false) break;
      if (result.status !== "solved" && !continueOnFailure) break;
    }
    return trajectory;
  }

  /** Forces and distance of a contact in the last step. */
  contact(name: string): ContactReading {
    const { index } = named(this.mechanism.contacts, name, "contact");
    const node = this.system.nodes.find((entry) => entry.kind === "contact" && entry.index === index);
    if (!node) throw new RangeError(`contact "${name}" is not simulated`);
    return contactReading(this.system, node);
  }

  /** Smallest distance of all contacts after the last step. */
  get smallestDistance(): number {
    return smallestDistance(this.system);
  }

  /** Linear and angular momentum, those that the integrator conserves. */
  momentum(state: Float64Array): Momentum {
    return momentumOf(this.energyData(), state);
  }

  /** Kinetic energy of the last interval; gravity's and the springs' energy at its middle. */
  energy(state: Float64Array): Energy {
    const { kinetic, gravity } = bodyEnergy(this.energyData(), state);
    const potential = gravity + this.springEnergy(state);
    return { kinetic, potential, total: kinetic + potential };
  }

  private springEnergy(state: Float64Array): number {
    const { mechanism, timestep } = this;
    if (!mechanism.joints.some((joint) => joint.coordinates.some((c) => c.stiffness > 0))) return 0;
    const coordinates = jointCoordinates(mechanism, state);
    const rates = jointRates(mechanism, state, timestep);
    let energy = 0;
    for (const joint of mechanism.joints) {
      joint.coordinates.forEach((_, i) => {
        const at = joint.coordinateOffset + i;
        const stiffness = this.parameter(`joints.${joint.name}.stiffness.${i}`);
        const rest = this.parameter(`joints.${joint.name}.rest.${i}`);
        const now = coordinates[at] - rest;
        const before = now - timestep * rates[at];
        energy += 0.25 * stiffness * (now * now + before * before);
      });
    }
    return energy;
  }

  private energyData(): EnergyData {
    const { f64, places } = this.system;
    const at = places.globals;
    return {
      mechanism: this.mechanism,
      timestep: f64[at],
      gravity: [f64[at + 1], f64[at + 2], f64[at + 3]],
      mass: (body) => f64[places.bodyParameters + 7 * body],
      inertia: (body) => this.stepper.inertia(body),
    };
  }

  private parameterIndex(path: string): number {
    const index = this.system.parameters.get(path);
    if (index === undefined) throw new RangeError(`unknown parameter "${path}" (see parameterNames; e.g. ${this.parameterNames.slice(0, 3).join(", ")})`);
    return index;
  }
}
