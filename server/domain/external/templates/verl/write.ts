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
