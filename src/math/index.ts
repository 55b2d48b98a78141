/** Small vectors, quaternions and matrices for set-up code, seeded random numbers, and cones. */

export { cached } from "./cached.ts";
export * from "./cones/index.ts";
export * from "./dense.ts";
export { hyperbolicTangent } from "./hyperbolicTangent.ts";
export * from "./layout.ts";
export { LinearTape } from "./linearTape.ts";
export * as matrix3 from "./matrix3.ts";
export type { Quaternion } from "./quaternion.ts";
export * as quaternion from "./quaternion.ts";
export { Random, type RandomState } from "./random.ts";
export type { Matrix3, Vector3 } from "./vector.ts";
export * as vector from "./vector.ts";
