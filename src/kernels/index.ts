export { bodyParameterNames, nextLayout } from "./bodyKernels.ts";
export { directionCount } from "./directions.ts";
export type { PlacedBlock } from "./jacobianPanels.ts";
export { address, CallList } from "./memory.ts";
export type { NodePlace, Places, SystemPlan } from "./plan.ts";
export type { ConeRole } from "./species.ts";
export { type JacobianPlaces, stepJacobians } from "./stepJacobians.ts";
export { buildSystem, type Extension, type System } from "./system.ts";
export { type VectorPlaces, vectorSensitivities } from "./vectorSensitivities.ts";
