export {
  type ConeSlice,
  coneDegree,
  coneIdentityInto,
  coneLargestStep,
  coneMargin,
  coneProductInto,
  coneSmallestEigenvalue,
} from "./cone.ts";
export { type ConeTable, coneTable, largestStep, productsInto, smallestScaledEigenvalue } from "./coneTable.ts";
