import { readOutcome } from "#packages/detector";
import type { Field } from "#server/domain/runs/table/field.ts";
import { noValue, scaleOf, toColumnValues, type Column, type Scale } from "./column.ts";
import { chooseParameters } from "./parameters.ts";

/** Values of runs are in the order of `parameters`, then `outcomes`. */
type StoredRuns = {
  parameters: readonly Field[];
  outcomes: readonly Field[];
  runs: readonly (Omit<StudiedRun, "hindsight" | "startedMs"> & { values: readonly StoredValue[] })[];
};
type StoredValue = string | number | Date | string[] | null;

/** Column with the scale and field type for axes of figures. */
export type StudyColumn = Column & { scale: Scale; field: Pick<Field, "type" | "group"> };

export type StudiedRun = {
  id: string;
  sweepId: string;
  cellId: number;
  method: string;
  label: string;
  seed: number;
  hindsight: string | null;
  /** Start of the run in Unix milliseconds; null if it has not started. */
  startedMs: number | null;
};

export type Study = {
  runs: StudiedRun[];
  /** Hyperparameters with separable effects, in the order of the figures' axes. */
  parameters: StudyColumn[];
  /** Hyperparameters, without `method` if its dimensions are the factors. */
  candidates: StudyColumn[];
  /** Hyperparameters and numeric outcomes, for figures of any two. */
  columns: StudyColumn[];
  outcome: StudyColumn;
};

/** The method is one factor, or its four dimensions are factors. */
export const methodForms = ["method", "dimensions"] as const;
export type MethodForm = (typeof methodForms)[number];

/** Yes-or-no outcomes (1 or 0) that are not columns of the table of runs. */
export const yesOrNo = {
  collapsed: "Collapsed",
  healthy: "Stayed healthy",
} as const;
type YesOrNo = keyof typeof yesOrNo;

export function isYesOrNo(key: string): key is YesOrNo {
  return key in yesOrNo;
}

/** `outcome`: column key such as `final.evaluation/successRate`; empty means the default. */
export type Choice = { outcome: string; form: MethodForm };

export function prepareStudy({ parameters, outcomes, runs }: StoredRuns, { outcome, form }: Choice): Study {
  const at = (field: Field) => [...parameters, ...outcomes].indexOf(field);
  const find = (key: string) => outcomes.find((field) => field.key === key);
  const [hindsight, started] = ["hindsight", "started"].map(find);
  const valueOf = (values: readonly StoredValue[], field: Field | undefined) =>
    field ? (values[at(field)] ?? null) : null;
  const toColumn = (field: Field): StudyColumn => {
    const values = toColumnValues(runs.map((run) => valueOf(run.values, field)));
    return { key: field.key, title: field.title, field, values, scale: scaleOf(values) };
  };
  const studied = runs.map(({ values, ...run }): StudiedRun => {
    const [state, start] = [valueOf(values, hindsight), valueOf(values, started)];
    const startedMs = start instanceof Date ? start.getTime() : null;
    return { ...run, hindsight: typeof state === "string" ? (readOutcome(state)?.word ?? state) : null, startedMs };
  });
  const columns = parameters.map(toColumn);
  const candidates = columns.filter(({ key }) => form === "method" || key !== "method");
  const keys = new Set(chooseParameters(candidates).parameters.map(({ key }) => key));
  const [first] = outcomes;
  const asked = find(outcome) ?? (first?.group === "Metric" ? first : undefined);
  return {
    runs: studied,
    parameters: columns.filter(({ key }) => keys.has(key)),
    candidates,
    columns: [...columns, ...outcomes.filter(({ type }) => type === "number").map(toColumn)],
    outcome:
      isYesOrNo(outcome) || !asked ? judge(studied, isYesOrNo(outcome) ? outcome : "collapsed") : toColumn(asked),
  };
}

/** True if settings vary other than the method, and those of the method that each method determines. */
export function hasHyperparameter(study: StoredRuns): boolean {
  const { parameters } = prepareStudy(study, { outcome: "", form: "method" });
  const own = study.parameters.filter(({ key }) => key !== "method" && !key.startsWith("method."));
  return own.length > 0 || parameters.some(({ key }) => key !== "method");
}

/** Replaces 1 and 0 in a yes-or-no column by words, for figures. */
export function inWords(column: StudyColumn): StudyColumn {
  if (!isYesOrNo(column.key)) return column;
  const words = ["no", "yes"];
  const values = column.values.map((value) => (value === null ? null : (words[Number(value)] ?? null)));
  return { ...column, values, scale: { kind: "named", levels: values.includes(null) ? [...words, noValue] : words } };
}

function judge(runs: readonly StudiedRun[], key: YesOrNo): StudyColumn {
  const values = runs.map(({ hindsight }) => {
    if (hindsight === null || hindsight.startsWith("not judged")) return null;
    return hindsight.startsWith(key) ? 1 : 0;
  });
  return { key, title: yesOrNo[key], field: { type: "number", group: "Metric" }, values, scale: scaleOf(values) };
}
