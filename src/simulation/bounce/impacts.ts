/** Impacts of a mechanism's steps: the solver, and what contacts are told in it before compression and before restitution. */
import type { Target } from "../../codegen/index.ts";
import type { System } from "../../kernels/index.ts";
import { contactImpulse } from "../runs/readings.ts";
import { ImpactSolver } from "./impact.ts";
import { ImpactParameters } from "./impactParameters.ts";

/** One contact in the impact of a step. */
export interface Touch {
  readonly contact: number;
  /** It bounces; or it stands in the way, and its threshold counts from v⁻; or it has no part in the impact. */
  readonly role: "bounces" | "supports" | "none";
  readonly threshold: number;
  /** e G, and θ. */
  readonly gain: number;
  readonly time: number;
}

/** The solver of impacts, and what contacts are told in it. */
export class Impacts {
  readonly solver: ImpactSolver;
  private readonly system: System;
  private readonly parameters: ImpactParameters;
  /** The version of the slots for which it stands. */
  private version = 0;

  constructor(system: System, target: Target) {
    this.system = system;
    this.solver = new ImpactSolver(system, target);
    this.parameters = new ImpactParameters(system, this.solver.system);
  }

  /** Slots, parameters and time step as the step has them. */
  takeParameters(): void {
    const { system, parameters } = this;
    const { f64, touch } = this.solver.system;
    if (system.touch && system.touch.version !== this.version) {
      this.version = system.touch.version;
      touch?.rebind(system.touch.bonds);
    }
    parameters.copyInto(f64, system.f64);
  }

  /** To be called before compression. */
  giveThresholds(touches: readonly Touch[]): void {
    const { f64 } = this.solver.system;
    for (const touch of touches) f64.set(impactParameters(touch), this.parameters.given(touch.contact));
  }

  /** To be called after compression, before restitution. */
  giveImpulses(touches: readonly Touch[]): void {
    const { f64 } = this.solver.system;
    for (const touch of touches)
      f64.set(impactParameters(touch, this.solvedImpulse(touch.contact)), this.parameters.given(touch.contact));
  }

  /** The whole impulse of a contact, once both are solved. */
  impulseOf(contact: number): [number, number, number] {
    const { f64 } = this.solver.system;
    const at = this.parameters.given(contact) + 2;
    const [normal, first, second] = this.solvedImpulse(contact);
    return [f64[at] + normal, f64[at + 1] + first, f64[at + 2] + second];
  }

  /** Where the normal and the two tangents of a contact lie in the memory of impacts, in the frame of its other body. */
  axesOf(contact: number): number {
    return this.parameters.contacts.nodes[contact].observations;
  }

  private solvedImpulse(contact: number): [number, number, number] {
    const { f64, places } = this.solver.system;
    const { nodes, kinds } = this.parameters.contacts;
    return contactImpulse(kinds[contact].species.model, f64, places.coneB + nodes[contact].cone);
  }
}

/** Parameters of a contact in compression, or in restitution after a compression with these impulses. */
export function impactParameters(
  { role, threshold, gain }: Touch,
  [normal, first, second]: readonly number[] = [0, 0, 0],
): number[] {
  return [role === "supports" ? 1 : 0, threshold, (1 + gain) * normal, first, second, gain * normal];
}
