import { formatHyperparameter } from "#packages/base";

/** Writes 0.000001 as 1e-6, as in scripts. */
export function number(value: number): string {
  return formatHyperparameter(Number(value.toPrecision(12)));
}

/** Hydra parses 1 as an integer where the configuration has a float: writes 1.0. */
export function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** Writes a flag in Python's notation. */
export function python(flag: boolean): string {
  return flag ? "True" : "False";
}

/** Quotes a text as a single Hydra value if it contains a comma, a blank or a bracket. */
export function hydraText(text: string): string {
  if (/^[A-Za-z./][\w./@:+-]*$/.test(text)) return text;
  // A backslash is literal except before a quote.
  return `'${text.replaceAll(/(\\*)('|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && "\\'"}`)}'`;
}
