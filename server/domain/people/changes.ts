/** Input fields by which the log of changes identifies a target; other fields, long or secret, are not logged. */
const naming = /^(?:ids?|sweepIds?|runIds?|cellId|reportId|name|title|channel|study)$/;
const maxNamed = 5;
const maxCharacters = 200;

/**
 * Describes the target of a logged change from the procedure's input, such as `runIds=a, b, c, d, e and 40 more`. The
 * id of what the change made, such as a launched sweep, stands first, unless the input has an id.
 */
export function subjectOf(input: unknown, made?: unknown): string {
  const parts = nameParts(input);
  const isNamed = parts.some((part) => /^(?:id|run|sweep)[A-Za-z]*=/.test(part));
  return clip([...(isNamed ? [] : nameParts(made).filter((part) => part.startsWith("id="))), ...parts].join("; "));
}

function nameParts(fields: unknown): string[] {
  if (typeof fields !== "object" || fields === null) return [];
  return Object.entries(fields).flatMap(([key, value]) => (naming.test(key) ? (nameAll(key, value) ?? []) : []));
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
