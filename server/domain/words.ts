/** 12,480 with its noun in the right number: "1 run", "2 runs", "1 entry", "2 entries". */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

/**
 * A hyperparameter as people of the field write it, one spelling on every page and in every file: below a hundredth by
 * its exponent, 3e-4 beside 1e-3. The text means exactly the same number.
 */
export function formatHyperparameter(x: number): string {
  return x !== 0 && Math.abs(x) < 0.01 ? x.toExponential() : String(x);
}

/** A setting to be read: four digits of it, 0.2552 and 3e-4. Files and forms have all of them. */
export function formatSetting(x: number): string {
  return Number.isInteger(x) ? String(x) : formatHyperparameter(Number(x.toPrecision(4)));
}

/** Money in the one currency of the nodes file: to the cent, below one to two significant digits, 2.50 and 0.0040. */
export function formatPrice(x: number): string {
  if (x !== 0 && x < 1) return x.toPrecision(2);
  return x.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
