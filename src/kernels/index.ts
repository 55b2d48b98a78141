export { bodyParameterNames, nextLayout } from "./bodyKernels.ts";
export type { ConeRole } from "./species.ts";
export { buildSystem, type ListName, type NodePlace, type Places, type System } from "./system.ts";
