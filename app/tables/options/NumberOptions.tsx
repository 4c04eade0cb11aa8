"use client";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Section } from "./Section.tsx";
import type { SectionProps } from "./section.ts";

const rules = [
  { value: "final", label: "Final window" },
  { value: "best", label: "Best (biased)" },
  { value: "last", label: "Last" },
] as const;
const intervals = [
  { value: "t", label: "[95 % CI (t)]" },
  { value: "bootstrap", label: "[95 % bootstrap interval]" },
  { value: "std", label: "± sd (standard deviation)" },
  { value: "sem", label: "± standard error" },
  { value: "none", label: "Mean alone" },
] as const;
const decimals = [
  { value: "", label: "By metric" },
  ...["0", "1", "2", "3", "4"].map((value) => ({ value, label: value })),
];

/** Value of a run, summary over seeds, and number format. */
export function NumberOptions({ options, wording, set, word, setDecimals }: SectionProps) {
  return (
    <Section title="Numbers">
      <Choice
        label="Checkpoint"
        labelled="above"
        options={rules}
        value={options.rule}
        onChange={(rule) => set({ rule })}
      />
      <Choice
        label="Spread"
        labelled="above"
        options={intervals}
        value={options.interval}
        onChange={(interval) => set({ interval })}
      />
      <Choice
        label="Decimals"
        labelled="above"
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
