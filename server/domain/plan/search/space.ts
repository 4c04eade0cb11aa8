import { z } from "zod";
import { groupBy } from "#packages/base";
import { draw } from "./distribution.ts";

const Choice = z.union([z.number(), z.string().max(60), z.boolean(), z.null()]);
export type Value = z.infer<typeof Choice>;

/** Condition of a parameter: maps earlier parameters to the values for which it exists; absent if it always does. */
const when = z.record(z.string(), z.array(Choice).min(1).max(100)).optional();
const isOrdered = { error: "low must be below high" };

/** Range of one search parameter: a bounded distribution, on a linear or logarithmic scale, or a list of choices. */
export const Parameter = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("uniform"),
      low: z.number(),
      high: z.number(),
      step: z.number().positive().optional(),
      when,
    })
    .refine(({ low, high }) => low < high, isOrdered)
    .refine(({ low, high, step = 0 }) => step === 0 || [low, high].every((bound) => isMultiple(bound, step)), {
      error: "low and high must be multiples of step",
    }),
  z
    .strictObject({ kind: z.literal("logUniform"), low: z.number(), high: z.number(), when })
    .refine(({ low, high }) => 0 < low && low < high, { error: "must satisfy 0 < low < high" }),
  z
    .strictObject({ kind: z.literal("integer"), low: z.int(), high: z.int(), when })
    .refine(({ low, high }) => low < high, isOrdered),
  z.strictObject({ kind: z.literal("choice"), of: z.array(Choice).min(1).max(100), when }),
]);
export type Parameter = z.infer<typeof Parameter>;

function isMultiple(x: number, step: number): boolean {
  return Math.abs(x / step - Math.round(x / step)) < 1e-9;
}

/** Search space: parameters by name. A condition may only name earlier parameters. */
export const Space = z.record(z.string(), Parameter).superRefine((space, context) => {
  const known = new Map<string, Parameter>();
  for (const [name, parameter] of Object.entries(space)) {
    for (const [other, values] of Object.entries(parameter.when ?? {})) {
      const issue = checkCondition(known.get(other), values);
      if (issue !== undefined) {
        context.addIssue({ code: "custom", path: [name, "when", other], message: `"${other}" ${issue}` });
      }
    }
    known.set(name, parameter);
  }
});
export type Space = z.infer<typeof Space>;

function checkCondition(parameter: Parameter | undefined, values: readonly Value[]): string | undefined {
  if (parameter === undefined) return "is not a parameter listed before this one";
  if (parameter.kind !== "choice") return `is ${parameter.kind}, but a condition needs a parameter of kind choice`;
  const foreign = values.find((value) => !parameter.of.includes(value));
  return foreign === undefined ? undefined : `is never ${String(foreign)}: choose one of ${parameter.of.join(", ")}`;
}

/**
 * Sorts parameters by name, each after those that its condition names. Stored plans do not preserve the order of keys,
 * but a sampled value depends on its parameter's position. Parameters with circular or unknown conditions come last,
 * where `Space` rejects them.
 */
export function orderParameters(space: Record<string, Parameter>): Record<string, Parameter> {
  const waiting = new Map(byName(space));
  const ordered: Record<string, Parameter> = {};
  for (;;) {
    const next = [...waiting].find(([, { when = {} }]) => Object.keys(when).every((name) => name in ordered));
    if (next === undefined) return { ...ordered, ...Object.fromEntries(waiting) };
    ordered[next[0]] = next[1];
    waiting.delete(next[0]);
  }
}

/** Lists entries by name, as the order of a stored record's keys has no meaning. */
export function byName<Entry>(record: Readonly<Record<string, Entry>>): [string, Entry][] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Sampled values by parameter; a parameter whose condition is not met is absent. */
export type Point = Readonly<Record<string, Value>>;

export function isActive({ when: condition }: Parameter, point: Point): boolean {
  return Object.entries(condition ?? {}).every(([name, values]) => {
    const value = point[name];
    return value !== undefined && values.includes(value);
  });
}

/** Returns the value at a fraction `unit` (0 to 1) of a parameter's scale, rounded like sampled values. */
export function valueAt(parameter: Parameter, unit: number): Value {
  const fixed = { next: () => unit, int: (n: number) => Math.floor(unit * n), normal: () => NaN };
  return draw(parameter, fixed);
}

/** Makes the point in which each active parameter is at the fraction of its scale that `unitOf` returns. */
export function pointAt(space: Space, unitOf: (name: string, index: number) => number): Point {
  const point: Record<string, Value> = {};
  for (const [index, [name, parameter]] of Object.entries(space).entries()) {
    if (isActive(parameter, point)) point[name] = valueAt(parameter, unitOf(name, index));
  }
  return point;
}

export function listGroups(space: Space): [string, Parameter][][] {
  return [...groupBy(Object.entries(space), ([, { when = {} }]) => JSON.stringify(byName(when))).values()];
}

export function checkPoint(space: Space, point: Point): { path: string; message: string }[] {
  const foreign = Object.keys(point).filter((name) => !Object.hasOwn(space, name));
  const known = `the space has ${Object.keys(space).join(", ")}`;
  return [
    ...foreign.map((path) => ({ path, message: `is not a parameter of this search: ${known}` })),
    ...Object.entries(space).flatMap(([path, parameter]) => {
      const message = checkValue(parameter, { value: point[path], isThere: isActive(parameter, point) });
      return message === undefined ? [] : [{ path, message }];
    }),
  ];
}

type Given = { value: Value | undefined; isThere: boolean };

function checkValue(parameter: Parameter, { value, isThere }: Given): string | undefined {
  if (!isThere)
    return value === undefined ? undefined : "does not apply with the other values of this point: remove it";
  if (value === undefined) return "is missing";
  return isWithin(parameter, value) ? undefined : `is ${String(value)}, must be ${describeRange(parameter)}`;
}

/** Lists the errors in a widened space, which may extend bounds and add choices after the old ones. */
export function checkWider(space: Space, wider: Space): { path: string; message: string }[] {
  const names = [...new Set([...Object.keys(space), ...Object.keys(wider)])];
  return names.flatMap((path) => {
    const message = describeNarrower(space[path], wider[path]);
    return message === undefined ? [] : [{ path, message }];
  });
}

function describeNarrower(before: Parameter | undefined, after: Parameter | undefined): string | undefined {
  if (before === undefined) return "is not a parameter of this search";
  if (after === undefined) return "is missing";
  if (before.kind !== after.kind) return `is ${after.kind}, was ${before.kind}`;
  if (JSON.stringify(before.when ?? {}) !== JSON.stringify(after.when ?? {}))
    return "has a different condition than before";
  if (before.kind === "choice" || after.kind === "choice") {
    const [old = [], now = []] = [before, after].map((one) => (one.kind === "choice" ? one.of : []));
    return old.every((value, i) => now[i] === value) ? undefined : `must begin with ${old.join(", ")}`;
  }
  const stepOf = (one: Parameter) => (one.kind === "uniform" ? one.step : undefined);
  if (stepOf(before) !== stepOf(after)) return `has steps of ${stepOf(after)}, must keep steps of ${stepOf(before)}`;
  if (after.low <= before.low && after.high >= before.high) return undefined;
  return `covers ${describeRange(after)}, must cover at least ${describeRange(before)}`;
}

export function isWithin(parameter: Parameter, value: Value): boolean {
  if (parameter.kind === "choice") return parameter.of.includes(value);
  if (typeof value !== "number" || value < parameter.low || value > parameter.high) return false;
  if (parameter.kind === "integer") return Number.isInteger(value);
  return parameter.kind === "logUniform" || parameter.step === undefined || isMultiple(value, parameter.step);
}

/** Describes a range, for example "0.1 to 0.3" or "1, 2, 4". */
export function describeRange(parameter: Parameter): string {
  if (parameter.kind === "choice") return parameter.of.join(", ");
  const whole = parameter.kind === "integer" ? " (whole)" : "";
  const step = parameter.kind === "uniform" && parameter.step !== undefined ? ` in steps of ${parameter.step}` : "";
  return `${parameter.low} to ${parameter.high}${whole}${step}`;
}
