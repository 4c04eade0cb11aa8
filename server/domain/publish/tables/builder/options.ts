import { z } from "zod";

/** Limits of a table: numbers of items, and lengths of texts in characters. */
export const maxOf = {
  metrics: 8,
  columns: 30,
  references: 50,
  without: 200,
  withoutEnvironments: 50,
  caption: 2000,
  label: 100,
} as const;

const name = z.string().max(300);

/** A chosen column: a metric in an environment, with its headers. */
export const TableColumn = z.strictObject({
  environment: name.min(1),
  metric: name.min(1),
  /** Header of the column; default: the metric's title. */
  header: name.exactOptional(),
  /** Header of its group of columns; default: the environment. */
  group: name.exactOptional(),
  /** True if the average includes the column. If no column is marked, it covers the first of each environment. */
  averaged: z.boolean().exactOptional(),
});
export type TableColumn = z.infer<typeof TableColumn>;

/** A row typed by the author: published numbers in the unit of their columns, null for a missing one. */
export const ReferenceRow = z.strictObject({
  method: name.min(1),
  /** Source of the numbers, which is the heading of the rows that share it. */
  source: name.min(1),
  values: z.array(z.number().nullable()).max(maxOf.columns),
});
export type ReferenceRow = z.infer<typeof ReferenceRow>;

/** Options that determine a table's numbers; all are part of its proof. Absent options have defaults. */
export const TableOptions = z.strictObject({
  /** Metric keys, one column each per environment. */
  metrics: z.array(name.min(1)).min(1).max(maxOf.metrics).exactOptional(),
  /** Columns in this order, in place of `metrics`, `tasks` and `withoutEnvironments`; empty to use those. */
  columns: z
    .array(TableColumn)
    .max(maxOf.columns)
    .refine(
      (columns) =>
        new Set(columns.map(({ environment, metric }) => `${environment}\n${metric}`)).size === columns.length,
      {
        error: "two columns show the same metric in the same environment",
      },
    )
    .exactOptional(),
  /** Adds columns for every logged type of task. */
  tasks: z.boolean().exactOptional(),
  /** Checkpoint rule: which evaluations of a run its number is computed from. */
  rule: z.enum(["final", "best", "last"]).exactOptional(),
  /** Spread beside the mean. Default: the 95 % t interval. Proofs always name it. */
  interval: z.enum(["std", "sem", "t", "bootstrap", "none"]).exactOptional(),
  /** Baseline row; empty for none. Default: GRPO, or the first row. */
  baseline: name.exactOptional(),
  /** `auto`: Welch's t-test, or a permutation test if seeds collapsed. */
  test: z.enum(["auto", "welch", "permutation", "mannWhitney", "none"]).exactOptional(),
  change: z.enum(["none", "relative", "points"]).exactOptional(),
  collapse: z.enum(["column", "marks", "none"]).exactOptional(),
  /** Adds a column with the mean over environments. */
  average: z.boolean().exactOptional(),
  /** Treats rows that lack an environment: no average, or the average of the available ones with their number. */
  averageOf: z.enum(["complete", "present"]).exactOptional(),
  /** Grouping of rows: "dimension", "paper", "sweep", "none", a dimension's name, or the path of a setting. */
  group: name.exactOptional(),
  /** Rows and environments to leave out. */
  without: z.array(name).max(maxOf.without).exactOptional(),
  withoutEnvironments: z.array(name).max(maxOf.withoutEnvironments).exactOptional(),
});
export type TableOptions = z.infer<typeof TableOptions>;

/** Wording and typesetting of a table, on which no number depends. */
export const TableWording = z.strictObject({
  caption: z.string().max(maxOf.caption).exactOptional(),
  label: z.string().max(maxOf.label).exactOptional(),
  decimals: z.int().min(0).max(6).exactOptional(),
  /** Marks the best in bold and underlines the second. */
  marks: z.boolean().exactOptional(),
  counts: z.boolean().exactOptional(),
  /** Row to highlight. */
  ours: name.exactOptional(),
  width: z.enum(["auto", "column", "page"]).exactOptional(),
  /** Position of a change: in a row below the numbers, or behind each number. */
  changeIn: z.enum(["row", "cell"]).exactOptional(),
  /** Typed rows with published numbers, set apart from the others. */
  references: z.array(ReferenceRow).max(maxOf.references).exactOptional(),
});
export type TableWording = z.infer<typeof TableWording>;

export const optionDefaults = {
  metrics: ["evaluation/successRate"],
  columns: [],
  tasks: false,
  rule: "final",
  interval: "t",
  test: "auto",
  change: "none",
  collapse: "column",
  average: false,
  averageOf: "complete",
  group: "dimension",
  without: [],
  withoutEnvironments: [],
} as const satisfies TableOptions;

export const wordingDefaults = {
  caption: "",
  label: "",
  marks: true,
  counts: true,
  ours: "",
  width: "auto",
  changeIn: "row",
  references: [],
} as const satisfies TableWording;

export type FullOptions = Required<Omit<TableOptions, "baseline">> & Pick<TableOptions, "baseline">;
export type FullWording = Required<Omit<TableWording, "decimals">> & Pick<TableWording, "decimals">;

export function fillOptions(options: TableOptions): FullOptions {
  const { metrics } = optionDefaults;
  return { ...optionDefaults, metrics: [...metrics], columns: [], without: [], withoutEnvironments: [], ...options };
}

export function fillWording(wording: TableWording): FullWording {
  return { ...wordingDefaults, references: [], ...wording };
}

/** Distinct metrics of a table, without success by type of task. */
export function metricsOf({ metrics, columns }: Pick<FullOptions, "metrics" | "columns">): string[] {
  return columns.length === 0 ? [...metrics] : [...new Set(columns.map(({ metric }) => metric))];
}

/** Removes options that equal their defaults, so that equivalent queries are identical and URLs short. */
export function shortOptions(options: TableOptions): TableOptions {
  return TableOptions.parse(withoutDefaults(options, optionDefaults));
}

/** Options as stored in a proof. The spread is always named, because its default was once the standard deviation. */
export function provedOptions(options: FullOptions): TableOptions {
  return { ...shortOptions(options), interval: options.interval };
}

/** Interprets the options in a stored proof with the defaults of its time. */
export function fromProved(options: TableOptions): FullOptions {
  return fillOptions({ interval: "std", ...options });
}

export function shortWording(wording: TableWording): TableWording {
  return TableWording.parse(withoutDefaults(wording, wordingDefaults));
}

function withoutDefaults(given: object, defaults: Readonly<Record<string, unknown>>): object {
  const kept = Object.entries(given).filter(
    ([key, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(defaults[key]),
  );
  return Object.fromEntries(kept);
}
