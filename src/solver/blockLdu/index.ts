/** Sparse block elimination: order and fill. */
export { type Elimination, eliminationOrder, isForestOrder, type OrderingOptions } from "./ordering.ts";
