/** Named quantities of a mechanism as expressions, expressions from text and data, and functions of them with their derivatives. */
export type { ExpressionData, ExpressionNode, Names } from "./expressionData.ts";
export type { Comparison } from "./expressionText.ts";
export {
  type BodyQuantities,
  type PointQuantities,
  Quantities,
  quantityNames,
  type Section,
  type SymbolPlace,
} from "./quantities.ts";
export { QuantityFunction, type QuantityPoint, type SparseJacobian } from "./quantityFunction.ts";
export { quantityNamed } from "./quantityNamed.ts";
export {
  type ExpressionSource,
  namesOf,
  readComparison,
  readExpression,
  readScalar,
  readSquares,
} from "./readExpression.ts";
