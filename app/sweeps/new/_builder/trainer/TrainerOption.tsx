"use client";
import type { Option } from "#packages/trainers";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";

type Value = string | number | boolean;
type Props = {
  name: string;
  option: Option;
  value: Value | undefined;
  /** Undefined: the default. */
  onChange: (value: Value | undefined) => void;
};

/** One option of a trainer; empty means the default shown in it. */
export function TrainerOption({ name, option, value, onChange }: Props) {
  switch (option.type) {
    case "flag":
      return (
        <Checkbox
          label={name}
          className="self-end pb-2"
          checked={typeof value === "boolean" ? value : (option.default ?? false)}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case "choice":
      return (
        <Choice
          label={name}
          labelled="above"
          options={[
            { value: "", label: option.default === undefined ? "Choose…" : `${option.default} (default)` },
            ...option.of.map((one) => ({ value: one, label: one })),
          ]}
          value={typeof value === "string" ? value : ""}
          onChange={(text) => onChange(text === "" ? undefined : text)}
        />
      );
    case "number":
    case "text":
      return (
        <Field label={name}>
          {(wiring) => (
            <Input
              {...wiring}
              value={value === undefined ? "" : String(value)}
              placeholder={option.default === undefined ? "required" : String(option.default)}
              onChange={({ target }) => onChange(readText(target.value, option.type))}
            />
          )}
        </Field>
      );
  }
}

/** An unfinished number ("1e-") stays as typed. */
function readText(text: string, type: "number" | "text"): Value | undefined {
  if (text === "") return undefined;
  return type === "number" && String(Number(text)) === text ? Number(text) : text;
}
