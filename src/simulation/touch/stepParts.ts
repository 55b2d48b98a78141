/**
 * What is kept of the parts of a step that is taken as several (heapSteps.ts, cutSteps.ts): impulses summed up, and pieces for gradients and
 * readings (stepPieces.ts).
 */
import { combinedParameters } from "./combinedParameters.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import type { SlotSystem } from "./slotSystem.ts";
import { keptPoints, type StepPieces } from "./stepPieces.ts";
import type { PairSurfaces } from "./surfaces.ts";
import { touchRecord } from "./touchReadings.ts";

/** What takes the steps (touchSteps.ts). */
interface Taker {
  readonly active: SlotSystem;
  readonly features: FoundFeatures;
  readonly surfaces: PairSurfaces;
  readonly pieces: StepPieces;
  readonly timestep: number;
  /** Whether the last step was taken as several. */
  isInPieces: boolean;
}

export class StepParts {
  private readonly touch: Taker;
  /** Length of the step that is being taken, in parts or not. */
  whole = 0;

  constructor(touch: Taker) {
    this.touch = touch;
  }

  /** To be called before a step that is taken as several. */
  begin(): void {
    this.touch.pieces.list.length = 0;
    this.touch.active.impulses.clear();
  }

  /** What was kept so far, to be gone back to where what follows does not lead to the end of the step. */
  mark(): () => void {
    const { touch } = this;
    const { impulses } = touch.active;
    const { list } = touch.pieces;
    const [sums, count] = [impulses.copy(), list.length];
    return () => {
      impulses.goBackTo(sums);
      // another system may have taken over meanwhile
      if (touch.active.impulses !== impulses) touch.active.impulses.goOnFrom(impulses);
      list.length = count;
    };
  }

  /** To be called after a step, or one of its parts, that has led to `next`. */
  endPiece(state: Float64Array, next: Float64Array, depth: number): void {
    const { active, pieces, features, surfaces, timestep } = this.touch;
    if (depth > 0) active.impulses.add();
    if (depth === 0) return;
    const { system, stepper } = active;
    const data = system.f64.slice(0, system.dataEnd);
    pieces.list.push({
      size: timestep / this.whole,
      taken: active,
      data,
      bonds: system.touch?.bonds,
      combined: combinedParameters(active, features, surfaces),
      start: state.slice(),
      next: next.slice(),
      substeps: stepper.report.substeps,
      division: stepper.division,
      angles: stepper.turns.start.slice(),
      touches: touchRecord(active, features.copy(), data),
      kept: keptPoints(stepper.solve.kept, stepper.report.substeps),
    });
  }

  /** To be called after the last part; `interval`: that of the state where it ends. */
  end(state: Float64Array, next: Float64Array, interval: number): void {
    const { stepper, impulses } = this.touch.active;
    this.touch.isInPieces = true;
    impulses.restore();
    stepper.history.startCold();
    stepper.history.end(state, next);
    stepper.report.interval = interval;
  }
}
