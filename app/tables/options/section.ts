import type { BuiltTable } from "#server/api/reports/builtTables.ts";
import type { FullOptions, FullWording, TableOptions, TableWording } from "#server/domain/tables/builder/options.ts";
import type { Option } from "#app/_ui/Choice.tsx";

/** What every section of the options reads and writes. */
export type SectionProps = {
  options: FullOptions;
  wording: FullWording;
  /** Rows, environments and metrics of the sweeps, once they are known. */
  choices: BuiltTable["choices"] | undefined;
  /** A change that depends on the options as they are when it is made. */
  update: (change: (now: FullOptions) => TableOptions) => void;
  set: (change: TableOptions) => void;
  word: (change: TableWording) => void;
  /** Undefined: as many as each metric has by itself. */
  setDecimals: (decimals: number | undefined) => void;
};

/** Rows that are shown, as options, with one in front for none of them. What an old link chose stays among them: it could not be unchosen otherwise. */
export function rowChoices({ options, choices }: SectionProps, chosen = ""): readonly Option<string>[] {
  const shown = (choices?.rows ?? []).filter((row) => !options.without.includes(row));
  const all = chosen === "" || shown.includes(chosen) ? shown : [...shown, chosen];
  return [{ value: "", label: "None" }, ...all.map((value) => ({ value, label: value }))];
}

/** The names without this one, or with it if it was missing. */
export function toggleName(names: readonly string[], name: string): string[] {
  return names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
}
