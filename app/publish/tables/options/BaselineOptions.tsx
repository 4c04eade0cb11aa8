"use client";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Section } from "./Section.tsx";
import { rowChoices, type SectionProps } from "./section.ts";

const tests = [
  { value: "auto", label: "Welch, or permutation where seeds collapsed" },
  { value: "welch", label: "Welch's t" },
  { value: "permutation", label: "Permutation of means" },
  { value: "mannWhitney", label: "Mann–Whitney" },
  { value: "none", label: "None" },
] as const;
const changes = [
  { value: "none", label: "None" },
  { value: "relative", label: "Percent of the baseline" },
  { value: "points", label: "Difference" },
] as const;

type Props = SectionProps & {
  /** Default baseline row. */
  baseline: string;
};

/** Baseline row, statistical test, and format of the difference. */
export function BaselineOptions({ baseline, ...section }: Props) {
  const { options, wording, set, word } = section;
  return (
    <Section title="Against a baseline">
      <Choice
        label="Baseline"
        labelled="above"
        options={rowChoices(section, options.baseline)}
        value={options.baseline ?? baseline}
        onChange={(row) => set({ baseline: row })}
      />
      <Choice
        label="Test, corrected by Holm"
        labelled="above"
        options={tests}
        value={options.test}
        onChange={(test) => set({ test })}
      />
      <Choice
        label="Change"
        labelled="above"
        options={changes}
        value={options.change}
        onChange={(change) => set({ change })}
      />
      {options.change !== "none" && (
        <Checkbox
          label="Behind each number"
          checked={wording.changeIn === "cell"}
          onChange={({ target }) => word({ changeIn: target.checked ? "cell" : "row" })}
        />
      )}
    </Section>
  );
}
