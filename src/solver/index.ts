export { type Elimination, eliminationOrder, isForestOrder, type OrderingOptions } from "./blockLdu/index.ts";
export { InteriorPoint } from "./interiorPoint.ts";
export type { SolveOptions, SolveResult, SolveStatus } from "./options.ts";
export type { Cone, ConeProblem, Direction } from "./problem.ts";
