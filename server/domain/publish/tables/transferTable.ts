import type { NumberFormat } from "#packages/base";
import type { Spread } from "#packages/statistics";
import type { TransferReport, TransferRun } from "#server/domain/analysis/transfer.ts";
import { toCsvText, type CsvValue } from "./csv.ts";
import type { Column, Row, Table, TableCell } from "./table.ts";

export const transferMeasures = ["successRate", "score"] as const;
export type TransferMeasure = (typeof transferMeasures)[number];

const measureTitles: Readonly<Record<TransferMeasure, string>> = { successRate: "Success rate", score: "Score" };
const percent: NumberFormat = { shift: 2, decimals: 1 };

type Titled = { measure: TransferMeasure; titleOf: (environment: string) => string };

/**
 * Makes the transfer matrix. Rows are training environments. Columns are evaluation environments: success after
 * training, its change by training, and its difference from policies trained there.
 */
export function toTransferTable({ columns, rows }: TransferReport, { measure, titleOf }: Titled): Table {
  const areSeveral = new Set(rows.map(({ configuration }) => configuration)).size > 1;
  const numFewest = Math.min(...rows.map(({ runIds }) => runIds.length));
  return {
    caption: `${measureTitles[measure]} after training, by the environment of training (rows) and of evaluation (columns): mean [95 % CI] over seeds.`,
    label: "transfer",
    columns: [
      { key: "trainedIn", header: "Trained in", better: "none", format: percent },
      ...columns.flatMap((environment) => listColumns(environment, titleOf(environment))),
    ],
    rows: rows.map(({ environment, configuration, runIds, cells }): Row => ({
      cells: [
        { kind: "text", text: titleOf(environment) },
        ...cells.flatMap(({ after, change, toOwn }) => [estimate(after), estimate(change), estimate(toOwn)]),
      ],
      runIds,
      ...(areSeveral && { heading: configuration, block: configuration }),
    })),
    notes: [
      "Change: success of a run after reinforcement learning minus its success before (percentage points).",
      "vs. trained there: success after training minus that of the run with the same seed that was trained in this column's environment (percentage points).",
      ...(numFewest < 3 ? ["Means over fewer than three seeds have no interval."] : []),
    ],
    isUnmarked: true,
    isWide: true,
    provenance: { sweepName: "" },
  };
}

function listColumns(environment: string, group: string): Column[] {
  const column = (key: string, header: string, unit: string): Column => {
    return { key: `${key} ${environment}`, header, group, unit, better: "none", format: percent };
  };
  return [
    column("after", "After", "%"),
    column("change", "Change", "points"),
    column("toOwn", "vs. trained there", "points"),
  ];
}

function estimate({ mean, n, interval }: Spread): TableCell {
  if (n === 0) return { kind: "missing" };
  const shown = interval === null ? ({ kind: "none" } as const) : ({ kind: "interval", ...interval } as const);
  return { kind: "estimate", mean, std: NaN, n, ...(interval && { interval }), shown, stars: "", marks: [] };
}

/** Makes a CSV with one row per run and evaluation environment. */
export function toTransferCsv(runs: readonly TransferRun[], titleOf: Titled["titleOf"]): string {
  const lines = runs.flatMap(({ runId, configuration, environment, seed, values }) =>
    [...values].map(([column, { before, after }]): CsvValue[] => [
      runId,
      configuration,
      titleOf(environment),
      seed,
      titleOf(column),
      before,
      after,
    ]),
  );
  return toCsvText([["run", "configuration", "trained in", "seed", "evaluated in", "before", "after"], ...lines]);
}
