import { heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";
import { iterationOf, metricOf, type Field } from "./field.ts";

/** Aliases of fields: the first existing one is used. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    lr: ["optimizer.learningRate", "param.lr", "param.learning_rate"],
    env: ["environment"],
    // Columns of views saved before the two facts had separate words.
    stability: ["hindsight"],
    status: ["state"],
    tag: ["tags"],
    id: ["run"],
    label: ["configuration"],
    steps: ["iteration"],
    time: ["duration"],
    success: [...heldOutSuccess, ...trainingSuccess].map((key) => `final.${key}`),
  }),
);

export type FieldIndex = {
  /** By key, alias, or unique last part of a key; also a metric at an iteration (`at40.success`). */
  find: (name: string) => Field | undefined;
  /** Suggestions for a misspelt name, nearest first. */
  suggest: (name: string) => string[];
};

/** Index of fields by name, case-insensitive. */
export function indexFields(fields: readonly Field[]): FieldIndex {
  const byKey = new Map(fields.map((field) => [field.key.toLowerCase(), field]));
  const byEnd = new Map<string, Field | null>();
  for (const field of fields) {
    for (const end of shortNames(field)) byEnd.set(end, byEnd.has(end) ? null : field);
  }
  const findListed = (name: string): Field | undefined => {
    const plain = name.toLowerCase();
    const meant = aliases.get(plain)?.flatMap((key) => byKey.get(key.toLowerCase()) ?? [])[0];
    return byKey.get(plain) ?? meant ?? byEnd.get(plain) ?? undefined;
  };
  const find = (name: string) => findListed(name) ?? findAtIteration(name, findListed);
  const names = [...fields.map(({ key }) => key), ...byEnd.keys(), ...aliases.keys()].filter(find);
  return { find, suggest: (name) => [...new Set(closeMatches(name, names))] };
}

/**
 * Metric at one iteration, found through the field of its final value: `at40.evaluation/successRate` or `at40.success`.
 */
function findAtIteration(name: string, findListed: FieldIndex["find"]): Field | undefined {
  const { iteration, metric } = iterationOf(name) ?? { iteration: 0, metric: "" };
  const listed = findListed(`final.${metric}`) ?? findListed(metric);
  const known = metricOf(listed?.key ?? "")?.metric;
  if (!listed || known === undefined) return undefined;
  return {
    ...listed,
    key: `at${iteration}.${known}`,
    title: listed.title.replace(/, (final|best|last)$/, `, at ${iteration}`),
    meaning: `Its value at iteration ${iteration}, or the last one before it; none where the run has not come so far.`,
  };
}

/**
 * Short names: `learningrate` of `optimizer.learningRate`; for a metric's final value also the metric with and without
 * its group.
 */
function shortNames({ key, group }: Field): string[] {
  const plain = key.toLowerCase();
  if (group === "Hyperparameter") return plain.includes(".") ? [plain.slice(plain.lastIndexOf(".") + 1)] : [];
  if (group !== "Metric" || !plain.startsWith("final.")) return [];
  const metric = plain.slice("final.".length);
  return metric.includes("/") ? [metric, metric.slice(metric.indexOf("/") + 1)] : [metric];
}
