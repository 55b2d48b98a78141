/** Ranges of settings, and numbers kept inside them. */
export interface Range {
  readonly low: number;
  readonly high: number;
  readonly whole?: boolean;
}

/** Inside its range; what is no number becomes `otherwise`. */
function limited({ low, high, whole = false }: Range, value: number, otherwise: number): number {
  if (!Number.isFinite(value)) return otherwise;
  const inside = Math.min(high, Math.max(low, value));
  return whole ? Math.round(inside) : inside;
}

/** The numbers among some settings, each inside its range. */
export function limitedAll<Name extends string>(
  ranges: Readonly<Record<Name, Range>>,
  values: Readonly<Record<NoInfer<Name>, number>>,
  defaults: Readonly<Record<NoInfer<Name>, number>>,
): Record<Name, number> {
  const names = Object.keys(ranges) as Name[];
  const entries = names.map((name) => [name, limited(ranges[name], values[name], defaults[name])]);
  return Object.fromEntries(entries) as Record<Name, number>;
}
