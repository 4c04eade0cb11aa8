import { formatIssue, type InputIssue } from "#server/domain/errors.ts";
import { dimensionTexts } from "#server/domain/sweep/dimensionTexts.ts";
import { fieldAt } from "../draft/fields.ts";
import type { FieldIssue } from "../draft/levels.ts";
import { optionalPartAt } from "../draft/optionalParts.ts";

/** Problems as lines, each once: two fields may have the same to say. */
export function listProblems(issues: readonly FieldIssue[]): string[] {
  return [...new Set(issues.map(describeIssue))];
}

/** The problems of a sweep file as lines without repetition: the YAML parser reports a key that stands three times twice. */
export function listFileProblems(issues: readonly InputIssue[]): string[] {
  return [...new Set(issues.map(formatIssue))];
}

/** A problem as one line, with the title of the field as the form shows it: "Learning rate: is 2, at most 1". */
function describeIssue({ field, message }: FieldIssue): string {
  if (field === "methods" && message.startsWith("has 0")) return "Choose a method, or tick levels of the dimensions.";
  const title = titleOf(field);
  return title === "" ? capitalise(message) : `${title}: ${message}`;
}

function titleOf(field: string): string {
  const [section = "", key = "", ...rest] = field.split(".");
  if (section === "values") {
    const path = field.slice("values.".length);
    return fieldAt(path)?.title ?? optionalPartAt(path).title;
  }
  if (section === "environments") return fieldAt(`environment.${rest.join(".")}`)?.title ?? "Environment";
  if (section === "grid") {
    const dimension = dimensionTexts.find(({ id }) => id === key)?.title ?? key;
    const parameter = fieldAt(`method.${key}.${rest.slice(1).join(".")}`)?.title;
    return parameter ? `${dimension}, ${parameter}` : dimension;
  }
  return capitalise(section);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
