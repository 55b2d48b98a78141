export {
  type ConeSlice,
  coneDegree,
  coneIdentityInto,
  coneLargestStep,
  coneMargin,
  coneProductInto,
  coneSmallestEigenvalue,
} from "./cone.ts";
