import { Correction, Rejection } from "#trainer/spec/correctionSchema.ts";
import { methodNames, methodOf, type Method, type MethodName } from "#trainer/spec/method.ts";
import type { DimensionId } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { fieldsOf, type Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { fieldsOfLevel } from "./fields.ts";
import { dimensionIds, listIn, readIn, setIn, textIn, type Part } from "./sweepFile.ts";

export function kindOf(level: unknown): string {
  return typeof level === "string" ? level : textIn(level, ["kind"]);
}

/** Returns a level with the published parameters of the first method that has it. */
export function defaultLevel(dimension: DimensionId, kind: string): unknown {
  const name = methodNames.find((candidate) => kindOf(methodOf(candidate)[dimension]) === kind);
  return name ? methodOf(name)[dimension] : { kind };
}

export function levelsIn(file: Part, dimension: DimensionId | "correction"): readonly unknown[] {
  return listIn(file, ["grid", dimension]);
}

export function setLevels(file: Part, dimension: DimensionId | "correction", levels: readonly unknown[]): Part {
  return setIn(file, ["grid", dimension], levels.length > 0 ? levels : undefined);
}

export function toggleLevel(file: Part, dimension: DimensionId, kind: string): Part {
  const levels = levelsIn(file, dimension);
  const rest = levels.filter((level) => kindOf(level) !== kind);
  return setLevels(file, dimension, rest.length < levels.length ? rest : [...rest, defaultLevel(dimension, kind)]);
}

/** Returns the file with the four levels of a method, and its correction, as its grid. */
export function fillFrom(file: Part, name: MethodName): Part {
  const method: Method = methodOf(name);
  const filled = dimensionIds.reduce((changed, dimension) => setLevels(changed, dimension, [method[dimension]]), file);
  return setLevels(filled, "correction", method.correction ? [method.correction] : []);
}

/** Returns the optional objects of a level, such as `method.clipping.sequenceMask`, that it can have. */
export function partsOfLevel(dimension: DimensionId, kind: string): string[] {
  return [...new Set(fieldsOfLevel(dimension, kind).flatMap(({ within }) => within ?? []))];
}

export type CorrectionPart = "weight" | "reject" | "step";

let known: Record<CorrectionPart | "whole", readonly Hyperparameter[]> | undefined;

function knownFields() {
  if (known) return known;
  const whole = fieldsOf(Correction, "correction");
  const of = (part: string) => whole.filter(({ path }) => path.startsWith(`correction.${part}.`));
  known = {
    weight: of("weight"),
    step: of("step"),
    reject: fieldsOf(Rejection, "correction.reject"),
    whole: whole.filter(({ path }) => path.split(".").length === 2),
  };
  return known;
}

/** Returns the fields of a correction's part with this kind; for "whole", fields outside the parts. */
export function fieldsOfCorrection(part: CorrectionPart | "whole", kind = ""): Hyperparameter[] {
  return knownFields()[part].filter(({ when }) => when === undefined || when.values.includes(kind));
}

/** Returns a field's name within its part of the correction: `low` for `correction.weight.low`. */
export function nameInPart({ path }: Hyperparameter): string {
  return path.split(".").at(-1) ?? path;
}

/** Returns the field of a correction at a path such as "weight.low" or "reject.0.high". */
export function correctionFieldAt(field: string): Hyperparameter | undefined {
  const path = `correction.${field.replace(/^reject\.\d+\./, "reject.")}`;
  return Object.values(knownFields())
    .flat()
    .find((one) => one.path === path);
}

/** Returns a new correction, the most common one: truncated importance weights per token with a maximum of 2. */
export function startCorrection(): Part {
  return { ...Correction.parse({ weight: { kind: "clip", high: 2 } }) };
}

/** Returns the defaults of a kind. Values of the previous kind are kept if the new kind has the field. */
export function startPart(part: CorrectionPart, kind: string, before?: unknown): Part | null {
  if (kind === "") return null;
  const values = fieldsOfCorrection(part, kind).flatMap((field) => {
    const value = readIn(before, [nameInPart(field)]) ?? field.default;
    return value === undefined ? [] : [[nameInPart(field), value] as const];
  });
  return { kind, ...Object.fromEntries(values) };
}
