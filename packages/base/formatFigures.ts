/** Three significant digits, or from 1,000 a whole number; an exponent below 0.001 and from 100,000. Missing: `n/a`. */
export function formatValue(x: number | null | undefined): string {
  if (x === null || x === undefined) return "n/a";
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "+∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e5) return minus(x.toExponential(2).replace("e+", "e"));
  if (size >= 1000) return minus(Math.round(x).toLocaleString("en-US"));
  return minus(x.toPrecision(3));
}

export function formatTick(x: number): string {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e5) return minus(x.toExponential(1).replace(".0e", "e").replace("e+", "e"));
  return minus(size >= 1000 ? x.toLocaleString("en-US") : String(Number(x.toPrecision(6))));
}

/** Names the unit of a metric's axis; empty for a dimensionless number, and for a rate, whose ticks say "%". */
export function nameUnit(unit: string): string {
  return unit === "fraction" ? "" : unit;
}

/** Formats a duration: 42 s, 3 min 5 s, 2 h 10 min. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** Replaces the hyphen by a minus sign, which has the width of a digit. */
function minus(text: string): string {
  return text.replace(/-/g, "−");
}

const units = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
] as const;

/** Formats a number of bytes in powers of 1,000 with at least two digits: 1,234,567 becomes "1.2 MB". */
export function formatBytes(bytes: number): string {
  // From 999.5 on, a number would be rounded to 1000, so the next unit is used.
  const [size, unit] = units.find(([size]) => bytes >= 0.9995 * size) ?? [1, "B"];
  const scaled = bytes / size;
  return `${scaled.toFixed(unit !== "B" && scaled < 9.95 ? 1 : 0)} ${unit}`;
}

/** Number format of a column: values × 10^shift (shift 2 for percent), rounded to `decimals`. */
export type NumberFormat = {
  shift: number;
  decimals: number;
  /** True for a column of p-values, which are never printed as zero. */
  isP?: boolean;
};

/**
 * Formats a number × 10^shift with a fixed number of decimals. The decimal text is rounded half to even, so that 0.125
 * and 0.135 round as they are read, independent of their binary form. "−0.0" becomes "0.0".
 */
export function formatNumber(x: number, { shift, decimals }: NumberFormat): string {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  const [mantissa = "0", power = "0"] = Math.abs(x).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  // |x|·10^shift = 0.digits × 10^point. The result keeps the first `point + decimals` digits.
  const point = Number(power) + shift + 1;
  const rounded = roundDigits(digits, point + decimals);
  const text = rounded.padStart(decimals + 1, "0");
  const whole = text.slice(0, text.length - decimals);
  const shown = decimals === 0 ? whole : `${whole}.${text.slice(-decimals)}`;
  return x < 0 && /[1-9]/.test(shown) ? `-${shown}` : shown;
}

/** Formats a p-value. A very small one is printed as an upper bound, never as zero. */
export function formatP(p: number): string {
  return p < 0.001 ? "< 0.001" : formatNumber(p, { shift: 0, decimals: 3 });
}

/** Writes a p-value within a sentence: "p = 0.020" or "p < 0.001". */
export function tellP(p: number): string {
  return `p ${formatP(p).replace(/^(?=\d)/, "= ")}`;
}

/** Returns the decimals, at most 6, with which the largest value has `significant` significant digits. */
export function decimalsFor(values: readonly number[], significant: number): number {
  const largest = values.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  if (largest === 0) return significant - 1;
  return Math.min(6, Math.max(0, significant - 1 - Math.floor(Math.log10(largest))));
}

/** Rounds a string of decimal digits to its first `keep` digits, half to even, and returns an integer as text. */
function roundDigits(digits: string, keep: number): string {
  if (keep < 0) return "0";
  const kept = digits.slice(0, keep).padEnd(keep, "0");
  const rest = digits.slice(keep);
  const integer = BigInt(kept === "" ? "0" : kept);
  const half = "5".padEnd(rest.length, "0");
  const isUp = rest !== "" && (rest > half || (rest === half && integer % 2n === 1n));
  return String(isUp ? integer + 1n : integer);
}

/** Formats a count with its noun: "1 run", "2 runs", "1 entry", "2 entries". Large counts have a comma: 12,480. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

/** Formats a hyperparameter exactly; below a hundredth with an exponent, such as 3e-4. All pages and files use it. */
export function formatHyperparameter(x: number): string {
  return x !== 0 && Math.abs(x) < 0.01 ? x.toExponential() : String(x);
}

/** Formats a hyperparameter for display with four digits: 0.2552, 3e-4. Files and forms show all digits. */
export function formatSetting(x: number): string {
  return Number.isInteger(x) ? String(x) : formatHyperparameter(Number(x.toPrecision(4)));
}

/** Formats a price: two decimals or, below 1, two significant digits: 2.50, 0.0040. */
export function formatPrice(x: number): string {
  if (x !== 0 && x < 1) return x.toPrecision(2);
  return x.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** Writes the first letter of a word small, within a sentence; names such as "GSPO" and "IcePop" stay. */
export function lowerFirst(text: string): string {
  return /^[A-Z][a-z]+(?![A-Za-z.-])/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}
