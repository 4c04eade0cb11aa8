"use client";

import { useState } from "react";
import { Field } from "#app/_ui/Field.tsx";
import { Checkbox, Input, TextArea } from "#app/_ui/Input.tsx";
import type { BuiltTable } from "#server/api/publish/builtTables.ts";
import { fillOptions, fillWording, maxOf, type TableOptions } from "#server/domain/publish/tables/builder/options.ts";
import type { Asked, Change } from "../address.ts";
import { ColumnOptions } from "./ColumnOptions.tsx";
import { rowChoices, type SectionProps, toggleName } from "./section.ts";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { Kept, Section } from "./Kept.tsx";

type Props = {
  asked: Asked;
  metrics: readonly string[];
  choices: BuiltTable["choices"] | undefined;
  /** Name of the table's default baseline row. */
  baseline: string;
  onChange: (change: Change) => void;
};

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

function RowOptions(section: SectionProps) {
  const { options, wording, choices, update, set, word } = section;
  return (
    <Section title="Rows">
      <ChoiceField
        label="Grouped by"
        options={choices?.groups ?? []}
        value={options.group}
        onChange={(group) => set({ group })}
      />
      <Kept
        title="Shown"
        all={choices?.rows ?? []}
        without={options.without}
        onToggle={(name) => update((now) => ({ without: toggleName(now.without, name) }))}
      />
      <ChoiceField
        label="Highlighted row (ours)"
        options={rowChoices(section, wording.ours)}
        value={wording.ours}
        onChange={(ours) => word({ ours })}
      />
    </Section>
  );
}

const rules = [
  { value: "final", label: "Mean over the final window" },
  { value: "best", label: "Best value (biased upwards)" },
  { value: "last", label: "Last value" },
] as const;
const intervals = [
  { value: "t", label: "[95 % CI (t)]" },
  { value: "bootstrap", label: "[95 % bootstrap interval]" },
  { value: "std", label: "± sd (standard deviation)" },
  { value: "sem", label: "± standard error" },
  { value: "none", label: "Mean only" },
] as const;
const decimals = [
  { value: "", label: "By metric" },
  ...["0", "1", "2", "3", "4"].map((value) => ({ value, label: value })),
];

function NumberOptions({ options, wording, set, word, setDecimals }: SectionProps) {
  return (
    <Section title="Numbers">
      <ChoiceField label="Result of a run" options={rules} value={options.rule} onChange={(rule) => set({ rule })} />
      <ChoiceField
        label="Spread"
        options={intervals}
        value={options.interval}
        onChange={(interval) => set({ interval })}
      />
      <ChoiceField
        label="Decimals"
        options={decimals}
        value={String(wording.decimals ?? "")}
        onChange={(text) => setDecimals(text === "" ? undefined : Number(text))}
      />
      <Checkbox
        label="Best bold, second underlined"
        checked={wording.marks}
        onChange={({ target }) => word({ marks: target.checked })}
      />
    </Section>
  );
}

const tests = [
  { value: "auto", label: "Welch’s t, or permutation if seeds collapsed" },
  { value: "welch", label: "Welch's t" },
  { value: "permutation", label: "Permutation test of means" },
  { value: "mannWhitney", label: "Mann–Whitney" },
  { value: "none", label: "None" },
] as const;
const changes = [
  { value: "none", label: "None" },
  { value: "relative", label: "In percent of the baseline" },
  { value: "points", label: "As a difference" },
] as const;

function BaselineOptions({ baseline, ...section }: SectionProps & { baseline: string }) {
  const { options, wording, set, word } = section;
  return (
    <Section title="Comparison with a baseline">
      <ChoiceField
        label="Baseline"
        options={rowChoices(section, options.baseline)}
        value={options.baseline ?? baseline}
        onChange={(row) => set({ baseline: row })}
      />
      <ChoiceField
        label="Test (Holm-corrected)"
        options={tests}
        value={options.test}
        onChange={(test) => set({ test })}
      />
      <ChoiceField
        label="Change from the baseline"
        options={changes}
        value={options.change}
        onChange={(change) => set({ change })}
      />
      {options.change !== "none" && (
        <Checkbox
          label="Show the change beside each number"
          checked={wording.changeIn === "cell"}
          onChange={({ target }) => word({ changeIn: target.checked ? "cell" : "row" })}
        />
      )}
    </Section>
  );
}

const widths = [
  { value: "auto", label: "Natural width" },
  { value: "column", label: "Width of one text column" },
  { value: "page", label: "Width of the page" },
] as const;

function TextOptions({ wording, word }: SectionProps) {
  return (
    <Section title="Caption and label">
      <LateText
        label="Caption"
        hint="The studio appends an explanation of the numbers."
        value={wording.caption}
        most={maxOf.caption}
        isLong
        onChange={(caption) => word({ caption })}
      />
      <LateText
        label="Label"
        hint="\ref{tab:…}"
        value={wording.label}
        most={maxOf.label}
        onChange={(label) => word({ label })}
      />
      <ChoiceField
        label="Width in LaTeX"
        options={widths}
        value={wording.width}
        onChange={(width) => word({ width })}
      />
    </Section>
  );
}

type TextOptionsProps = {
  label: string;
  hint: string;
  value: string;
  most: number;
  isLong?: boolean;
  onChange: (value: string) => void;
};

/** Text field that applies its value on blur or Enter, so that the URL does not change with every keystroke. */
function LateText({ label, hint, value, most, isLong = false, onChange }: TextOptionsProps) {
  const [typed, setTyped] = useState<string>();
  const shared = {
    value: typed ?? value,
    maxLength: most,
    onChange: ({ target }: { target: { value: string } }) => setTyped(target.value),
    onBlur: () => {
      if (typed !== undefined && typed !== value) onChange(typed);
      setTyped(undefined);
    },
  };
  return (
    <Field label={label} hint={hint}>
      {(wiring) =>
        isLong ? (
          <TextArea {...wiring} rows={3} {...shared} />
        ) : (
          <Input
            {...wiring}
            {...shared}
            onKeyDown={(event) => {
              if (event.key === "Enter") event.currentTarget.blur();
            }}
          />
        )
      }
    </Field>
  );
}
