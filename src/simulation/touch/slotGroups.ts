/**
 * Slots: contacts that features come into and leave. A group of slots is for one kind of feature, one model and one pair of bodies; a feature
 * keeps its slot, and with it its cone variables, for as long as it is there.
 */
import { featureKinds } from "../../geometry/index.ts";
import type { ContactFeature } from "../../mechanism/index.ts";
import type { FoundFeatures } from "./foundFeatures.ts";

export interface SlotGroup {
  readonly feature: ContactFeature;
  readonly model: "impact" | "cone";
  readonly body: number;
  readonly other: number;
  readonly count: number;
}

/** Slots of a group to begin with, and by how many it grows: faces have four points as a rule. */
const planes = 4;
const others = 2;

/** One number for what a group is for; bodies up to 2²². */
export function groupKey(kind: number, model: number, body: number, other: number): number {
  return ((kind * 2 + model) * 2 ** 22 + (body + 1)) * 2 ** 22 + (other + 1);
}

/** Groups with room for these features, and for as many as `before` had. */
export function groupsFor(
  features: FoundFeatures,
  models: (feature: number) => 0 | 1,
  before: readonly SlotGroup[],
): SlotGroup[] {
  const counts = new Map<number, { group: Omit<SlotGroup, "count">; count: number }>();
  for (let i = 0; i < features.count; i++) {
    const [kind, model, body, other] = [features.kind[i], models(i), features.body[i], features.other[i]];
    const key = groupKey(kind, model, body, other);
    const entry = counts.get(key);
    if (entry) entry.count++;
    else {
      const group = { feature: featureKinds[kind], model: model === 0 ? "impact" : "cone", body, other } as const;
      counts.set(key, { group, count: 1 });
    }
  }
  const groups = new Map<number, SlotGroup>();
  for (const group of before) groups.set(keyOf(group), group);
  for (const [key, { group, count }] of counts) {
    const step = group.feature === "pointPlane" ? planes : others;
    const needed = step * Math.ceil(count / step);
    groups.set(key, { ...group, count: Math.max(needed, groups.get(key)?.count ?? 0) });
  }
  // an order that does not depend on how they came about
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

export function keyOf({ feature, model, body, other }: SlotGroup): number {
  return groupKey(featureKinds.indexOf(feature), model === "impact" ? 0 : 1, body, other);
}
