/**
 * A growing list of pairs of numbers in ascending order, without allocation once it is as long as it gets. A pair (a, b) of numbers
 * below `radix` is kept as the one number a·radix + b, exact up to 2⁵³.
 */
export class PairList {
  readonly #radix: number;
  /** Keys of the pairs, in ascending order up to `sorted`. */
  #keys = new Float64Array(64);
  #merged = new Float64Array(64);
  #sorted = 0;
  count = 0;

  constructor(radix: number) {
    this.#radix = Math.max(1, radix);
  }

  first(i: number): number {
    return Math.floor(this.#keys[i] / this.#radix);
  }

  second(i: number): number {
    return this.#keys[i] % this.#radix;
  }

  /** Adds a pair at the end; `sort` brings it to its place. */
  add(a: number, b: number): void {
    if (this.count === this.#keys.length) {
      const longer = new Float64Array(2 * this.count);
      longer.set(this.#keys);
      this.#keys = longer;
      this.#merged = new Float64Array(2 * this.count);
    }
    this.#keys[this.count++] = a < b ? a * this.#radix + b : b * this.#radix + a;
  }

  /** Leaves out all pairs with a number that is marked. */
  removeMarked(marked: Uint8Array): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (marked[this.first(i)] || marked[this.second(i)]) continue;
      this.#keys[kept++] = this.#keys[i];
    }
    this.count = kept;
    this.#sorted = kept;
  }

  /** What was added since goes to its place. */
  sort(): void {
    const { count } = this;
    heapSort(this.#keys, this.#sorted, count);
    if (this.#sorted > 0 && this.#sorted < count) {
      const keys = this.#keys;
      const merged = this.#merged;
      let i = 0;
      let j = this.#sorted;
      for (let k = 0; k < count; k++) {
        merged[k] = j >= count || (i < this.#sorted && keys[i] < keys[j]) ? keys[i++] : keys[j++];
      }
      this.#keys = merged;
      this.#merged = keys;
    }
    this.#sorted = count;
  }
}

/** Sorts in place, without a comparing function or a view, which would allocate. */
function heapSort(keys: Float64Array, from: number, to: number): void {
  const count = to - from;
  for (let start = (count >> 1) - 1; start >= 0; start--) sink(keys, from, start, count);
  for (let end = count - 1; end > 0; end--) {
    const largest = keys[from];
    keys[from] = keys[from + end];
    keys[from + end] = largest;
    sink(keys, from, 0, end);
  }
}

/** Puts the entry at `start` where it belongs in the heap below it. */
function sink(keys: Float64Array, from: number, start: number, end: number): void {
  const value = keys[from + start];
  let hole = start;
  for (let child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
    if (child + 1 < end && keys[from + child + 1] > keys[from + child]) child++;
    if (!(keys[from + child] > value)) break;
    keys[from + hole] = keys[from + child];
    hole = child;
  }
  keys[from + hole] = value;
}
