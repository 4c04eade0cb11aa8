import { joinList, splitList } from "../_ui/address.ts";

/** Limits of a y-axis that the reader set; null: fitted to the data. */
export type Limits = { low: number | null; high: number | null };

export type LimitErrors = { low?: string; high?: string };

export function findLimitErrors({ low, high }: { low: string; high: string }, isLog: boolean): LimitErrors {
  const errors: LimitErrors = {};
  for (const [end, text] of [["low", low] as const, ["high", high] as const]) {
    const value = parseLimit(text);
    if (Number.isNaN(value))
      errors[end] = `“${text}” ${/\d,\d/.test(text) ? "has a comma: write a decimal point" : "is not a number"}`;
    else if (isLog && value !== null && value <= 0)
      errors[end] = `${text} is not above 0: a log axis needs positive limits`;
  }
  const [from, to] = [parseLimit(low), parseLimit(high)];
  if (Object.keys(errors).length === 0 && from !== null && to !== null && from >= to) {
    errors.high = `The upper limit ${high} is not above the lower limit ${low}`;
  }
  return errors;
}

/** Parses an axis limit: null for an empty text, NaN if it is not a finite number. */
export function parseLimit(text: string): number | null {
  if (text.trim() === "") return null;
  const value = Number(text.trim().replace("−", "-"));
  return Number.isFinite(value) ? value : NaN;
}

/** Parses y-axis limits such as `update/gradientNorm:0..5,loss/policy:..1` from a URL. Invalid parts are ignored. */
export function parseLimits(text: string): ReadonlyMap<string, Limits> {
  const entries = splitList(text).flatMap((item): [string, Limits][] => {
    const [, key = "", from = "", to = ""] = /^(.+):(.*?)\.\.(.*)$/.exec(item) ?? [];
    const [low, high] = [parseLimit(from), parseLimit(to)];
    if (key === "" || (low === null && high === null)) return [];
    return Object.keys(findLimitErrors({ low: from, high: to }, false)).length > 0 ? [] : [[key, { low, high }]];
  });
  return new Map(entries);
}

export function writeLimits(limits: ReadonlyMap<string, Limits>): string {
  return joinList([...limits].map(([key, { low, high }]) => `${key}:${low ?? ""}..${high ?? ""}`));
}

/** Replaces the y-axis limits of one metric; if both are null, removes the metric's entry. */
export function withLimits(all: ReadonlyMap<string, Limits>, key: string, limits: Limits): ReadonlyMap<string, Limits> {
  const next = new Map(all);
  if (limits.low === null && limits.high === null) next.delete(key);
  else next.set(key, limits);
  return next;
}
