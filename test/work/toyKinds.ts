/** Kinds of work that show what executors do: arithmetic, refusals, accidents. */
import type { WorkKind } from "../../src/index.ts";

/** Sums of vectors, times the context's factor. */
export const sums: WorkKind<
  { readonly factor: number },
  Float64Array,
  { readonly sum: number; readonly own: Float64Array }
> = {
  name: "sums",
  prepare: ({ factor }) => {
    if (factor === 0) throw new Error("a factor of 0 makes nothing");
    return (vector) => {
      if (vector.length === 0) throw new Error("there is nothing to add");
      return { sum: factor * vector.reduce((a, b) => a + b, 0), own: Float64Array.from(vector) };
    };
  },
  transfer: ({ own }) => [own.buffer as ArrayBuffer],
};

/** How often its worker has prepared a context. */
export const preparations: WorkKind<{ readonly name: string }, number, number> = {
  name: "preparations",
  prepare: () => {
    const store = globalThis as { preparations?: number };
    store.preparations = (store.preparations ?? 0) + 1;
    const count = store.preparations;
    return () => count;
  },
};

/** Holds its thread until nobody wants it any more or so many milliseconds have passed, asleep: others may need the processor. */
export const waits: WorkKind<null, number, number> = {
  name: "waits",
  prepare: () => (milliseconds, control) => {
    const begin = performance.now();
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    const left = (): number => milliseconds - (performance.now() - begin);
    while (left() > 0 && !control?.isCancelled()) Atomics.wait(nobody, 0, 0, Math.min(5, left()));
    return milliseconds;
  },
};

/** A context that ends its worker. */
export const deadly: WorkKind<{ readonly code: number }, number, number> = {
  name: "deadly",
  prepare: ({ code }) => {
    const { process } = globalThis as unknown as { process: { exit(code: number): never } };
    return process.exit(code);
  },
};

export const toyKinds = [sums, preparations, waits, deadly];
