import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { partsOf as environmentParts } from "#trainer/spec/environmentParts.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { latexOf, type Method, methodNames, methodOf, methods } from "#trainer/spec/method.ts";
import { describePoint } from "../methods/dimensionTexts.ts";
import { formatHyperparameter } from "#packages/base";

export function nameMethod(method: Method): string {
  const text = canonicalJson(method);
  const known = methodNames.find((name) => canonicalJson(methodOf(name)) === text);
  return known ? methods[known].title : describePoint(method);
}

/** Makes the labels of methods unique, in the same order, by adding the parameters that differ, or a number. */
export function distinguish(points: readonly { label: string; method: Method }[]): string[] {
  const used = new Set<string>();
  return points.map(({ label, method }) => {
    // Rivals are other methods with the same label, or with a description that equals the label.
    const rivals = points
      .filter((other) => other.method !== method && [other.label, describePoint(other.method)].includes(label))
      .map((other) => other.method);
    const differences = rivals.length === 0 ? "" : describeDifferences(method, rivals);
    const name = differences === "" ? label : `${label} (${differences})`;
    let unique = name;
    for (let n = 2; used.has(unique); n++) unique = `${name} #${n}`;
    used.add(unique);
    return unique;
  });
}

/** Makes one label per environment: its title, and the parameters that distinguish it from others with that title. */
export function labelEnvironments(environments: readonly EnvironmentSpec[]): string[] {
  return environments.map((environment) => {
    const title = titleParts(environment);
    const rivals = environments.filter((other) => other !== environment && titleParts(other) === title);
    const differences = describeDifferences(environment, rivals);
    return differences === "" ? title : `${title} ${differences}`;
  });
}

/** Returns the title of an environment with those of its components, such as "Mixture of easy ×3 and hard". */
function titleParts(environment: EnvironmentSpec): string {
  const title = titleOfEnvironment(nameOfEnvironment(environment));
  const names = environmentParts(environment).map(({ name }) => name);
  if (environment.id === "curriculum") return `${title} ${names.join(" → ")}`;
  if (environment.id !== "mixture") return title;
  const weights = environment.parts.map(({ weight }) => weight);
  const isEven = new Set(weights).size === 1;
  const listed = names.map((name, i) => (isEven ? name : `${name} ×${formatHyperparameter(weights[i] ?? 1)}`));
  return `${title} of ${listed.join(" and ")}`;
}

export function latexOfMethod(label: string): string | undefined {
  const name = methodNames.find((candidate) => methods[candidate].title === label);
  return name && latexOf(name);
}

/** Describes the fields of a method or environment that differ from at least one rival: "low 0.2, high 0.28". */
function describeDifferences(described: unknown, rivals: readonly unknown[]): string {
  const others = rivals.map((rival) => flatten(rival));
  return [...flatten(described)]
    .filter(([path, value]) => others.some((other) => other.get(path) !== value))
    .map(([path, value]) => `${path.split(".").at(-1) ?? path} ${value}`)
    .join(", ");
}

function flatten(value: unknown, prefix = ""): Map<string, string> {
  if (value === null) return new Map([[prefix, "off"]]);
  if (typeof value === "number") return new Map([[prefix, formatHyperparameter(value)]]);
  if (typeof value !== "object") return new Map([[prefix, typeof value === "string" ? value : JSON.stringify(value)]]);
  const entries = Object.entries(value).flatMap(([key, child]) => [
    ...flatten(child, prefix === "" ? key : `${prefix}.${key}`),
  ]);
  return new Map(entries);
}

/** Removes from comma-separated labels the settings that all labels contain. A single label is unchanged. */
export function labelsThatDiffer(labels: readonly string[]): string[] {
  const parts = labels.map(partsOf);
  const isShared = (part: string) => labels.length > 1 && parts.every((others) => others.includes(part));
  return parts.map((own) => own.filter((part) => !isShared(part)).join(", "));
}

/**
 * Returns labels without the settings that more than half of the configurations share: the usual values of the sweep.
 * If two configurations of a method would then have the same label, only settings that all share are removed.
 */
export function labelsThatStandOut(cells: readonly { method: string; label: string }[]): string[] {
  const parts = cells.map(({ label }) => partsOf(label));
  const isUsual = (part: string) => parts.filter((own) => own.includes(part)).length > cells.length / 2;
  const labels = parts.map((own) => own.filter((part) => !isUsual(part)).join(", "));
  const numNames = new Set(cells.map(({ method }, i) => `${method}, ${labels[i]}`)).size;
  return numNames === cells.length ? labels : labelsThatDiffer(cells.map(({ label }) => label));
}

type LabelColumns = {
  names: readonly string[];
  /** Values of the settings by label. `rest`: the remaining text of the label, which is not a setting. */
  rows: readonly { values: readonly string[]; rest: string }[];
};

/** Splits labels into one column per setting; undefined if fewer than two settings vary. */
export function labelColumns(labels: readonly string[]): LabelColumns | undefined {
  const settings = labelsThatDiffer(labels).map((label) => partsOf(label).map(splitPart));
  const names = [...new Set(settings.flat().flatMap(({ name, value }) => (value === "" ? [] : [name])))];
  if (names.length < 2) return undefined;
  const rows = settings.map((own) => ({
    values: names.map((name) => own.find((one) => one.name === name)?.value ?? ""),
    rest: own
      .filter(({ value }) => value === "")
      .map(({ name }) => name)
      .join(", "),
  }));
  return { names, rows };
}

function partsOf(label: string): string[] {
  return label === "" ? [] : label.split(", ");
}

/** Splits a part of a label into name and value: a last word that is a number or "off", or follows a single word. */
function splitPart(part: string): { name: string; value: string } {
  const [, name, value] = /^(.+) (\S+)$/.exec(part) ?? [];
  if (name === undefined || value === undefined || name === "trial") return { name: part, value: "" };
  const isValue = /^[\d.+-]/.test(value) || value === "off" || !name.includes(" ");
  return isValue ? { name, value } : { name: part, value: "" };
}
