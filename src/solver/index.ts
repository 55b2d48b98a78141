export { InteriorPoint } from "./interiorPoint.ts";
export { newResult, type SolveOptions, type SolveResult, type SolveStatus, takeMeasures } from "./options.ts";
export { type Equations, PlainProblem, ROUNDING } from "./plainProblem.ts";
export { type Cone, type ConeProblem, type Direction, type Measures, newMeasures } from "./problem.ts";
