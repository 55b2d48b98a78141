import { max, min, type Scalar } from "../../symbolic/index.ts";

/** A value between −limit and limit; its gradient is zero where it is clipped. */
export const clipped = (value: Scalar, limit: number): Scalar => max(min(value, limit), -limit);
