/**
 * A step with a bounce made linear: its stages (simulation/bounce/bounce.ts) are steps, impacts and smooth functions. Tangents go through them in
 * turn, and cotangents go back:
 *   free → where and when bodies meet → compression → restitution → wrench of the impulses → position → carried velocities, next state
 * Steps and impacts are differentiated at their points (sensitivity.ts), functions by their own derivatives (bounceTape.ts).
 */
import type { Target } from "../codegen/index.ts";
import { leadOffset } from "../equations/index.ts";
import { impulseSize } from "../kernels/index.ts";
import { bodyAt, velocityAt } from "../math/index.ts";
import type { Mechanism, TouchPool } from "../mechanism/index.ts";
import {
  type BounceRecord,
  contactImpulse,
  ImpactParameters,
  impactMechanism,
  impactParameters,
} from "../simulation/index.ts";
import { given } from "./bounceLayout.ts";
import { BounceTape } from "./bounceTape.ts";
import { driveInto, partOf, type SolvedStep } from "./point.ts";
import { StepSensitivity } from "./sensitivity.ts";

export class BounceSensitivity {
  private readonly stages: Readonly<Record<"free" | "compression" | "restitution" | "position", StepSensitivity>>;
  /** Parameters of the step that is loaded, where a system has them. */
  private readonly data: Float64Array;
  private readonly between: BounceTape;
  /** Parameters of a step and of an impact. */
  private readonly parameters: ImpactParameters;
  /** Tangents or cotangents on their way (bounceLayout.ts). */
  private readonly values: Float64Array;
  private record: BounceRecord | undefined;
  /** Where contacts are told, by number, in the memory of impacts, and where stages have their impulses. */
  private givenPlaces: readonly number[] = [];
  private impulsePlaces: readonly number[] = [];
  /** Whether impacts have tangents of parameters from the last `push`. */
  private impactsVary = false;

  constructor(mechanism: Mechanism, target: Target, pools: readonly TouchPool[]) {
    const impacts = impactMechanism(mechanism);
    const ofStep = (): StepSensitivity => new StepSensitivity(mechanism, target, "contacts", "step", pools);
    const ofImpact = (): StepSensitivity => new StepSensitivity(impacts, target, "contacts", "impact", pools);
    this.stages = { free: ofStep(), compression: ofImpact(), restitution: ofImpact(), position: ofStep() };
    const { system } = this.stages.free;
    this.data = new Float64Array(system.dataEnd);
    this.between = new BounceTape({ ...system, f64: this.data });
    this.values = new Float64Array(this.between.layout.size);
    this.parameters = new ImpactParameters(system, this.stages.restitution.system);
  }

  /** Linearises about a part of a step that bounced. */
  load(step: SolvedStep, substep: number, record: BounceRecord): void {
    const { data, stages, parameters } = this;
    const { places } = stages.free.system;
    const { bonds } = step;
    const { size, lead } = partOf(step, substep);
    this.record = record;
    data.set(step.data);
    data[places.globals] *= size;
    data[places.globals + leadOffset] = step.data[places.globals] * lead;
    driveInto(data, stages.free.system, step, substep);
    const input = data.slice(places.input, places.input + step.input.length);
    const at = (memory: Float64Array, point: Float64Array): SolvedStep => ({
      ...step,
      data: memory,
      input,
      points: [point],
      division: undefined,
    });

    // half-spaces that were away have derivatives all the same, and slacks so large that they do not count
    stages.free.linearise(at(data.slice(), record.free));
    const pushed = data.slice();
    for (let k = 0; k < record.wrench.length; k++) pushed[places.wrench + k] += record.wrench[k];
    stages.position.linearise(at(pushed, record.position));

    if (bonds) stages.restitution.system.touch?.rebind(bonds);
    const impact = stages.compression.system.f64.slice(0, stages.compression.system.dataEnd);
    parameters.copyInto(impact, data);
    const none = new Float64Array(0);
    const impactAt = (point: Float64Array, impulses: boolean): SolvedStep => {
      const memory = impact.slice();
      for (const touch of record.touches) {
        const before = impulses ? this.impulse(record.compression, touch.contact) : undefined;
        memory.set(impactParameters(touch, before), parameters.given(touch.contact));
      }
      return { data: memory, bonds, points: [point], input: none, state: none, next: none };
    };
    stages.compression.linearise(impactAt(record.compression, false));
    stages.restitution.linearise(impactAt(record.restitution, true));
    this.between.record(record, (contact) => this.impulse(record.compression, contact));
    this.givenPlaces = record.touches.map(({ contact }) => parameters.given(contact));
    this.impulsePlaces = this.between.maps.nodes.map(({ index }) => impulseSize * index);
  }

  /** The next state that the loaded part leads to, 13 numbers per body, out of the one that its last stage leads to. */
  turnInto(next: Float64Array): void {
    const { leaders, next: turned } = this.loaded;
    leaders.forEach((_, body) => {
      next.set(turned.subarray(velocityAt(body), bodyAt(body + 1)), velocityAt(body));
    });
  }

  /** Is called before the first `push` after `load`. */
  clear(): void {
    for (const stage of Object.values(this.stages)) stage.clear();
    this.impactsVary = false;
  }

  /** Takes a tangent of the state, 12 per body, to that of the next state, in place; `entries` are tangents of memory. */
  push(tangent: Float64Array, entries: readonly { readonly index: number; readonly weight: number }[]): void {
    const { stages, values, between } = this;
    const { tape, passages, layout } = between;
    const { free, compression, restitution, position } = stages;
    const { wrench } = free.system.places;
    const wrenchSize = tangent.length / 2;
    values.fill(0);
    values.set(tangent, layout.state);
    for (const { index, weight } of entries) values[index] += weight;

    for (const { index } of entries) free.mirror[index] = values[index];
    this.pushStage(free, layout.state, layout.free);
    tape.push(values, ...passages.meeting);

    const impactsVary = entries.length > 0;
    for (const stage of [compression, restitution]) {
      if (impactsVary || this.impactsVary) this.parameters.copyInto(stage.mirror, values);
      this.tell(stage);
      this.pushStage(stage, layout.impact, stage === restitution ? layout.after : undefined);
      stage.pushImpulses();
      this.takeImpulses(stage, stage === restitution ? layout.released : layout.compressed);
      tape.push(values, ...passages[stage === restitution ? "pushing" : "telling"]);
    }
    this.impactsVary = impactsVary;

    for (let k = 0; k < wrenchSize; k++) position.mirror[wrench + k] = values[layout.wrench + k];
    for (const { index } of entries) {
      const isWrench = index >= wrench && index < wrench + wrenchSize;
      position.mirror[index] = values[index] + (isWrench ? values[layout.wrench + index - wrench] : 0);
    }
    this.pushStage(position, layout.state, layout.position);
    tape.push(values, ...passages.carrying);
    for (const { index } of entries) free.mirror[index] = position.mirror[index] = 0;
    for (let i = 0; i < tangent.length; i++) tangent[i] = values[layout.next + i];
  }

  /**
   * Takes a cotangent of the next state, 12 per body, back to that of the state, in place; adds those of all else to `mirror`. `impulses` are
   * cotangents of the contacts' impulses.
   */
  pull(cotangent: Float64Array, mirror: Float64Array, impulses?: Float64Array): void {
    const { stages, values, between, parameters, givenPlaces } = this;
    const { tape, passages, layout } = between;
    const { free, compression, restitution, position } = stages;
    const { wrench } = free.system.places;
    values.fill(0);
    values.set(cotangent, layout.next);
    if (impulses) this.pullReadings(impulses);
    tape.pull(values, ...passages.carrying);

    this.pullStage(position, layout.state, layout.position, layout.positionImpulse);
    this.addInto(0, position.mirror);
    this.addInto(layout.wrench, position.mirror.subarray(wrench, wrench + cotangent.length / 2));
    tape.pull(values, ...passages.pushing);

    this.pullStage(restitution, layout.impact, layout.after, layout.released);
    parameters.addInto(values, restitution.mirror);
    givenPlaces.forEach((at, contact) => {
      this.addInto(layout.givenTo(contact), restitution.mirror.subarray(at, at + given.size));
    });
    tape.pull(values, ...passages.telling);

    this.pullStage(compression, layout.impact, undefined, layout.compressed);
    parameters.addInto(values, compression.mirror);
    givenPlaces.forEach((at, contact) => {
      values[layout.givenTo(contact) + given.threshold] += compression.mirror[at + given.threshold];
    });
    tape.pull(values, ...passages.meeting);

    this.pullStage(free, layout.state, layout.free, layout.freeImpulse);
    this.addInto(0, free.mirror);
    for (let i = 0; i < mirror.length; i++) mirror[i] += values[i];
    for (let i = 0; i < cotangent.length; i++) cotangent[i] = values[layout.state + i];
  }

  private get loaded(): BounceRecord {
    return this.record as BounceRecord;
  }

  /** Cotangents of what readers see of contacts by hand, to the stages that it comes from. */
  private pullReadings(impulses: Float64Array): void {
    const { touches, shares } = this.loaded;
    const { layout } = this.between;
    for (let i = 0; i < impulses.length; i++) {
      const contact = Math.floor(i / impulseSize);
      const share = shares[contact];
      if (share === "position") this.values[layout.positionImpulse + i] += impulses[i];
      if (share === "free and impact") this.values[layout.freeImpulse + i] += impulses[i];
      if (share !== "position" && touches[contact].role !== "none") this.values[layout.impulse + i] += impulses[i];
    }
  }

  private impulse(point: Float64Array, contact: number): [number, number, number] {
    const { nodes, kinds } = this.parameters.contacts;
    const { mechanism, unknowns } = this.stages.restitution.system;
    return contactImpulse(kinds[contact].species.model, point, mechanism.stateSize + unknowns + nodes[contact].cone);
  }

  private addInto(at: number, values: Float64Array): void {
    for (let i = 0; i < values.length; i++) this.values[at + i] += values[i];
  }

  /** What contacts are told, as tangents of an impact's parameters: in compression the threshold alone. */
  private tell(stage: StepSensitivity): void {
    const { values, givenPlaces } = this;
    const { layout } = this.between;
    const end = stage === this.stages.compression ? given.threshold + 1 : given.size;
    for (let contact = 0; contact < givenPlaces.length; contact++)
      for (let k = given.threshold; k < end; k++)
        stage.mirror[givenPlaces[contact] + k] = values[layout.givenTo(contact) + k];
  }

  /** Takes tangents through a stage that is a step or an impact, whose `mirror` is set. */
  private pushStage(stage: StepSensitivity, from: number, to: number | undefined): void {
    const { values } = this;
    const { state, error } = stage;
    for (let i = 0; i < state.length; i++) state[i] = values[from + i];
    stage.push();
    if (to !== undefined) values.set(error, to);
  }

  private takeImpulses({ impulse }: StepSensitivity, to: number): void {
    const { values, impulsePlaces } = this;
    for (let contact = 0; contact < impulsePlaces.length; contact++)
      for (let k = 0; k < impulseSize; k++)
        values[to + impulseSize * contact + k] = impulse[impulsePlaces[contact] + k];
  }

  /** Back through a stage; what is not a state is left in its `mirror`. */
  private pullStage(stage: StepSensitivity, to: number, from: number | undefined, impulses: number): void {
    const { values, impulsePlaces } = this;
    const { error, impulse } = stage;
    stage.clear();
    if (from !== undefined) for (let i = 0; i < error.length; i++) error[i] = values[from + i];
    for (let contact = 0; contact < impulsePlaces.length; contact++)
      for (let k = 0; k < impulseSize; k++)
        impulse[impulsePlaces[contact] + k] = values[impulses + impulseSize * contact + k];
    stage.pull();
    this.addInto(to, stage.state);
  }
}
