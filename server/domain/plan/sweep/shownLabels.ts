/** Labels without the parts common to all of them; a single cell keeps its label. */
export function labelsThatDiffer(labels: readonly string[]): string[] {
  const parts = labels.map(partsOf);
  const isShared = (part: string) => labels.length > 1 && parts.every((others) => others.includes(part));
  return parts.map((own) => own.filter((part) => !isShared(part)).join(", "));
}

export type LabelColumns = {
  /** Varying settings, in the order of the labels. */
  names: readonly string[];
  /** By label: the value of each setting, and the rest of the label. */
  rows: readonly { values: readonly string[]; rest: string }[];
};

/** Splits labels into columns of settings; undefined if fewer than two settings vary. */
export function labelColumns(labels: readonly string[]): LabelColumns | undefined {
  const settings = labelsThatDiffer(labels).map((label) => partsOf(label).map(splitPart));
  const names = [...new Set(settings.flat().flatMap(({ name, value }) => (value === "" ? [] : [name])))];
  if (names.length < 2) return undefined;
  const rows = settings.map((own) => ({
    values: names.map((name) => own.find((one) => one.name === name)?.value ?? ""),
    rest: own
      .filter(({ value }) => value === "")
      .map(({ name }) => name)
      .join(", "),
  }));
  return { names, rows };
}

function partsOf(label: string): string[] {
  return label === "" ? [] : label.split(", ");
}

/**
 * Splits "weight decay 0.1" into setting and value: the value is the last word if it is a number, "off", or follows a
 * single word.
 */
function splitPart(part: string): { name: string; value: string } {
  const [, name, value] = /^(.+) (\S+)$/.exec(part) ?? [];
  if (name === undefined || value === undefined || name === "trial") return { name: part, value: "" };
  const isValue = /^[\d.+-]/.test(value) || value === "off" || !name.includes(" ");
  return isValue ? { name, value } : { name: part, value: "" };
}
