import { formatField, normaliseText, parseValues } from "#app/_components/setting/texts.ts";
import { AppError, formatIssue, readAt } from "#packages/base";
import { type BranchRequest, type OriginRun, planBranches } from "#server/domain/plan/sweep/branchPlan.ts";
import type { Changes } from "#server/domain/plan/sweep/changes.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import {
  environmentFields,
  type Hyperparameter,
  hyperparameters,
} from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { spendingOf } from "#trainer/spec/budget.ts";

type Spec = OriginRun["spec"];

/** Field of the branch form: a setting of the builder, with the run's value as text. */
export type BranchField = { field: Hyperparameter; own: string };

/** Settings that the form shows at first; all others are offered in a menu. */
export const usualFields: readonly string[] = [
  "budget.iterations",
  "optimizer.learningRate",
  "update.minibatchRows",
  "update.epochs",
  "update.klCoef",
  "update.entropyCoef",
  "rollout.groupSize",
  "method.clipping.low",
  "method.clipping.high",
];

/** Lists the settings that the run has and a branch may change: not its start, and not the policy's form. */
export function listBranchFields(spec: Spec): BranchField[] {
  const general = hyperparameters().filter(({ path }) => !/^(initialisation|policy|environment)\./.test(path));
  const rankOf = ({ path }: Hyperparameter) =>
    usualFields.includes(path) ? usualFields.indexOf(path) : general.length;
  const sorted = general.toSorted((a, b) => rankOf(a) - rankOf(b));
  return [...sorted, ...environmentFields(spec.environment.id)].flatMap((field) => {
    const value = readAt(spec, field.path);
    return value === undefined || field.path.endsWith(".kind") ? [] : [{ field, own: formatField(value, field) }];
  });
}

export type BranchForm = Pick<BranchRequest, "kind"> & {
  iteration: string;
  continuations: string;
  /** Texts by setting path; a setting whose text means the run's value is unchanged. */
  texts: Readonly<Record<string, string>>;
};

export type ExaminedBranch = {
  /** Size of the started sweep; undefined while a field has an error. */
  size: { numRuns: number; numIterations: number } | undefined;
  request: BranchRequest & { changes: Changes };
  /** Messages by setting path, `iteration` or `continuations`. */
  problems: Readonly<Record<string, string>>;
  /** Messages of no field. */
  others: readonly string[];
};

/** Checks the form as the launch does, except for what other trainers refuse. */
export function examineBranch(origin: OriginRun, form: BranchForm, range: readonly [number, number]): ExaminedBranch {
  const fields = listBranchFields(origin.spec);
  const changed = fields.flatMap(({ field, own }) => {
    const text = form.texts[field.path];
    return text === undefined || normaliseText(text, field) === own ? [] : [{ field, ...readText(text, field) }];
  });
  const request = {
    kind: form.kind,
    iteration: Number(form.iteration),
    continuations: Number(form.continuations),
    changes: Object.fromEntries(changed.map(({ field, values }) => [field.path, values])),
  };
  const problems: Record<string, string> = {};
  for (const { field, problem } of changed) if (problem !== undefined) problems[field.path] = problem;
  const [from, to] = range;
  if (!isWhole(form.iteration, range)) problems["iteration"] = `must be a whole number from ${from} to ${to}`;
  if (!isWhole(form.continuations, [1, 1000])) problems["continuations"] = "must be a whole number from 1 to 1,000";
  if (Object.keys(problems).length > 0) return { size: undefined, request, problems, others: [] };
  try {
    const { cells, runs } = expandPlan(planBranches(origin, request));
    const done = form.kind === "branch" ? request.iteration : 0;
    const numIterations = runs.reduce((sum, { cellIndex }) => {
      const spec = cells[cellIndex]?.spec;
      return sum + (spec ? Math.max(0, spendingOf(spec).iterations - done) : 0);
    }, 0);
    return { size: { numRuns: runs.length, numIterations }, request, problems, others: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { size: undefined, request, ...assign(error, fields) };
  }
}

function readText(text: string, field: Hyperparameter) {
  const { values, problem } = parseValues(text, field);
  return { values, problem: problem ?? (values.length === 0 ? "needs a value" : undefined) };
}

function isWhole(text: string, [from, to]: readonly [number, number]): boolean {
  return /^\d{1,7}$/.test(text) && Number(text) >= from && Number(text) <= to;
}

/** Assigns each issue of a refused plan to its setting. */
function assign({ issues, message }: AppError, fields: readonly BranchField[]) {
  const problems: Record<string, string> = {};
  const others: string[] = issues.length === 0 ? [message] : [];
  for (const issue of issues) {
    const path = issue.path.replace(/^methods\[0\]\./, "method.").replace(/^environments\[0\]\./, "environment.");
    const field = fields.find((one) => path === one.field.path || path.endsWith(`.${one.field.path}`));
    if (field) problems[field.field.path] = issue.message;
    else others.push(formatIssue(issue));
  }
  return { problems, others };
}
