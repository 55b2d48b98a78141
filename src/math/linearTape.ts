/**
 * A linear map as a row of additions in one vector, x[to] += w x[from], one after the other. Tangents run through them in their order;
 * cotangents run through the transposed ones, x[from] += w x[to], in reverse. What is zero adds nothing, where w is no number either.
 */
export class LinearTape {
  /** How many additions there are: a place on the tape. */
  length = 0;
  private to = new Int32Array(1024);
  private from = new Int32Array(1024);
  private weight = new Float64Array(1024);

  clear(): void {
    this.length = 0;
  }

  add(to: number, from: number, weight: number): void {
    if (weight === 0) return;
    if (this.length === this.to.length) this.grow();
    this.to[this.length] = to;
    this.from[this.length] = from;
    this.weight[this.length++] = weight;
  }

  /** Numbers in a row, each to its own. */
  copy(to: number, from: number, count: number): void {
    for (let i = 0; i < count; i++) this.add(to + i, from + i, 1);
  }

  /** Pushes a tangent from one place on the tape to another. */
  push(x: Float64Array, start: number, end: number): void {
    const { to, from, weight } = this;
    for (let i = start; i < end; i++) {
      const value = x[from[i]];
      if (value !== 0) x[to[i]] += weight[i] * value;
    }
  }

  /** Back from `end` to `start`. */
  pull(x: Float64Array, start: number, end: number): void {
    const { to, from, weight } = this;
    for (let i = end - 1; i >= start; i--) {
      const value = x[to[i]];
      if (value !== 0) x[from[i]] += weight[i] * value;
    }
  }

  private grow(): void {
    const grown = <T extends Int32Array | Float64Array>(next: T, last: T): T => {
      next.set(last);
      return next;
    };
    const size = 2 * this.length;
    this.to = grown(new Int32Array(size), this.to);
    this.from = grown(new Int32Array(size), this.from);
    this.weight = grown(new Float64Array(size), this.weight);
  }
}
