/** Speed of a drift: how far in the last half second, over that time. */
export const driftWindow = 0.5;

export class DriftMeter {
  private readonly places: Float64Array;
  private readonly timestep: number;
  private count = 0;

  constructor(timestep: number) {
    this.timestep = timestep;
    this.places = new Float64Array(Math.max(1, Math.round(driftWindow / timestep)) + 1);
  }

  /** The place after one more step. */
  push(place: number): void {
    this.places[this.count++ % this.places.length] = place;
  }

  /** Per second; 0 before there are two places. */
  get speed(): number {
    const { places, count, timestep } = this;
    const steps = Math.min(count, places.length) - 1;
    if (steps < 1) return 0;
    const latest = places[(count - 1) % places.length];
    const oldest = places[(count - 1 - steps) % places.length];
    return (latest - oldest) / (steps * timestep);
  }
}
