import type { z } from "zod";
import { methodOf } from "#trainer/spec/method.ts";
import { badInput, type InputIssue } from "#packages/base";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";
import { explainIssue, formatPath } from "#server/domain/plan/sweep/problems.ts";
import { checkObjective, type CheckedFile } from "./objectiveChecks.ts";
import { ObjectiveFile } from "./objectiveFile.ts";

const maxIssues = 20;

/** Parses a file into a batch; errors name field, value and limit, one per line. */
export function parseObjective(text: string): CheckedFile {
  const parsed = ObjectiveFile.safeParse(parseJson(text), { reportInput: true });
  if (!parsed.success) throw tooMany(parsed.error.issues.flatMap(explain));
  const file = parsed.data;
  const method = typeof file.method === "string" ? methodOf(file.method) : file.method;
  const issues = checkObjective({ ...file, method });
  if (issues.length > 0) throw tooMany(issues);
  return { ...file, method };
}

function explain(issue: z.core.$ZodIssue): InputIssue[] {
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    const known = Object.keys(ObjectiveFile.shape);
    return issue.keys.map((key) => {
      const close = closeMatches(key, known);
      const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `the keys are ${known.join(", ")}`;
      return { path: key, message: `unknown key; ${hint}` };
    });
  }
  return explainIssue(issue).map(({ path, message }) => ({ path: formatPath(path), message }));
}

function tooMany(issues: readonly InputIssue[]): Error {
  const rest = issues.length - maxIssues;
  const more = { path: "", message: `… and ${rest} more problems` };
  return badInput(rest > 0 ? [...issues.slice(0, maxIssues), more] : issues);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw badInput([{ path: "", message: `the file is not JSON: ${message} (JSON knows no NaN and no Infinity)` }]);
  }
}
