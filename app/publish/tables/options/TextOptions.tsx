"use client";
import { maxOf } from "#server/domain/publish/tables/builder/options.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import { Section } from "./Kept.tsx";
import type { SectionProps } from "./section.ts";
import { useState } from "react";
import { Field } from "#app/_ui/Field.tsx";
import { Input, TextArea } from "#app/_ui/Input.tsx";

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

type Props = {
  label: string;
  hint: string;
  value: string;
  /** Maximum characters. */
  most: number;
  isLong?: boolean;
  onChange: (value: string) => void;
};

/** A text that is applied on blur or Enter: the address does not change with every keystroke. */
function LateText({ label, hint, value, most, isLong = false, onChange }: Props) {
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
