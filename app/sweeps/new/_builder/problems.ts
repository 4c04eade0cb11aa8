import { formatIssue, type InputIssue, formatCount } from "#packages/base";
import { dimensionTexts } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { correctionFieldAt } from "./draft/correctionDraft.ts";
import type { PolicyKind } from "./draft/draft.ts";
import { fieldAt, optionalPartAt } from "./draft/fields.ts";
import type { FieldIssue } from "./draft/levels.ts";
import { planFieldAt } from "./draft/searchDraft.ts";
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
export function countFileProblems(numInFile: number, refused: readonly FieldIssue[]): Problem[] {
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

function titleOf(field: string): string {
  const [section = "", key = "", ...rest] = field.split(".");
  if (section === "values") {
    const path = field.slice("values.".length);
    return fieldAt(path)?.title ?? optionalPartAt(path).title;
  }
  if (section === "search") return `Hyperparameter search: ${planFieldAt(field)?.title.toLowerCase() ?? key}`;
  if (section === "stopping" || section === "rescue" || section === "placement")
    return planFieldAt(field)?.title ?? capitalise(section);
  if (section === "elsewhere") return "Evaluate elsewhere";
  if (section === "environments" && rest[0] === "parts") {
    return fieldAt(`environment.${rest.slice(2).join(".")}`)?.title ?? "Mixture or curriculum";
  }
  if (section === "environments") return fieldAt(`environment.${rest.join(".")}`)?.title ?? "Environment";
  if (section === "grid") {
    if (key === "correction") {
      const parameter = correctionFieldAt(rest.slice(1).join("."))?.title;
      return parameter ? `Correction, ${parameter}` : "Correction";
    }
    const dimension = dimensionTexts.find(({ id }) => id === key)?.title ?? key;
    const parameter = fieldAt(`method.${key}.${rest.slice(1).join(".")}`)?.title;
    return parameter ? `${dimension}, ${parameter}` : dimension;
  }
  return capitalise(section);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
