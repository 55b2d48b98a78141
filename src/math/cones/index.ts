export { type Arithmetic, dotProduct, largestAbsolute, numbers } from "./arithmetic.ts";
export {
  type ConeSlice,
  coneDegree,
  coneFormulas,
  coneIdentityInto,
  coneKind,
  coneLargestStep,
  coneMargin,
  coneProductInto,
  coneSmallestEigenvalue,
} from "./cone.ts";
export { type ConeFormulas, largerOf } from "./formulas.ts";
export { frictionOnPath } from "./frictionPath.ts";
