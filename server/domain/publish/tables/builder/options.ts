import { z } from "zod";

/** Limits of a results table: maximum numbers of items, and maximum lengths of texts in characters. */
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

/** A column that the table's author chose: a metric in an environment, with its headers. */
export const TableColumn = z.strictObject({
  environment: name.min(1),
  metric: name.min(1),
  /** Header of the column; by default the metric's title. */
  header: name.exactOptional(),
  /** Header of the column's group; by default the environment. */
  group: name.exactOptional(),
  /** True if the average includes the column. If none is marked, the average covers each environment's first column. */
  averaged: z.boolean().exactOptional(),
});
export type TableColumn = z.infer<typeof TableColumn>;

/** A table row entered by the author: published numbers in the unit of their columns, null for a missing number. */
export const ReferenceRow = z.strictObject({
  method: name.min(1),
  /** Source of the numbers, which is the heading of all rows with this source. */
  source: name.min(1),
  values: z.array(z.number().nullable()).max(maxOf.columns),
});
export type ReferenceRow = z.infer<typeof ReferenceRow>;

/** Options that determine a table's numbers; all are part of its proof. Absent options have defaults. */
export const TableOptions = z.strictObject({
  /** Metric keys, each of which gives one column per environment. */
  metrics: z.array(name.min(1)).min(1).max(maxOf.metrics).exactOptional(),
  /** Chosen columns, in place of `metrics`, `tasks` and `withoutEnvironments`; if empty, those options apply. */
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
  /** True if the table has columns of success by type of task, for every logged type. */
  tasks: z.boolean().exactOptional(),
  /** Checkpoint rule by which a run's evaluations give one number: `final` window, `best` or `last` evaluation. */
  rule: z.enum(["final", "best", "last"]).exactOptional(),
  /** Spread beside the mean; by default the 95 % t interval. Proofs always contain this option. */
  interval: z.enum(["std", "sem", "t", "bootstrap", "none"]).exactOptional(),
  /** Key of the baseline row, or empty for none; by default GRPO, or else the first row. */
  baseline: name.exactOptional(),
  /** Significance test. `auto`: Welch's t-test, or a permutation test if seeds collapsed. */
  test: z.enum(["auto", "welch", "permutation", "mannWhitney", "none"]).exactOptional(),
  change: z.enum(["none", "relative", "points"]).exactOptional(),
  collapse: z.enum(["column", "marks", "none"]).exactOptional(),
  /** True if a column shows the mean over environments. */
  average: z.boolean().exactOptional(),
  /** Average of rows that lack an environment: none (`complete`) or over the environments they have (`present`). */
  averageOf: z.enum(["complete", "present"]).exactOptional(),
  /** Grouping of rows: "dimension", "paper", "sweep", "none", the name of a dimension, or the path of a setting. */
  group: name.exactOptional(),
  /** Names of rows and environments that the table excludes. */
  without: z.array(name).max(maxOf.without).exactOptional(),
  withoutEnvironments: z.array(name).max(maxOf.withoutEnvironments).exactOptional(),
});
export type TableOptions = z.infer<typeof TableOptions>;

/** Wording and typesetting of a table, which affect no number. */
export const TableWording = z.strictObject({
  caption: z.string().max(maxOf.caption).exactOptional(),
  label: z.string().max(maxOf.label).exactOptional(),
  decimals: z.int().min(0).max(6).exactOptional(),
  /** True if the best value of a column is printed in bold and the second underlined. */
  marks: z.boolean().exactOptional(),
  counts: z.boolean().exactOptional(),
  /** Name of the row to highlight as the author's own method. */
  ours: name.exactOptional(),
  width: z.enum(["auto", "column", "page"]).exactOptional(),
  /** Position of the change from the baseline: in a row below the numbers, or behind each number. */
  changeIn: z.enum(["row", "cell"]).exactOptional(),
  /** Rows of published numbers that the author entered, separated from the other rows. */
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

/** Lists the metrics that the options name: those of the chosen columns without duplicates, else `metrics`. */
export function metricsOf({ metrics, columns }: Pick<FullOptions, "metrics" | "columns">): string[] {
  return columns.length === 0 ? [...metrics] : [...new Set(columns.map(({ metric }) => metric))];
}

/** Removes options that equal their defaults, so that equivalent queries are identical and URLs are short. */
export function shortOptions(options: TableOptions): TableOptions {
  return TableOptions.parse(withoutDefaults(options, optionDefaults));
}

/** Returns the options as stored in a proof, always with the spread, whose default has changed. */
export function provedOptions(options: FullOptions): TableOptions {
  return { ...shortOptions(options), interval: options.interval };
}

/** Completes the options of a stored proof with the defaults that applied when it was made. */
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
