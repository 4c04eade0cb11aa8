import { leavesOf } from "#trainer/spec/leaves.ts";
import { describeMetric, heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";
import { type Checkpoint, checkpoints, type Field, iterationOf, metricOf } from "./field.ts";

/** Maps an alias to field keys; the first field that exists is used. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    lr: ["optimizer.learningRate", "param.lr", "param.learning_rate"],
    env: ["environment"],
    // Saved views from before alarm and hindsight became separate fields have this column.
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
  /** Finds a field by key, alias or unique last part of its key; or a metric at an iteration (`at40.success`). */
  find: (name: string) => Field | undefined;
  /** Suggests names similar to a misspelt name, nearest first. */
  suggest: (name: string) => string[];
};

/** Indexes fields by name, regardless of case. */
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

/** Finds `at40.evaluation/successRate` or `at40.success` by the field of the metric's final value. */
function findAtIteration(name: string, findListed: FieldIndex["find"]): Field | undefined {
  const { iteration, metric } = iterationOf(name) ?? { iteration: 0, metric: "" };
  const listed = findListed(`final.${metric}`) ?? findListed(metric);
  const known = metricOf(listed?.key ?? "")?.metric;
  if (!listed || known === undefined) return undefined;
  return {
    ...listed,
    key: `at${iteration}.${known}`,
    title: listed.title.replace(/, (final|best|last)$/, `, at ${iteration}`),
    meaning: `Value at iteration ${iteration}, or the last value before. Empty if the run has not reached this iteration.`,
  };
}

/** Lists `learningrate` for `optimizer.learningRate`, and a metric with and without its group for its final value. */
function shortNames({ key, group }: Field): string[] {
  const plain = key.toLowerCase();
  if (group === "Hyperparameter") return plain.includes(".") ? [plain.slice(plain.lastIndexOf(".") + 1)] : [];
  if (group !== "Metric" || !plain.startsWith("final.")) return [];
  const metric = plain.slice("final.".length);
  return metric.includes("/") ? [metric, metric.slice(metric.indexOf("/") + 1)] : [metric];
}

const meanings: Record<Checkpoint, string> = {
  final: "Mean of the final window: the last 10 % of the values, at least 3.",
  best: "Best value of the run. The value is selected and reported on the same data, so it is biased in the run's favour.",
  last: "Last finite value after training began.",
};

export function metricFields(metric: string): Field[] {
  const { title, meaning } = describeMetric(metric);
  return checkpoints.map((rule) => ({
    key: `${rule}.${metric}`,
    title: `${title}, ${rule}`,
    type: "number",
    group: "Metric",
    meaning: `${meaning} ${meanings[rule]}`,
  }));
}

export type Varied = { varied: Field[]; constant: { field: Field; value: string }[] };

/** Settings that are listed first: environment and the four dimensions, which affect the outcome most. */
const first = [
  "environment.id",
  "method.aggregation",
  "method.clipping.kind",
  "method.advantage.kind",
  "method.sampling.kind",
];

/** Finds the settings that vary between specifications, or that some specifications lack. */
export function findVaried(specs: readonly unknown[], fields: readonly Field[]): Varied {
  const valuesOf = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const spec of specs) {
    for (const [path, value] of leavesOf(spec)) {
      const key = path.join(".");
      counts.set(key, (counts.get(key) ?? 0) + 1);
      valuesOf.set(key, (valuesOf.get(key) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  const found: Varied = { varied: [], constant: [] };
  for (const field of fields.filter(({ group }) => group === "Hyperparameter")) {
    const values = valuesOf.get(field.key);
    if (!values) continue;
    if (values.size > 1 || counts.get(field.key) !== specs.length) found.varied.push(field);
    else found.constant.push({ field, value: [...values].join("").replaceAll('"', "") });
  }
  const rank = ({ key }: Field) => (first.includes(key) ? first.indexOf(key) : first.length);
  return { ...found, varied: found.varied.toSorted((a, b) => rank(a) - rank(b)) };
}
