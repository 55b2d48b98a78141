/**
 * Corners that rest against corners. Where edges meet edges, what keeps two shapes apart is the plane of one of the faces beside them, and
 * which one is known only once a step without it has let them cross (polyhedronFeatures.ts). While the two rest on each other, a step
 * keeps the features that were found so, and is solved once. Others are not kept: which plane is found where two edges just touch is a
 * matter of rounding, and would hold a crate at the seam of two tiles.
 *
 * They are those of the slots that a run carries (touchMemory.ts), so a run that is saved and carried on has them too.
 */
import type { RunHistory } from "../runs/runHistory.ts";
import type { SlotTable } from "./slotTable.ts";

/** Relative way in a step up to which a pair rests, in units of m (touchSearch.ts). */
export const RESTING = 1e-3;

export class KeptCorners {
  /** What is in slots as the step begins, which goes on from this state; nothing once it has been asked for. */
  private slots: SlotTable | undefined;
  private history: RunHistory | undefined;
  private state: Float64Array | undefined;
  /** How many features the step before had, once they have been asked for: their shapes and keys, and how often it had been solved when they were found. */
  count = 0;
  key = new Float64Array(16);
  round = new Uint8Array(16);
  private body = new Int32Array(16);
  private other = new Int32Array(16);

  /** To be called before a step. */
  begin(slots: SlotTable, history: RunHistory, state: Float64Array): void {
    this.slots = slots;
    this.history = history;
    this.state = state;
    this.count = 0;
  }

  /** To be called before anything is put into slots in this step: what has not been asked for by then is not kept. Most steps do not ask. */
  settle(): void {
    this.slots = undefined;
  }

  /** Finds what the step before had; the first to ask does. */
  ask(): void {
    const { slots } = this;
    this.slots = undefined;
    if (slots && this.history?.goesOnFrom(this.state as Float64Array)) slots.tell(this);
  }

  /** Whether feature k is of these two shapes. */
  isOf(k: number, a: number, b: number): boolean {
    const { body, other } = this;
    return (body[k] === a && other[k] === b) || (body[k] === b && other[k] === a);
  }

  /** Called by the slots. */
  add(body: number, other: number, key: number, round: number): void {
    const i = this.count++;
    if (i === this.body.length) this.grow();
    this.body[i] = body;
    this.other[i] = other;
    this.key[i] = key;
    this.round[i] = round;
  }

  private grow(): void {
    const { body, other, key, round } = this;
    const size = 2 * body.length;
    this.body = new Int32Array(size);
    this.other = new Int32Array(size);
    this.key = new Float64Array(size);
    this.round = new Uint8Array(size);
    this.body.set(body);
    this.other.set(other);
    this.key.set(key);
    this.round.set(round);
  }
}
