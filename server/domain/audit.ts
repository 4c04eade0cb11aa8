/** Fields of an input that say what a change is about; everything else may be long, or secret. */
const naming = [
  "id",
  "ids",
  "sweepId",
  "sweepIds",
  "runId",
  "runIds",
  "cellId",
  "reportId",
  "name",
  "title",
  "channel",
];
const mostNamed = 5;
const mostCharacters = 200;

/** What a change is about, from its input: `id=night-x2f`, `runIds=a, b, c and 40 more`. */
export function subjectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const parts = Object.entries(input).flatMap(([key, value]) =>
    naming.includes(key) ? (nameAll(key, value) ?? []) : [],
  );
  return clip(parts.join("; "));
}

function nameAll(key: string, value: unknown): string | undefined {
  const values = [value].flat().filter((one) => typeof one === "string" || typeof one === "number");
  if (values.length === 0) return undefined;
  const rest = values.length - mostNamed;
  return `${key}=${values.slice(0, mostNamed).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** A line that a log of changes has room for. */
export function clip(text: string): string {
  if (text.length <= mostCharacters) return text;
  // A cut may part a surrogate pair, and half of one cannot be stored.
  return `${text.slice(0, mostCharacters - 1).replace(/\p{Surrogate}$/u, "")}…`;
}
