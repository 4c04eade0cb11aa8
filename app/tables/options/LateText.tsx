"use client";
import { useState } from "react";
import { Field } from "#app/_ui/Field.tsx";
import { Input, TextArea } from "#app/_ui/Input.tsx";

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
export function LateText({ label, hint, value, most, isLong = false, onChange }: Props) {
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
