/** Inspection of robots: their tree and drives, suspicious data, and costs. */
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
