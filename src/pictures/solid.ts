/** What a ray meets: writes the normal (not of length 1) where the ray enters and returns t; Infinity where it does not. */
export type Solid = (o: Float64Array, d: Float64Array, normal: Float64Array) => number;
