/** Named quantities of a mechanism as expressions, and functions of them with their derivatives. */
export {
  type BodyQuantities,
  type PointQuantities,
  Quantities,
  quantityNames,
  type Section,
  type SymbolPlace,
} from "./quantities.ts";
export { QuantityFunction, type QuantityPoint, type SparseJacobian } from "./quantityFunction.ts";
