import type { Database } from "#server/db/storage/client.ts";
import { toColumnValues, type Column } from "#server/domain/analysis/hyperparameters/column.ts";
import { isFewLevels, toPhaseAxis } from "#server/domain/analysis/phases/axis.ts";
import { chooseColumns, type PhaseChoice, type VariedColumn } from "#server/domain/analysis/phases/chooseColumns.ts";
import { toPhasesTable } from "#server/domain/analysis/phases/phasesTable.ts";
import { studyPhases, type PhaseStudy } from "#server/domain/analysis/phases/diagram.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { isCollapse } from "#packages/detector";
import { toCsvText } from "#packages/tables";
import { type Answer, proveAnswer } from "./proofs.ts";
import { readRunStudy, type RunStudy } from "./runStudy.ts";
import { readWatchedRuns, type ScopedMethods } from "./studyRuns.ts";

/** Setting of runs that can be an axis of a phase diagram, or split the runs into diagrams. */
export type PhaseColumn = { key: string; title: string; numLevels: number; isNumeric: boolean };

export type PhasesAnswer = {
  columns: readonly PhaseColumn[];
  /** Keys of the chosen settings for the axes and the split; null if fewer than two settings vary. */
  taken: { x: string; y: string; by: string | null } | null;
  /** Phase diagrams (collapse rates over two settings); null if fewer than two settings vary. */
  study: PhaseStudy | null;
  /** Runs in the order in which the study's indices refer to them. */
  runs: readonly { id: string; cellId: number; seed: number }[];
  /** Titles of other settings that vary within a diagram's cell and therefore affect its collapse rate. */
  mixed: readonly string[];
  leftOut: LeftOut | null;
} & Answer;

export async function readPhases(
  database: Database,
  { sweepIds, dependent, order, x: xKey, y: yKey, by: byKey }: PhaseChoice & ScopedMethods,
): Promise<PhasesAnswer> {
  const [{ parameters, runs, leftOut }, watched] = await Promise.all([
    readRunStudy(database, { scope: { sweepIds: [...sweepIds] }, columns: [], dependent }),
    readWatchedRuns(database, { sweepIds, order }),
  ]);
  const labelOf = new Map(watched.map(({ run, detection }) => [run.id, detection?.hindsight?.label]));
  const hasCollapsed = runs.map(({ id }) => {
    const label = labelOf.get(id);
    return label === undefined || label.kind === "notJudged" ? null : isCollapse(label);
  });
  const varied = listVaried({ parameters, runs });
  const taken = chooseColumns(varied, { x: xKey, y: yKey, by: byKey });
  const columns = varied.map(({ column: { key, title }, ...rest }) => ({ key, title, ...rest }));
  const listed = runs.map(({ id, cellId, seed }) => ({ id, cellId, seed }));
  if (!taken) {
    const none = { table: toPhasesTable(null, []), longCsv: "" };
    return { columns, taken: null, study: null, runs: listed, mixed: [], leftOut, ...none };
  }
  const { x, y, by } = taken;
  const study = studyPhases({ x: x.column, y: y.column, ...(by && { by: by.column }), hasCollapsed }) ?? null;
  const mixed = findMixed(
    study,
    varied.map(({ column }) => column),
  );
  const axes = { x: x.column.key, y: y.column.key, ...(by && { by: by.column.key }) };
  const table = await proveAnswer(
    database,
    { kind: "phases", sweepIds, ...axes },
    {
      table: toPhasesTable(study, runs),
      statuses: new Map(watched.map(({ run }) => [run.id, run.status])),
      order,
      leftOut,
    },
  );
  const lines = runs.map(({ id, seed }, i) => {
    return [
      id,
      seed,
      x.column.values[i] ?? "",
      y.column.values[i] ?? "",
      by?.column.values[i] ?? "",
      Number(hasCollapsed[i]),
    ];
  });
  return {
    table,
    longCsv: toCsvText([["run", "seed", axes.x, axes.y, axes.by ?? "", "collapsed"], ...lines]),
    columns,
    taken: { x: x.column.key, y: y.column.key, by: by?.column.key ?? null },
    study,
    runs: listed,
    mixed,
    leftOut,
  };
}

export function listVaried({ parameters, runs }: Pick<RunStudy, "parameters" | "runs">): VariedColumn[] {
  return parameters.flatMap((field, i): VariedColumn[] => {
    const values = toColumnValues(runs.map((run) => run.values[i]));
    const column = { key: field.key, title: field.title, values };
    const axis = toPhaseAxis(column);
    if (!axis || !isFewLevels(axis)) return [];
    return [{ column, numLevels: axis.levels.length, isNumeric: axis.coordinates !== undefined }];
  });
}

function findMixed(study: PhaseStudy | null, columns: readonly Column[]): string[] {
  const cells = study?.diagrams.flatMap((diagram) => diagram.cells) ?? [];
  return columns
    .filter(({ values }) => cells.some(({ runs }) => new Set(runs.map((run) => values[run])).size > 1))
    .map(({ title }) => title);
}
