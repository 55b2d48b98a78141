/** Impacts of a mechanism's steps: the solver, and what contacts are told in it before compression and before restitution. */
import type { Target } from "../../codegen/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import { contactImpulse } from "../runs/readings.ts";
import { contactNodes } from "./bounceMaps.ts";
import { ImpactSolver, sharedParameters } from "./impact.ts";

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
  private readonly nodes: readonly NodePlace[];
  /** Memory indices of the parameters of impacts (equations/impact.ts), by contact. */
  private readonly given: readonly number[];
  private readonly shared: Int32Array;

  constructor(system: System, target: Target) {
    this.system = system;
    this.solver = new ImpactSolver(system.mechanism, target);
    const { system: there } = this.solver;
    this.nodes = contactNodes(there);
    this.given = there.mechanism.contacts.map(
      ({ name }) => there.parameters.get(`contacts.${name}.impact.relative`) as number,
    );
    this.shared = sharedParameters(system, there);
  }

  /** Parameters and time step as the step has them. */
  takeParameters(): void {
    const { f64 } = this.solver.system;
    const { shared, system } = this;
    for (let i = 0; i < shared.length; i += 2) f64[shared[i + 1]] = system.f64[shared[i]];
  }

  /** Before compression. */
  giveThresholds(touches: readonly Touch[]): void {
    const { f64 } = this.solver.system;
    for (const touch of touches) f64.set(impactParameters(touch), this.given[touch.contact]);
  }

  /** After compression, before restitution. */
  giveImpulses(touches: readonly Touch[]): void {
    const { f64 } = this.solver.system;
    for (const touch of touches)
      f64.set(impactParameters(touch, this.solvedImpulse(touch.contact)), this.given[touch.contact]);
  }

  /** The whole impulse of a contact, once both are solved. */
  impulseOf(contact: number): [number, number, number] {
    const { f64 } = this.solver.system;
    const at = this.given[contact] + 2;
    const [normal, first, second] = this.solvedImpulse(contact);
    return [f64[at] + normal, f64[at + 1] + first, f64[at + 2] + second];
  }

  private solvedImpulse(contact: number): [number, number, number] {
    const { f64, places, mechanism } = this.solver.system;
    return contactImpulse(mechanism.contacts[contact].model, f64, places.coneB + this.nodes[contact].cone);
  }
}

/** Parameters of a contact in compression, or in restitution after a compression with these impulses. */
export function impactParameters(
  { role, threshold, gain }: Touch,
  [normal, first, second]: readonly number[] = [0, 0, 0],
): number[] {
  return [role === "supports" ? 1 : 0, threshold, (1 + gain) * normal, first, second, gain * normal];
}
