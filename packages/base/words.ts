/** Formats a count with its noun: "1 run", "2 runs", "1 entry", "2 entries"; 12,480 with a comma. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

/**
 * Formats a hyperparameter as usual in the field, the same on every page and in every file: exponents below a
 * hundredth, 3e-4 beside 1e-3. The text is exact.
 */
export function formatHyperparameter(x: number): string {
  return x !== 0 && Math.abs(x) < 0.01 ? x.toExponential() : String(x);
}

/** Formats a setting for reading with four digits: 0.2552, 3e-4. Files and forms contain all digits. */
export function formatSetting(x: number): string {
  return Number.isInteger(x) ? String(x) : formatHyperparameter(Number(x.toPrecision(4)));
}

/** Formats an amount in the currency of the nodes file: cents, and two significant digits below one: 2.50, 0.0040. */
export function formatPrice(x: number): string {
  if (x !== 0 && x < 1) return x.toPrecision(2);
  return x.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
