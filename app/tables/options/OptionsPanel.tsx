"use client";
import type { BuiltTable } from "#server/api/reports/builtTables.ts";
import { fillOptions, fillWording, type TableOptions } from "#server/domain/tables/builder/options.ts";
import type { Asked, Change } from "../address.ts";
import { BaselineOptions } from "./BaselineOptions.tsx";
import { ColumnOptions } from "./ColumnOptions.tsx";
import { NumberOptions } from "./NumberOptions.tsx";
import { RowOptions } from "./RowOptions.tsx";
import { TextOptions } from "./TextOptions.tsx";
import type { SectionProps } from "./section.ts";

type Props = {
  asked: Asked;
  /** Default metrics. */
  metrics: readonly string[];
  choices: BuiltTable["choices"] | undefined;
  /** Default baseline row. */
  baseline: string;
  onChange: (change: Change) => void;
};

/** Every option of a table, section by section; changes apply at once. */
export function OptionsPanel({ asked, metrics, choices, baseline, onChange }: Props) {
  const fill = (given: TableOptions) => fillOptions({ metrics: [...metrics], ...given });
  const section: SectionProps = {
    options: fill(asked.options),
    wording: fillWording(asked.wording),
    choices,
    update: (change) => onChange((now) => ({ ...now, options: { ...now.options, ...change(fill(now.options)) } })),
    set: (change) => section.update(() => change),
    word: (change) => onChange((now) => ({ ...now, wording: { ...now.wording, ...change } })),
    setDecimals: (decimals) =>
      onChange((now) => {
        const { decimals: _, ...rest } = now.wording;
        return { ...now, wording: decimals === undefined ? rest : { ...rest, decimals } };
      }),
  };
  return (
    <form aria-label="Options of the table" className="min-w-0 space-y-3" onSubmit={(event) => event.preventDefault()}>
      <ColumnOptions {...section} />
      <NumberOptions {...section} />
      <BaselineOptions {...section} baseline={baseline} />
      <RowOptions {...section} />
      <TextOptions {...section} />
    </form>
  );
}
