import { z } from "zod";

/** As many as a table may have; characters of a text. */
export const mostOf = {
  metrics: 8,
  columns: 30,
  references: 50,
  without: 200,
  withoutEnvironments: 50,
  caption: 2000,
  label: 100,
} as const;

const name = z.string().max(300);

/** A column chosen by hand: a metric in an environment, as the table heads them. */
export const TableColumn = z.strictObject({
  environment: name.min(1),
  metric: name.min(1),
  /** The metric's title when absent. */
  header: name.exactOptional(),
  /** The environment when absent. */
  group: name.exactOptional(),
  /** Whether the average is taken over it; when no column says so, over the first of each environment. */
  averaged: z.boolean().exactOptional(),
});
export type TableColumn = z.infer<typeof TableColumn>;

/** A row typed in: numbers of somebody else, in the unit that its columns show, null where there is none. */
export const ReferenceRow = z.strictObject({
  method: name.min(1),
  /** Where the numbers come from; it heads the rows that share it. */
  source: name.min(1),
  values: z.array(z.number().nullable()).max(mostOf.columns),
});
export type ReferenceRow = z.infer<typeof ReferenceRow>;

/** What a built table computes; all of it is part of its proof. What is absent has its default. */
export const TableOptions = z.strictObject({
  /** Metric keys, a column each within every environment. */
  metrics: z.array(name.min(1)).min(1).max(mostOf.metrics).exactOptional(),
  /** Columns in this order, in place of `metrics`, `tasks` and `withoutEnvironments`; none for those. */
  columns: z
    .array(TableColumn)
    .max(mostOf.columns)
    .refine(
      (columns) =>
        new Set(columns.map(({ environment, metric }) => `${environment}\n${metric}`)).size === columns.length,
      {
        error: "two columns show the same metric in the same environment",
      },
    )
    .exactOptional(),
  /** Columns for every type of task that was logged. */
  tasks: z.boolean().exactOptional(),
  /** Which evaluations of a run its number stands for. */
  rule: z.enum(["final", "best", "last"]).exactOptional(),
  /** Beside the mean: its 95 % t interval unless another is asked for. Proofs name it always. */
  interval: z.enum(["std", "sem", "t", "bootstrap", "none"]).exactOptional(),
  /** Row that the others are compared with; empty for none. GRPO, or the first row, unless told. */
  baseline: name.exactOptional(),
  /** Auto: Welch's t, or a permutation test where seeds collapsed. */
  test: z.enum(["auto", "welch", "permutation", "mannWhitney", "none"]).exactOptional(),
  change: z.enum(["none", "relative", "points"]).exactOptional(),
  collapse: z.enum(["column", "marks", "none"]).exactOptional(),
  /** A column with the mean over environments. */
  average: z.boolean().exactOptional(),
  /** Rows that lack an environment have no average, or one of what is there, with its number. */
  averageOf: z.enum(["complete", "present"]).exactOptional(),
  /** What rows stand under: "dimension", "paper", "sweep", "none", a dimension's name, or the path of a setting. */
  group: name.exactOptional(),
  /** Rows and environments left out. */
  without: z.array(name).max(mostOf.without).exactOptional(),
  withoutEnvironments: z.array(name).max(mostOf.withoutEnvironments).exactOptional(),
});
export type TableOptions = z.infer<typeof TableOptions>;

/** How a built table is worded and set; no number depends on it. */
export const TableWording = z.strictObject({
  caption: z.string().max(mostOf.caption).exactOptional(),
  label: z.string().max(mostOf.label).exactOptional(),
  decimals: z.int().min(0).max(6).exactOptional(),
  /** Best bold and second underlined. */
  marks: z.boolean().exactOptional(),
  counts: z.boolean().exactOptional(),
  /** Row that is set off. */
  ours: name.exactOptional(),
  width: z.enum(["auto", "column", "page"]).exactOptional(),
  /** Whether a change stands in a row under its numbers, or behind each. */
  changeIn: z.enum(["row", "cell"]).exactOptional(),
  /** Rows of others, typed in and set apart. */
  references: z.array(ReferenceRow).max(mostOf.references).exactOptional(),
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

/** The metrics that a table shows, each once, types of tasks aside. */
export function metricsOf({ metrics, columns }: Pick<FullOptions, "metrics" | "columns">): string[] {
  return columns.length === 0 ? [...metrics] : [...new Set(columns.map(({ metric }) => metric))];
}

/** Without what says the default anyway: two ways to ask for one table are one question, and its address is short. */
export function shortOptions(options: TableOptions): TableOptions {
  return TableOptions.parse(withoutDefaults(options, optionDefaults));
}

/** The options as a proof keeps them: with the spread by name, since its default was once the standard deviation. */
export function provedOptions(options: FullOptions): TableOptions {
  return { ...shortOptions(options), interval: options.interval };
}

/** Meaning of a stored proof's options at the time when it was made. */
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
