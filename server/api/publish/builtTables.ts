import type { Database } from "#server/db/storage/client.ts";
import type { RunOrder } from "#server/db/runs/runs.ts";
import { readSearchedPlans } from "#server/db/plan/sweeps.ts";
import { describeSearches } from "#server/domain/publish/papers/search/search.ts";
import { type LeftOut, tellLeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { tellEnds } from "#server/domain/runs/ends.ts";
import { tellLooks } from "#server/domain/runs/looks.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { buildTable } from "#server/domain/publish/tables/builder/build.ts";
import { computeTable } from "#server/domain/publish/tables/builder/compute.ts";
import { listGroups, type GroupChoice } from "#server/domain/publish/tables/builder/headings.ts";
import { toBuilderInput } from "#server/domain/publish/tables/builder/input.ts";
import { sayTable } from "#server/domain/publish/tables/builder/sentence.ts";
import { layTable } from "#server/domain/publish/tables/builder/layout.ts";
import { toBuiltLongCsv } from "#server/domain/publish/tables/builder/longCsv.ts";
import {
  fillOptions,
  metricsOf,
  provedOptions,
  type TableOptions,
  type TableWording,
} from "#server/domain/publish/tables/builder/options.ts";
import { byType } from "#server/domain/publish/tables/builder/panels.ts";
import { tableCode } from "#server/domain/publish/tables/proof.ts";
import { noteMissing } from "#server/domain/publish/tables/results.ts";
import type { Table } from "#packages/tables";
import { readFacts, readReadings, type Scoped } from "../analysis/readFacts.ts";
import { tellProgress } from "../progress.ts";
import { proveTable } from "../analysis/proofs.ts";

type Asked = Pick<Scoped, "sweepIds" | "dependent" | "equal" | "code"> & {
  options: TableOptions;
  wording?: TableWording;
};

export type BuiltTable = {
  table: Table;
  /** The result in sentences. */
  sentence: string;
  longCsv: string;
  /** Choices that the table builder's menus offer for these sweeps. */
  choices: {
    rows: string[];
    environments: string[];
    groups: GroupChoice[];
    metrics: readonly string[];
    hasTasks: boolean;
  };
  /** Displayed metrics: the requested metrics, or the default metric of these sweeps. */
  metrics: string[];
  /** Label of the table row with which the other rows are compared; empty if there is no baseline. */
  baseline: string;
  /** Unfinished runs in the displayed rows and environments. A table gets a reproducibility hash only at 0. */
  numOpen: number;
  leftOut: LeftOut | null;
};

export async function readBuiltTable(
  database: Database,
  { wording, ...asked }: Asked,
  order: RunOrder = "content",
): Promise<BuiltTable> {
  const { sweepIds } = asked;
  const { input, filled, metrics, hasTasks, leftOut, ends, missing } = await readBuilderInput(database, {
    ...asked,
    order,
  });
  const layout = layTable(input, filled);
  tellProgress("Comparing rows of the table");
  const numbers = computeTable(layout);
  // Counts unfinished runs even where a failed run with the same seed is shown, which they may replace.
  const numOpen = layout.runs.filter(({ status }) => !isOver(status)).length;
  const statuses = new Map(layout.runs.map(({ runId, status }) => [runId, status]));
  const query = { kind: "built", sweepIds, options: provedOptions(filled) } as const;
  // The hash covers only numbers, so the hashed table has no custom wording and no parts that are not printed.
  const plain = buildTable(numbers);
  const isFinal = (asked.code ?? tableCode) === tableCode && order !== "stored";
  const provable = { table: plain, statuses, isFinal, leftOut, ends };
  const { provenance } = numOpen > 0 ? plain : await proveTable(database, query, provable);
  const built = buildTable(numbers, wording);
  const plans = await readSearchedPlans(database, sweepIds);
  return {
    table: {
      ...built,
      notes: [
        ...built.notes,
        ...plans.flatMap(describeSearches),
        ...missing,
        ...tellLooks(
          layout.runs.flatMap(({ drawn }) => drawn ?? []),
          "allowed",
        ),
        ...(ends ? [tellEnds(ends)] : []),
        ...(leftOut ? [tellLeftOut(leftOut)] : []),
      ],
      provenance,
    },
    sentence: sayTable(numbers),
    leftOut,
    longCsv: toBuiltLongCsv(layout),
    metrics: [...filled.metrics],
    baseline: layout.baseline?.key ?? "",
    choices: {
      rows: layout.all.rows.map(({ key }) => key),
      environments: layout.all.environments,
      groups: listGroups(input),
      metrics,
      hasTasks,
    },
    numOpen,
  };
}

type InputAsked = Omit<Asked, "wording"> & { order: RunOrder };

async function readBuilderInput(database: Database, { sweepIds, options: asked, ...counting }: InputAsked) {
  const asking = { ...counting, sweepIds, collapses: "hindsight" } as const;
  const facts = await readFacts(database, asking, ["configurations", "metrics", "collapses", "missingMetrics"]);
  const { cells, runs, leftOut, ends } = facts;
  const { keys: metrics, usual } = facts.metrics;
  const withRuns = new Set(runs.map(({ cell }) => cell.id));
  const filledCells = cells.filter(({ id }) => withRuns.has(id));
  const ordered = counting.order === "stored" ? filledCells.toSorted((a, b) => a.id - b.id) : filledCells;
  const filled = fillOptions({ metrics: [usual], ...asked });
  const tasks = metrics.filter((key) => byType.test(key));
  const keys = [...new Set([...metricsOf(filled), ...(filled.tasks ? tasks : [])])];
  const readingsOf = await readReadings(database, { ...facts, code: counting.code }, keys);
  const input = toBuilderInput({ ...facts, cells: ordered, readingsOf }, facts.collapses);
  return { input, filled, metrics, hasTasks: tasks.length > 0, leftOut, ends, missing: noteMissing(facts) };
}
