import { z } from "zod";

/** Maximum numbers of items, and lengths of texts in characters. */
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

export const TableColumn = z.strictObject({
  environment: name.min(1),
  metric: name.min(1),
  /** Header of the column; by default the metric's title. */
  header: name.exactOptional(),
  /** Header of the column's group; by default the environment. */
  group: name.exactOptional(),
  /** The average covers marked columns or, without any, each environment's first. */
  averaged: z.boolean().exactOptional(),
});
export type TableColumn = z.infer<typeof TableColumn>;

/** Published numbers in the unit of their columns, null for a missing number. */
export const ReferenceRow = z.strictObject({
  method: name.min(1),
  /** Source of the numbers, as heading. */
  source: name.min(1),
  values: z.array(z.number().nullable()).max(maxOf.columns),
});
export type ReferenceRow = z.infer<typeof ReferenceRow>;

/** Options that determine numbers; all are part of the proof. Absent options have defaults. */
export const TableOptions = z.strictObject({
  /** Each metric key gives one column per environment. */
  metrics: z.array(name.min(1)).min(1).max(maxOf.metrics).exactOptional(),
  /** Chosen columns replace `metrics`, `tasks` and `withoutEnvironments`, unless empty. */
  columns: z
    .array(TableColumn)
    .max(maxOf.columns)
    .refine(
      (columns) =>
        new Set(columns.map(({ environment, metric }) => `${environment}\n${metric}`)).size === columns.length,
      "two columns show the same metric in the same environment",
    )
    .exactOptional(),
  /** Adds columns of success by type of task, for every logged type. */
  tasks: z.boolean().exactOptional(),
  rule: z.enum(["final", "best", "last"]).exactOptional(),
  /** Spread beside the mean, in every proof; by default the 95 % t interval. */
  interval: z.enum(["std", "sem", "t", "bootstrap", "none"]).exactOptional(),
  /** Key of the baseline row, or empty for none; by default GRPO, or else the first row. */
  baseline: name.exactOptional(),
  /** `auto`: Welch's t-test, or a permutation test if seeds collapsed. */
  test: z.enum(["auto", "welch", "permutation", "mannWhitney", "none"]).exactOptional(),
  change: z.enum(["none", "relative", "points"]).exactOptional(),
  collapse: z.enum(["column", "marks", "none"]).exactOptional(),
  average: z.boolean().exactOptional(),
  /** Average of rows that lack an environment: none, or over those they have. */
  averageOf: z.enum(["complete", "present"]).exactOptional(),
  /** "dimension", "paper", "sweep", "none", a dimension's name, or a setting's path. */
  group: name.exactOptional(),
  without: z.array(name).max(maxOf.without).exactOptional(),
  withoutEnvironments: z.array(name).max(maxOf.withoutEnvironments).exactOptional(),
});
export type TableOptions = z.infer<typeof TableOptions>;

/** Wording and typesetting, which affect no number. */
export const TableWording = z.strictObject({
  caption: z.string().max(maxOf.caption).exactOptional(),
  label: z.string().max(maxOf.label).exactOptional(),
  decimals: z.int().min(0).max(6).exactOptional(),
  /** Best values are bold, second ones underlined. */
  marks: z.boolean().exactOptional(),
  counts: z.boolean().exactOptional(),
  /** Row to highlight as the author's own. */
  ours: name.exactOptional(),
  width: z.enum(["auto", "column", "page"]).exactOptional(),
  /** Change from the baseline: in a row below the numbers, or behind each. */
  changeIn: z.enum(["row", "cell"]).exactOptional(),
  references: z.array(ReferenceRow).max(maxOf.references).exactOptional(),
});
export type TableWording = z.infer<typeof TableWording>;

export const optionDefaults: FullOptions = {
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
};

export const wordingDefaults: FullWording = {
  caption: "",
  label: "",
  marks: true,
  counts: true,
  ours: "",
  width: "auto",
  changeIn: "row",
  references: [],
};

export type FullOptions = Required<Omit<TableOptions, "baseline">> & Pick<TableOptions, "baseline">;
export type FullWording = Required<Omit<TableWording, "decimals">> & Pick<TableWording, "decimals">;

export function fillOptions(options: TableOptions): FullOptions {
  return { ...optionDefaults, ...options };
}

export function fillWording(wording: TableWording): FullWording {
  return { ...wordingDefaults, ...wording };
}

/** Lists metrics of the chosen columns, else `metrics`. */
export function metricsOf({ metrics, columns }: Pick<FullOptions, "metrics" | "columns">): string[] {
  return columns.length === 0 ? [...metrics] : [...new Set(columns.map(({ metric }) => metric))];
}

/** Removes defaults, so that equivalent queries are identical and URLs short. */
export function shortOptions(options: TableOptions): TableOptions {
  return TableOptions.parse(withoutDefaults(options, optionDefaults));
}

/** Stored options always contain the spread, whose default has changed. */
export function provedOptions(options: FullOptions): TableOptions {
  return { ...shortOptions(options), interval: options.interval };
}

/** Completes stored options with the defaults of their time. */
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
