/** Sparse block elimination: order and fill. */
export { type Elimination, eliminationOrder, type OrderingOptions } from "./ordering.ts";
