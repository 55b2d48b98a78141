/** Scalar expressions: build, simplify, differentiate, evaluate. */
export { abs, add, div, ifLess, max, min, mul, neg, sqrt, square, stopGradient, sub, sum } from "./arithmetic.ts";
export { derivative, directional, type JacobianMode, jacobian } from "./derivative.ts";
export { derivativeAlong } from "./derivativeAlong.ts";
export { exp, log, tanh } from "./exponential.ts";
export { Expr, Graph, type Op, type Scalar } from "./expression.ts";
export {
  cross,
  dot,
  identity,
  matMul,
  matVec,
  quaternionConjugate,
  quaternionMultiply,
  rotate,
  rotateInverse,
  rotationMatrix,
  type ScalarMatrix,
  type ScalarVector,
  transpose,
  vadd,
  vscale,
  vsub,
} from "./linear.ts";
export { expandTranscendentals, substitute } from "./rebuild.ts";
export { evaluate, graphOf, operationCount, reachable, symbolsOf } from "./traversal.ts";
export { arctangent2, atan2, cos, cosine, sin, sine } from "./trigonometry.ts";
