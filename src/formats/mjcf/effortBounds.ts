/** Bounds on what actuators do to an axis: what all ranges of controls and forces leave. */
import { elementError, type XmlElement } from "../xml.ts";
import type { AxisForces } from "./jointBuilder.ts";
import type { Range } from "./readActuator.ts";

export const sortedRange = (ends: readonly number[]): Range => [Math.min(...ends), Math.max(...ends)];

/** Efforts that all ranges allow. */
export function boundEffort(element: XmlElement, axis: AxisForces, ranges: readonly Range[]): void {
  if (ranges.length === 0) return;
  const [low, high] = [Math.max(...ranges.map(([end]) => end)), Math.min(...ranges.map(([, end]) => end))];
  if (!(low < high)) throw elementError(element, "its ranges of control and force leave no value; widen one");
  axis.effortLimit = (high - low) / 2;
  axis.effortCenter = Math.abs(low + high) > 1e-9 * (high - low) ? (low + high) / 2 : 0;
  if (axis.effortCenter === 0) axis.effortLimit = Math.max(-low, high);
}
