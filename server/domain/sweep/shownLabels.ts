/** Labels of cells that are shown together, each without what all of them share; a cell alone keeps what tells it from its sweep. */
export function labelsThatDiffer(labels: readonly string[]): string[] {
  const parts = labels.map(partsOf);
  const isShared = (part: string) => labels.length > 1 && parts.every((others) => others.includes(part));
  return parts.map((own) => own.filter((part) => !isShared(part)).join(", "));
}

export type LabelColumns = {
  /** Settings that vary, in the order of the labels. */
  names: readonly string[];
  /** By label: the value of each setting, and what of the label is none. */
  rows: readonly { values: readonly string[]; rest: string }[];
};

/** Labels of cells that are shown together as columns of settings; undefined where fewer than two settings vary. */
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

/** "weight decay 0.1" as its setting and value: the last word, where it is a number, "off" or stands behind a single word. */
function splitPart(part: string): { name: string; value: string } {
  const [, name, value] = /^(.+) (\S+)$/.exec(part) ?? [];
  if (name === undefined || value === undefined || name === "trial") return { name: part, value: "" };
  const isValue = /^[\d.+-]/.test(value) || value === "off" || !name.includes(" ");
  return isValue ? { name, value } : { name: part, value: "" };
}
