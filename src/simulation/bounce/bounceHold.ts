/**
 * What gradients hold of a step's bounces while all else varies, for differences to hold it as well: which contacts may bounce, how far away
 * lies what is met by those that are out of the equations, what each does in the impact, which one comes first, the natural units of impacts,
 * and the part of the restitution that is given.
 */
export class BounceHold {
  /** Names count within this: a piece of a step that is taken as several. */
  scope = "";
  private kept: Map<string, unknown> | undefined;

  /** Whether anything is held: names need not be made where it is not. */
  get isOn(): boolean {
    return this.kept !== undefined;
  }

  /** From now on everything stays as it is when it is first asked for. */
  begin(): void {
    this.kept = new Map();
  }

  end(): void {
    this.kept = undefined;
  }

  /** What was found first under this name while it is held, or is found now. */
  value<T>(name: string, find: () => T): T {
    const { kept } = this;
    if (!kept) return find();
    const own = this.scope + name;
    if (!kept.has(own)) kept.set(own, find());
    return kept.get(own) as T;
  }
}
