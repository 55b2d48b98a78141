export { given, totals } from "./cones/coneKernels.ts";
export type { ContactResponse, LimitResponse } from "./cones/portPlaces.ts";
export { portNumbers, sweepNumbers } from "./cones/portVisits.ts";
export type { SlotResponses } from "./cones/slotResponses.ts";
export { positionRounding, speedFraction, unitNumbers } from "./cones/unitKernels.ts";
export type { TouchSlots } from "./elimination/boundSlots.ts";
export { constraintsOf, forcesOf, isGrounded } from "./elimination/treeLimbs.ts";
export type { LimbPlan } from "./elimination/treePlan.ts";
export type { RowPlace } from "./jacobians/jacobianPanels.ts";
export type { MaximalPlaces } from "./jacobians/maximalJacobians.ts";
export type { MinimalPlaces } from "./jacobians/minimalJacobians.ts";
export { panelIndex, panelSize } from "./jacobians/panelBuilder.ts";
export { type JacobianPlaces, stepJacobians } from "./jacobians/stepJacobians.ts";
export {
  impulseSize,
  type SensitivityScope,
  type VectorPlaces,
  vectorSensitivities,
} from "./jacobians/vectorSensitivities.ts";

export { initialParameters } from "./memory/parameterPlaces.ts";
export { nextLayout } from "./memory/placement.ts";
export { conesOf, type NodePlace, type Places, type PlannedNode } from "./memory/plan.ts";
export { directionCount } from "./memory/solverPlaces.ts";

export { contactKey } from "./species/library.ts";
export { contactSpecies, jointSpecies, poolSpecies } from "./species/species.ts";
export { buildSystem, type Extension, type System } from "./system.ts";
