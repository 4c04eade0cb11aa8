import { isCollapse } from "#packages/detector";
import { toCsvText } from "#packages/tables";
import type { Answered, Answering } from "../answer.ts";
import type { Parts } from "../facts.ts";
import { type Column, toColumnValues } from "../hyperparameters/column.ts";
import { isFewLevels, toPhaseAxis } from "./axis.ts";
import { chooseColumns, type VariedColumn } from "./chooseColumns.ts";
import { type PhaseStudy, studyPhases } from "./diagram.ts";
import { summarisePhases, toPhasesTable } from "./phasesTable.ts";

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
};

export const phases = {
  answer({ parameters, runs: counted }, choice) {
    const labelOf = new Map(counted.map(({ run, detection }) => [run.id, detection?.hindsight?.label]));
    const { runs } = parameters;
    const hasCollapsed = runs.map(({ id }) => {
      const label = labelOf.get(id);
      return label === undefined || label.kind === "notJudged" ? null : isCollapse(label);
    });
    const varied = listVaried(parameters);
    const shown = {
      columns: varied.map(({ column: { key, title }, ...rest }) => ({ key, title, ...rest })),
      runs: runs.map(({ id, cellId, seed }) => ({ id, cellId, seed })),
    };
    const taken = chooseColumns(varied, choice);
    if (!taken) return { ...shown, taken: null, study: null, mixed: [], table: toPhasesTable(null, []), longCsv: "" };
    const { x, y, by } = taken;
    const study = studyPhases({ x: x.column, y: y.column, ...(by && { by: by.column }), hasCollapsed }) ?? null;
    const axes = { x: x.column.key, y: y.column.key, ...(by && { by: by.column.key }) };
    const lines = runs.map(({ id, seed }, i) => {
      const values = [x, y, by].map((one) => one?.column.values[i] ?? "");
      return [id, seed, ...values, Number(hasCollapsed[i])];
    });
    return {
      ...shown,
      taken: { ...axes, by: by?.column.key ?? null },
      study,
      mixed: findMixed(
        study,
        varied.map(({ column }) => column),
      ),
      sentence: summarisePhases(study),
      table: toPhasesTable(study, runs),
      longCsv: toCsvText([["run", "seed", axes.x, axes.y, axes.by ?? "", "collapsed"], ...lines]),
      proved: axes,
    };
  },
} satisfies Answering<"phases", Answered & PhasesAnswer>;

export function listVaried({ fields, runs }: Parts["parameters"]): VariedColumn[] {
  return fields.flatMap((field, i): VariedColumn[] => {
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
