import { canonicalJson } from "#trainer/spec/canonical.ts";
import { methodNames, methodOf, methods, type Method } from "#trainer/spec/method.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { actingMethod, findPublished } from "#server/domain/plan/sweep/methods/acting.ts";
import { hyperparameters } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { nameMethod } from "#server/domain/plan/sweep/labels/labels.ts";
import { formatHyperparameter } from "#packages/base";
import type { ImportedSpec, StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { Statement } from "#server/domain/plan/sweep/stored/statement.ts";

export function applyStatement(spec: ImportedSpec, { method, environment, settings }: Statement): ImportedSpec {
  const { stated: _, ...imported } = spec;
  const point = typeof method === "string" ? methodOf(method) : method;
  return {
    ...imported,
    ...(environment !== undefined && { environment: { id: environment } }),
    stated: {
      ...(point !== undefined && { method: actingMethod(point) }),
      ...(environment !== undefined && { environment: true as const }),
      ...(settings !== undefined && { settings }),
    },
  };
}

/** Returns a key that is equal for all seeds of one imported configuration, whatever the length of their runs. */
export function statedKey({ environment, sampling, stated, method }: ImportedSpec): string {
  return canonicalJson({ environment, sampling, stated, ...(stated?.method === undefined && { method }) });
}

/** Names a configuration by the entered published method, else by one with equal choices, else by its choices. */
export function nameStated({ method, stated }: ImportedSpec): string {
  if (stated?.method === undefined) return method;
  const exact = findPublished(stated.method);
  if (exact) return methods[exact].title;
  // The user may have stated that there is a correction without giving its details.
  if (stated.method.correction) return nameMethod(stated.method);
  const levels = levelsOf(stated.method);
  const alike = methodNames.find((name) => levelsOf(methodOf(name)) === levels);
  return alike ? methods[alike].title : nameMethod(stated.method);
}

function levelsOf(method: Method): string {
  const levels = factorLevels(method);
  return dimensionFactors.map((factor) => levels[factor]).join(" ");
}

type NamedCell = { method: string; spec: StoredSpec };

/**
 * Labels the configurations about which users entered facts (undefined for other cells). A label has the environment
 * if the sweep has several, the word "stated", and the values that differ from other configurations of the method.
 */
export function labelStated(cells: readonly NamedCell[]): (string | undefined)[] {
  const areSeveral = new Set(cells.map(({ spec }) => nameOfEnvironment(spec.environment))).size > 1;
  const used = new Set<string>();
  return cells.map(({ method, spec }) => {
    if (!isImported(spec) || spec.stated === undefined) return undefined;
    const rivals = cells.filter((other) => other.method === method && other.spec !== spec).map((other) => other.spec);
    const parts = [
      ...(areSeveral ? [titleOfEnvironment(nameOfEnvironment(spec.environment))] : []),
      "stated",
      ...differences(spec, rivals.filter(isImported)),
    ];
    const label = parts.join(", ");
    let unique = label;
    for (let n = 2; used.has(`${method}\n${unique}`); n++) unique = `${label} #${n}`;
    used.add(`${method}\n${unique}`);
    return unique;
  });
}

function differences(spec: ImportedSpec, rivals: readonly ImportedSpec[]): string[] {
  const others = rivals.map(valuesOf);
  return [...valuesOf(spec)]
    .filter(([path, value]) => others.some((other) => other.has(path) && other.get(path) !== value))
    .map(([path, value]) => `${titleOf(path)} ${value}`);
}

function valuesOf({ stated }: ImportedSpec): Map<string, string> {
  return new Map(
    leavesOf({ ...stated?.settings, ...(stated?.method && { method: stated.method }) })
      .filter(([path]) => path.length > 1)
      .map(([path, value]) => [path.join("."), describeValue(value)]),
  );
}

function titleOf(path: string): string {
  return hyperparameters().find((one) => one.path === path)?.title ?? path;
}

function describeValue(value: unknown): string {
  if (value === null) return "off";
  if (typeof value === "number") return formatHyperparameter(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Summarises the facts that a user entered: "method GRPO, environment ALFWorld, optimizer.learningRate 1e-6". */
export function describeStatement(spec: ImportedSpec): string {
  const { stated } = spec;
  const settings = leavesOf(stated?.settings ?? {}).filter(([path]) => path.length > 0);
  return [
    ...(stated?.method ? [`method ${nameStated(spec)}`] : []),
    ...(stated?.environment ? [`environment ${titleOfEnvironment(nameOfEnvironment(spec.environment))}`] : []),
    ...settings.map(([path, value]) => `${path.join(".")} ${describeValue(value)}`),
  ].join(", ");
}
