import type { Database } from "#server/db/client.ts";
import { toColumnValues, type Column } from "#server/domain/importance/column.ts";
import { isFewLevels, toPhaseAxis } from "#server/domain/phase/axis.ts";
import { studyPhases, type PhaseStudy } from "#server/domain/phase/diagram.ts";
import { isCollapse } from "#server/domain/stability/label/label.ts";
import { readRunStudy } from "./runStudy.ts";
import { readWatchedRuns } from "./studyRuns.ts";

/** A column that may be an axis, or divide runs into diagrams. */
export type PhaseColumn = { key: string; title: string; numLevels: number; isNumeric: boolean };

export type PhasesAnswer = {
  columns: readonly PhaseColumn[];
  /** Keys of the columns that were taken. */
  taken: { x: string; y: string; by: string | null } | null;
  /** Null where fewer than two columns vary. */
  study: PhaseStudy | null;
  /** In the order of the study's indices. */
  runs: readonly { id: string; cellId: number; seed: number }[];
  /** Titles of columns that vary within a cell of a diagram, whose effects are in its rate. */
  mixed: readonly string[];
};

/** What was asked for; what is absent or does not vary is chosen. `by` "none": one diagram. */
export type PhaseChoice = { x?: string | undefined; y?: string | undefined; by?: string | undefined };

/** How often runs collapsed over two of their settings, by hindsight. */
export async function readPhases(
  database: Database,
  sweepIds: readonly string[],
  choice: PhaseChoice,
): Promise<PhasesAnswer> {
  const [{ parameters, runs }, watched] = await Promise.all([
    readRunStudy(database, { scope: { sweepIds: [...sweepIds] }, columns: [] }),
    readWatchedRuns(database, sweepIds),
  ]);
  const labelOf = new Map(watched.map(({ run, detection }) => [run.id, detection?.hindsight?.label]));
  const hasCollapsed = runs.map(({ id }) => {
    const label = labelOf.get(id);
    return label === undefined ? null : isCollapse(label);
  });
  const varied = parameters.flatMap((field, i): Varied[] => {
    const values = toColumnValues(runs.map((run) => run.values[i]));
    const column = { key: field.key, title: field.title, values };
    const axis = toPhaseAxis(column);
    if (!axis || !isFewLevels(axis)) return [];
    return [{ column, numLevels: axis.levels.length, isNumeric: axis.coordinates !== undefined }];
  });
  const taken = chooseColumns(varied, choice);
  const columns = varied.map(({ column: { key, title }, ...rest }) => ({ key, title, ...rest }));
  const listed = runs.map(({ id, cellId, seed }) => ({ id, cellId, seed }));
  if (!taken) return { columns, taken: null, study: null, runs: listed, mixed: [] };
  const { x, y, by } = taken;
  const study = studyPhases({ x: x.column, y: y.column, ...(by && { by: by.column }), hasCollapsed }) ?? null;
  const mixed = findMixed(
    study,
    varied.map(({ column }) => column),
  );
  return {
    columns,
    taken: { x: x.column.key, y: y.column.key, by: by?.column.key ?? null },
    study,
    runs: listed,
    mixed,
  };
}

type Varied = { column: Column; numLevels: number; isNumeric: boolean };

/** Numbers with the most values first; diagrams by method, unless that is an axis. */
function chooseColumns(
  varied: readonly Varied[],
  choice: PhaseChoice,
): { x: Varied; y: Varied; by: Varied | undefined } | undefined {
  const ranked = varied.toSorted(
    (a, b) =>
      Number(b.isNumeric) - Number(a.isNumeric) || Number(isName(a)) - Number(isName(b)) || b.numLevels - a.numLevels,
  );
  const find = (key: string | undefined) => varied.find(({ column }) => column.key === key);
  const x = find(choice.x) ?? ranked.find(({ column }) => column.key !== choice.y);
  const asked = find(choice.y);
  const y = asked && asked !== x ? asked : ranked.find((one) => one !== x);
  if (!x || !y) return undefined;
  const free = varied.filter((one) => one !== x && one !== y);
  const by =
    choice.by === "none" ? undefined : (free.find(({ column }) => column.key === choice.by) ?? free.find(isName));
  return { x, y, by };
}

/** Names of things that a person compares rather than sets. */
function isName({ column: { key } }: Varied): boolean {
  return key === "method" || key === "environment";
}

function findMixed(study: PhaseStudy | null, columns: readonly Column[]): string[] {
  const cells = study?.diagrams.flatMap((diagram) => diagram.cells) ?? [];
  return columns
    .filter(({ values }) => cells.some(({ runs }) => new Set(runs.map((run) => values[run])).size > 1))
    .map(({ title }) => title);
}
