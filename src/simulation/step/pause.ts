/**
 * A way of solving steps that has failed is left out for some steps, and for longer where it has failed shortly before: where it fails in
 * step after step, trying costs more than it saves. `first` and `again`: how many steps go by.
 */
/** Steps after a pause in which a failure counts as one more of the same kind. */
const remembered = 4;

export class Pause {
  /** The number of further steps for which the last failure is remembered; until `remembered` are left, nothing is tried. */
  left = 0;
  private readonly first: number;
  private readonly again: number;

  constructor({ first, again }: { readonly first: number; readonly again: number }) {
    this.first = first;
    this.again = again;
  }

  /** A step that does not go on from the last one has no failures to remember. */
  begin(goesOn: boolean): void {
    if (!goesOn || this.left < 0) this.left = 0;
  }

  /** Whether the way may be tried in this step. Counts it. */
  isOver(): boolean {
    return this.left-- <= remembered;
  }

  fail(length = this.left > 0 ? this.again : this.first): void {
    this.left = remembered + length;
  }
}
