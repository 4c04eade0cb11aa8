import { closeMatches } from "#server/domain/sweep/closeMatches.ts";
import { heldOutSuccess, trainingSuccess } from "#server/domain/stability/signals/point.ts";
import { iterationOf, metricOf, type Field } from "./field.ts";

/** Shorter and other names of fields: the first that there is. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    lr: ["optimizer.learningRate", "param.lr", "param.learning_rate"],
    env: ["environment"],
    // Columns of views that were saved when there was one word for both facts.
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
  /** By key, alias, or the last part of a key that no other field shares; of a metric at any iteration (`at40.success`). */
  find: (name: string) => Field | undefined;
  /** What a misspelt name may have meant, nearest first. */
  suggest: (name: string) => string[];
};

/** Looks names of fields up, whatever their case. */
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

/** A metric at one iteration, by the field of its final value: `at40.evaluation/successRate`, or `at40.success`. */
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

/** `learningrate` of `optimizer.learningRate`; of a metric's final value also the metric, whole and without its group. */
function shortNames({ key, group }: Field): string[] {
  const plain = key.toLowerCase();
  if (group === "Hyperparameter") return plain.includes(".") ? [plain.slice(plain.lastIndexOf(".") + 1)] : [];
  if (group !== "Metric" || !plain.startsWith("final.")) return [];
  const metric = plain.slice("final.".length);
  return metric.includes("/") ? [metric, metric.slice(metric.indexOf("/") + 1)] : [metric];
}
