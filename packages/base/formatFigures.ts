/**
 * A figure for a tooltip or a cell: three significant digits, no exponent between 0.001 and 100,000; `n/a` for a
 * missing one.
 */
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

/** Tick label, as short as the axis allows. */
export function formatTick(x: number): string {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e5) return minus(x.toExponential(1).replace(".0e", "e").replace("e+", "e"));
  return minus(size >= 1000 ? x.toLocaleString("en-US") : String(Number(x.toPrecision(6))));
}

/** Unit of a metric as displayed beside its figures; empty for a pure number. */
export function nameUnit(unit: string): string {
  return unit === "fraction" ? "share, 0 to 1" : unit;
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

/** A true minus sign has the width of a digit; a hyphen does not. */
function minus(text: string): string {
  return text.replace(/-/g, "−");
}
