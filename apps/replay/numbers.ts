/** Numbers for people. */

/** Three digits, without trailing zeros; powers of ten outside 0.001 to 10,000. */
export function formatNumber(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) {
    return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
  }
  if (size >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}

/** Labels of ticks, with as many digits as tell them apart; small ones in powers of ten. */
export function formatTicks(values: readonly number[]): string[] {
  const size = Math.max(...values.map(Math.abs));
  const exponential = size > 0 && (size < 1e-3 || size >= 1e5);
  const label = (value: number, digits: number): string => {
    if (value === 0) return "0";
    if (!exponential) return String(Number(value.toPrecision(digits)));
    return value
      .toExponential(digits - 1)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  };
  for (let digits = 2; digits < 9; digits++) {
    const labels = values.map((value) => label(value, digits));
    if (new Set(labels).size === new Set(values).size) return labels;
  }
  return values.map((value) => label(value, 9));
}

/** What moves less than this part of its size is drawn as at rest: its last digits say nothing. */
const leastSpan = 0.05;

/** The ends of a scale for values from low to high. */
export function rangeOf(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || (low === 0 && high === 0)) return [0, 1];
  const missing = leastSpan * Math.max(Math.abs(low), Math.abs(high)) - (high - low);
  const more = missing > 0 ? missing / 2 : 0.05 * (high - low);
  return [low - more, high + more];
}

/** Four to seven round numbers within [low, high]; on a logarithmic scale powers of ten. */
export function ticks(low: number, high: number, logarithmic: boolean): number[] {
  if (logarithmic) return powers(low, high);
  const rough = (high - low) / 4;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function powers(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first) / 5));
  const all: number[] = [];
  for (let exponent = last; exponent >= first; exponent -= stride) all.push(10 ** exponent);
  return all;
}
