/** The policies that the page comes with, as JSON: scripts/pagePolicies.ts trains them. */
import ant from "./policies/ant.json" with { type: "json" };
import halfCheetah from "./policies/half-cheetah.json" with { type: "json" };
import type { RobotName } from "./settings.ts";

export const keptPolicies: Readonly<Partial<Record<RobotName, string>>> = {
  "half-cheetah": JSON.stringify(halfCheetah),
  ant: JSON.stringify(ant),
};
