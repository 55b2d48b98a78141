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
const wayOut = "give what a run of this mechanism has left, or leave it out";

/** Throws where it is none of this mechanism: pools that no step makes, or slots that are not theirs. */
export function requireTouchMemory({ touch }: Mechanism, memory: TouchMemory | undefined): void {
  if (memory === undefined) return;
  requireEach("pools", memory.pools, isPool);
  const shapes = touch?.shapes.length ?? 0;
  requireEach("slots", memory.slots, (slot) => slot === null || isIdentity(slot, shapes));
  const count = memory.pools.reduce((sum, pool) => sum + pool.count, 0);
  if (memory.slots.length === count) return;
  throw new ArgumentError("wrong-size", `${path}.slots`, `has ${memory.slots.length}, the pools ${count}; ${wayOut}`);
}

function requireEach(name: keyof TouchMemory, list: unknown, isGood: (entry: unknown) => boolean): void {
  if (!Array.isArray(list)) throw new ArgumentError("wrong-type", `${path}.${name}`, `is no list; ${wayOut}`);
  const bad = list.findIndex((entry) => !isGood(entry));
  if (bad >= 0) throw new ArgumentError("out-of-range", `${path}.${name}[${bad}]`, wayOut);
}

function isPool(value: unknown): boolean {
  const {
    feature,
    model,
    otherMoves,
    coreOnWorld = false,
    torsional = false,
    rolling = false,
    bounces = false,
    count,
  } = fieldsOf<TouchPool>(value);
  const isKnown = featureKinds.some((kind) => kind === feature) && touchRules.some((rule) => rule.model === model);
  return (
    isKnown &&
    [otherMoves, coreOnWorld, torsional, rolling, bounces].every((flag) => typeof flag === "boolean") &&
    isIndex(count, 1)
  );
}

function isIdentity(value: unknown, shapes: number): boolean {
  const { shape, other, key, round } = fieldsOf<SlotIdentity>(value);
  return isIndex(shape, 0, shapes) && isIndex(other, 0, shapes) && Number.isFinite(key) && isIndex(round, 0, 256);
}

const fieldsOf = <T>(value: unknown): Partial<Record<keyof T, unknown>> =>
  typeof value === "object" && value !== null ? value : {};

const isIndex = (value: unknown, least: number, end = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) < end;
