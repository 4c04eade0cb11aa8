"use client";
import { maxOf } from "#server/domain/tables/builder/options.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import { LateText } from "./LateText.tsx";
import { Section } from "./Section.tsx";
import type { SectionProps } from "./section.ts";

const widths = [
  { value: "auto", label: "Natural width" },
  { value: "column", label: "One column" },
  { value: "page", label: "Whole page" },
] as const;

/** Caption, label and width of the table in a paper. */
export function TextOptions({ wording, word }: SectionProps) {
  return (
    <Section title="Caption and label">
      <LateText
        label="Caption"
        hint="An explanation of the numbers is appended."
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
      <Choice
        label="Width in LaTeX"
        labelled="above"
        options={widths}
        value={wording.width}
        onChange={(width) => word({ width })}
      />
    </Section>
  );
}
