/**
 * Slots: contacts that features come into and leave. A group of slots is for one kind of feature, one model and one pair of bodies; a feature
 * keeps its slot, and with it its cone variables, for as long as it is there.
 */
import { featureKinds } from "../../geometry/index.ts";
import type { ContactFeature } from "../../mechanism/index.ts";
import { type FoundFeatures, ruleNumber, type TouchRule, touchRules } from "./foundFeatures.ts";

export interface SlotGroup extends TouchRule {
  readonly feature: ContactFeature;
  readonly body: number;
  readonly other: number;
  readonly count: number;
}

/** Slots of a group to begin with, and by how many it grows: faces have four points as a rule. */
const planes = 4;
const others = 2;

/** One number for what a group is for; bodies up to 2²². */
export function groupKey(kind: number, rule: number, body: number, other: number): number {
  return ((kind * touchRules.length + rule) * 2 ** 22 + (body + 1)) * 2 ** 22 + (other + 1);
}

/** Groups with room for these features, and for as many as `before` had. */
export function groupsFor(
  features: FoundFeatures,
  rules: (feature: number) => number,
  before: readonly SlotGroup[],
): SlotGroup[] {
  const counts = new Map<number, { group: Omit<SlotGroup, "count">; count: number }>();
  for (let i = 0; i < features.count; i++) {
    const [kind, rule, body, other] = [features.kind[i], rules(i), features.body[i], features.other[i]];
    const key = groupKey(kind, rule, body, other);
    const entry = counts.get(key);
    if (entry) entry.count++;
    else {
      const group = { feature: featureKinds[kind], ...touchRules[rule], body, other };
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

export function keyOf(group: SlotGroup): number {
  return groupKey(featureKinds.indexOf(group.feature), ruleNumber(group), group.body, group.other);
}
