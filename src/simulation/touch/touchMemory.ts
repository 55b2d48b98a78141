/** What a run carries of its slots: which there are, and what is in them. It may come from a file, so it is checked. */
import { featureKinds } from "../../geometry/index.ts";
import { ArgumentError, type Mechanism, type TouchPool } from "../../mechanism/index.ts";
import { touchRules } from "./foundFeatures.ts";

export interface TouchMemory {
  readonly pools: readonly TouchPool[];
  readonly slots: readonly (SlotIdentity | null)[];
}

/** Which feature a slot has: of which two shapes, which of theirs, and how often the step had been solved when it was found. */
export interface SlotIdentity {
  readonly shape: number;
  readonly other: number;
  readonly key: number;
  readonly round: number;
}

const path = "continuation.touch";
const isModel = (model: unknown): boolean => touchRules.some((rule) => rule.model === model);

/** Throws where it is none of this mechanism. */
export function requireTouchMemory({ touch }: Mechanism, memory: TouchMemory | undefined): void {
  if (memory === undefined) return;
  const isIndex = (value: unknown, count: number): boolean =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < count;
  const { pools } = memory;
  const arePools =
    Array.isArray(pools) &&
    pools.every(({ feature, model, count }) => featureKinds.includes(feature) && isModel(model) && isIndex(count, 1e6));
  const shapes = touch?.shapes.length ?? 0;
  const areSlots =
    Array.isArray(memory.slots) &&
    memory.slots.every(
      (slot) =>
        slot === null || (isIndex(slot.shape, shapes) && isIndex(slot.other, shapes) && Number.isFinite(slot.key)),
    );
  if (arePools && areSlots) return;
  throw new ArgumentError("out-of-range", path, "give what a run of this mechanism has left, or leave it out");
}
