/** Copies `count` numbers. For some hundred of them a loop takes less than `set`, which needs a view. */
export function copyInto(out: Float64Array, to: number, source: Float64Array, from: number, count: number): void {
  if (count > 256) out.set(source.subarray(from, from + count), to);
  else for (let i = 0; i < count; i++) out[to + i] = source[from + i];
}
