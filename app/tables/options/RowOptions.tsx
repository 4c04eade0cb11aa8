"use client";
import { Choice } from "#app/_ui/Choice.tsx";
import { Kept } from "./Kept.tsx";
import { Section } from "./Section.tsx";
import { rowChoices, toggleName, type SectionProps } from "./section.ts";

/** Meaning of a row, visible rows, and the row marked as ours. */
export function RowOptions(section: SectionProps) {
  const { options, wording, choices, update, set, word } = section;
  return (
    <Section title="Rows">
      <Choice
        label="Grouped by"
        labelled="above"
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
      <Choice
        label="Ours, highlighted"
        labelled="above"
        options={rowChoices(section, wording.ours)}
        value={wording.ours}
        onChange={(ours) => word({ ours })}
      />
    </Section>
  );
}
