import type { NumberFormat } from "#packages/base";
import type { Spread } from "#packages/statistics";
import type { TransferMeasure, TransferReport, TransferRun } from "./transfer.ts";
import {
  type BareTable,
  type Column,
  type CsvValue,
  type Row,
  type TableCell,
  estimateCell,
  toCsvText,
} from "#packages/tables";

const measureTitles: Readonly<Record<TransferMeasure, string>> = { successRate: "Success rate", score: "Score" };
const percent: NumberFormat = { shift: 2, decimals: 1 };

type Titled = { measure: TransferMeasure; titleOf: (environment: string) => string };

/**
 * Makes the matrix of training (rows) by evaluation environments: success after training, its change, and its
 * difference from policies trained there.
 */
export function toTransferTable({ columns, rows }: TransferReport, { measure, titleOf }: Titled): BareTable {
  const areSeveral = new Set(rows.map(({ configuration }) => configuration)).size > 1;
  const numFewest = Math.min(...rows.map(({ runIds }) => runIds.length));
  return {
    caption: `${measureTitles[measure]} after training, by the environment of training (rows) and of evaluation (columns): mean [95 % CI] over seeds.`,
    columns: [
      { key: "trainedIn", header: "Trained in", better: "none", format: percent },
      ...columns.flatMap((environment) => listColumns(environment, titleOf(environment))),
    ],
    rows: rows.map(({ environment, configuration, runIds, cells }): Row => ({
      cells: [
        { kind: "text", text: titleOf(environment) },
        ...cells.flatMap(({ after, change, toOwn }) => [after, change, toOwn].map(toCell)),
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

function toCell({ mean, n, interval }: Spread): TableCell {
  return n === 0 ? { kind: "missing" } : estimateCell(mean, n, interval ?? undefined);
}

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
