/**
 * Parameters that a step and its impacts have in common, in two systems: under one name, or of slots that are bound to the same bodies in
 * both. Contacts of an impact have more (equations/impact.ts), behind those of the step.
 */
import type { System } from "../../kernels/index.ts";
import { StepContacts } from "./stepContacts.ts";

export class ImpactParameters {
  /** Contacts of the impact; they have the numbers of those of the step. */
  readonly contacts: StepContacts;

  private readonly step: System;
  private readonly ofStep: StepContacts;
  /** Memory indices under one name, in pairs: of the step, of the impact. */
  private readonly named: Int32Array;

  constructor(step: System, impact: System) {
    this.step = step;
    this.contacts = new StepContacts(impact);
    this.ofStep = new StepContacts(step);
    this.named = Int32Array.from(
      [...step.parameters].flatMap(([name, index]) => {
        const other = impact.parameters.get(name);
        return other === undefined ? [] : [index, other];
      }),
    );
  }

  /** Where the numbers begin that a contact is told in an impact. */
  given(contact: number): number {
    const { nodes, kinds } = this.contacts;
    return nodes[contact].parameters + kinds[contact].end;
  }

  /** Takes them from the memory of a step into that of an impact. */
  copyInto(impact: Float64Array, step: Float64Array): void {
    const { named } = this;
    for (let i = 0; i < named.length; i += 2) impact[named[i + 1]] = step[named[i]];
    this.eachOfSlots((here, there) => {
      impact[there] = step[here];
    });
  }

  /** Adds cotangents of an impact's to those of a step's. */
  addInto(step: Float64Array, impact: Float64Array): void {
    const { named } = this;
    for (let i = 0; i < named.length; i += 2) step[named[i]] += impact[named[i + 1]];
    this.eachOfSlots((here, there) => {
      step[here] += impact[there];
    });
  }

  private eachOfSlots(visit: (here: number, there: number) => void): void {
    const { step, ofStep, contacts } = this;
    const { nodes: here, kinds } = ofStep;
    const { nodes: there } = contacts;
    for (let k = step.mechanism.contacts.length; k < here.length; k++)
      for (let i = 0; i < kinds[k].end; i++) visit(here[k].parameters + i, there[k].parameters + i);
  }
}
