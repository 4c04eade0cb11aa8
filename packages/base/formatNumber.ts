/** Number format of a column: × 10^shift (2 for percent), then rounded to `decimals`. */
export type NumberFormat = {
  shift: number;
  decimals: number;
  /** p-values are never printed as zero. */
  isP?: boolean;
};

/**
 * Formats a number × 10^shift with fixed decimals. Rounds half to even on the decimal text, so that 0.125 and 0.135
 * round as they read, independent of their binary form. "−0.0" becomes "0.0".
 */
export function formatNumber(x: number, { shift, decimals }: NumberFormat): string {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  const [mantissa = "0", power = "0"] = Math.abs(x).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  // |x|·10^shift = 0.digits × 10^point; the digit at index `point + decimals` decides the rounding.
  const point = Number(power) + shift + 1;
  const rounded = roundDigits(digits, point + decimals);
  const text = rounded.padStart(decimals + 1, "0");
  const whole = text.slice(0, text.length - decimals);
  const shown = decimals === 0 ? whole : `${whole}.${text.slice(-decimals)}`;
  return x < 0 && /[1-9]/.test(shown) ? `-${shown}` : shown;
}

/** Formats a p-value; it is never printed as zero. */
export function formatP(p: number): string {
  return p < 0.001 ? "< 0.001" : formatNumber(p, { shift: 0, decimals: 3 });
}

/** Decimals for `significant` digits of the largest number; at most 6. */
export function decimalsFor(values: readonly number[], significant: number): number {
  const largest = values.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  if (largest === 0) return significant - 1;
  return Math.min(6, Math.max(0, significant - 1 - Math.floor(Math.log10(largest))));
}

/** The first `keep` digits as integer text, rounded half to even. */
function roundDigits(digits: string, keep: number): string {
  if (keep < 0) return "0";
  const kept = digits.slice(0, keep).padEnd(keep, "0");
  const rest = digits.slice(keep);
  const integer = BigInt(kept === "" ? "0" : kept);
  const half = "5".padEnd(rest.length, "0");
  const isUp = rest !== "" && (rest > half || (rest === half && integer % 2n === 1n));
  return String(isUp ? integer + 1n : integer);
}
