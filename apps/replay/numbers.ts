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
