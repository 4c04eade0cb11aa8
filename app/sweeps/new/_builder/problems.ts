import { formatIssue, type InputIssue, formatCount } from "#packages/base";
import { dimensionTexts } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import type { FieldIssue } from "./draft/check.ts";
import { fieldOf } from "./draft/fieldOf.ts";
import { isOptionalPart, optionalPartAt } from "./draft/fields.ts";
import type { PolicyKind } from "./draft/policy.ts";
import { sectionOf, type SectionId } from "./sections.ts";

/** `text`: title of the invalid field, or the whole message if no field shows it (`section`). */
export type Problem = { text: string; section: SectionId | undefined };

/** Lists the form's problems without duplicates, because two fields may report the same problem. */
export function listProblems(issues: readonly FieldIssue[], policy: PolicyKind = "builtIn"): Problem[] {
  const problems = issues.map((issue): Problem => {
    const section = sectionOf(issue.field, policy);
    return { section, text: section === undefined ? describeIssue(issue) : titleOf(issue.field) };
  });
  return [...new Map(problems.map((problem) => [problem.text, problem])).values()];
}

/** Counts problems that are marked at the file's lines; lists problems reported by trainers in full. */
export function countFileProblems(inFile: readonly InputIssue[], refused: readonly FieldIssue[]): Problem[] {
  const numInFile = listFileProblems(inFile).length;
  const texts = [
    ...(numInFile > 0 ? [`${formatCount(numInFile, "problem")} in the YAML text, listed above the text`] : []),
    ...new Set(refused.map(describeIssue)),
  ];
  return texts.map((text) => ({ text, section: undefined }));
}

/** Lists problems without duplicates: if a key occurs three times, the YAML parser reports one problem twice. */
export function listFileProblems(issues: readonly InputIssue[]): string[] {
  return [...new Set(issues.map(formatIssue))];
}

/** Formats a problem as one line that begins with the field's title: "Learning rate: is 2, must be at most 1". */
function describeIssue({ field, message }: FieldIssue): string {
  const title = titleOf(field);
  return title === "" ? capitalise(message) : `${title}: ${message}`;
}

function titleOf(path: string): string {
  const [first = "", second = "", third = ""] = path.split(".");
  const field = fieldOf(path)?.title;
  if (path.startsWith("base.evaluation.elsewhere")) return "Evaluate elsewhere";
  if (path === "base.trainer") return "Trainer";
  if (isOptionalPart(path)) return optionalPartAt(path).title;
  if (first === "search") return `Hyperparameter search: ${field?.toLowerCase() ?? second}`;
  if (first === "environments" && third !== "")
    return field ?? (/^(parts|phases)$/.test(third) ? "Mixture or curriculum" : path);
  if (first === "grid") {
    const dimension = dimensionTexts.find(({ id }) => id === second)?.title ?? capitalise(second);
    return field === undefined ? dimension : `${dimension}, ${field}`;
  }
  return field ?? (second === "" ? capitalise(first) : path);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
