"use client";
import type { Hyperparameter } from "#server/domain/sweep/hyperparameters.ts";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { formatNumber, parseValues } from "./texts.ts";

type Props = { field: Hyperparameter; text: string; problem: string | undefined; onChange: (text: string) => void };

export function HyperparameterField({ field, text, problem, onChange }: Props) {
  const { values } = parseValues(text, field);
  const label = (
    <span className="flex items-baseline gap-2">
      {field.title}
      {values.length > 1 && <span className="text-xs font-normal text-accent">axis of {values.length}</span>}
    </span>
  );
  if (field.kind === "choice") return <Choice field={field} text={text} label={label} onChange={onChange} />;
  return (
    <Field label={label} hint={field.description} error={problem}>
      {(wiring) => (
        <Input
          {...wiring}
          value={text}
          inputMode="text"
          placeholder={field.default === undefined ? "as in the method" : formatNumber(field.default)}
          title={field.path}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

type ChoiceProps = {
  field: Extract<Hyperparameter, { kind: "choice" }>;
  text: string;
  label: React.ReactNode;
  onChange: (text: string) => void;
};

/** One ticked option sets the value, several make an axis, none leaves the default. */
function Choice({ field, text, label, onChange }: ChoiceProps) {
  const chosen = parseValues(text, field).values.map(String);
  const toggle = (option: string) =>
    onChange(field.options.filter((other) => chosen.includes(other) !== (other === option)).join(", "));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1">
        {field.options.map((option) => (
          <Checkbox
            key={option}
            checked={chosen.includes(option)}
            onChange={() => toggle(option)}
            label={option === field.default ? `${option} (default)` : option}
          />
        ))}
      </div>
      {field.description && <p className="text-xs text-muted">{field.description}</p>}
    </fieldset>
  );
}
