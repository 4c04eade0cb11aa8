import { formatHyperparameter } from "#server/domain/words.ts";

/** 0.000001 as 1e-6, as scripts write it. */
export function number(value: number): string {
  return formatHyperparameter(Number(value.toPrecision(12)));
}

/** Hydra takes 1 for an integer where the configuration has a float: 1.0. */
export function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** A flag as Python writes it. */
export function python(flag: boolean): string {
  return flag ? "True" : "False";
}

/** A text as one value of Hydra's: quoted where a comma, a blank or a bracket would make it another thing. */
export function hydraText(text: string): string {
  if (/^[A-Za-z./][\w./@:+-]*$/.test(text)) return text;
  // A backslash is itself but before a quote.
  return `'${text.replaceAll(/(\\*)('|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && "\\'"}`)}'`;
}
