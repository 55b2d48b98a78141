/** What a robot is, what looks wrong with it, what it costs. */
export { inspect } from "./inspect.ts";
export type {
  FeatureRow,
  InspectedBody,
  InspectedCoordinate,
  InspectedJoint,
  Inspection,
  Suspicion,
  TimestepRow,
} from "./inspection.ts";
export { featureRows, timestepRows } from "./measure.ts";
