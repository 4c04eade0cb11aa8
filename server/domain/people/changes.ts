/** Input fields by which the log of changes identifies a target; other fields, long or secret, are not logged. */
const naming = /^(?:ids?|sweepIds?|runIds?|cellId|reportId|name|title|channel|study)$/;
const maxNamed = 5;
const maxCharacters = 200;

/** Describes the target of a logged change from the procedure's input, such as `runIds=a, b, c, d, e and 40 more`. */
export function subjectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const parts = Object.entries(input).flatMap(([key, value]) => (naming.test(key) ? (nameAll(key, value) ?? []) : []));
  return clip(parts.join("; "));
}

function nameAll(key: string, value: unknown): string | undefined {
  const values = [value].flat().filter((one) => typeof one === "string" || typeof one === "number");
  if (values.length === 0) return undefined;
  const rest = values.length - maxNamed;
  return `${key}=${values.slice(0, maxNamed).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Shortens a text to the maximum length of a line in the log of changes. */
export function clip(text: string): string {
  if (text.length <= maxCharacters) return text;
  // The cut may split a surrogate pair, and an unpaired surrogate cannot be stored.
  return `${text.slice(0, maxCharacters - 1).replace(/\p{Surrogate}$/u, "")}…`;
}
