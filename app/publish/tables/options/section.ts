import type { BuiltTable } from "#server/api/publish/builtTables.ts";
import type {
  FullOptions,
  FullWording,
  TableOptions,
  TableWording,
} from "#server/domain/publish/tables/builder/options.ts";
import type { Option } from "#app/_ui/Choice.tsx";

export type SectionProps = {
  options: FullOptions;
  wording: FullWording;
  /** Rows, environments and metrics from which the user can choose; undefined while loading. */
  choices: BuiltTable["choices"] | undefined;
  /** Applies a change of the table's options that is computed from the current ones. */
  update: (change: (now: FullOptions) => TableOptions) => void;
  set: (change: TableOptions) => void;
  word: (change: TableWording) => void;
  /** Sets the number of decimals in the table; undefined: the default of each metric. */
  setDecimals: (decimals: number | undefined) => void;
};

/** Returns the visible rows as options, after "None". The chosen row is included even if hidden, to be deselected. */
export function rowChoices({ options, choices }: SectionProps, chosen = ""): readonly Option<string>[] {
  const shown = (choices?.rows ?? []).filter((row) => !options.without.includes(row));
  const all = chosen === "" || shown.includes(chosen) ? shown : [...shown, chosen];
  return [{ value: "", label: "None" }, ...all.map((value) => ({ value, label: value }))];
}

export function toggleName(names: readonly string[], name: string): string[] {
  return names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
}
