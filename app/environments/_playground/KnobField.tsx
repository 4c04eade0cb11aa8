"use client";
import type { ReactNode } from "react";
import type { Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Hint } from "#app/_ui/Hint.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { splitList } from "#app/_components/splitList.ts";

type Props = { field: Hyperparameter; text: string; problem: string | undefined; onChange: (text: string) => void };

/** Field of one environment setting: a bounded number, one option, several options, or a switch. */
export function KnobField({ field, text, problem, onChange }: Props) {
  const { title, description } = field;
  const about = description && <Hint about={title}>{description}</Hint>;
  if (field.kind === "flag") {
    return (
      <div className="flex items-center gap-1">
        <Checkbox label={title} checked={text === "true"} onChange={({ target }) => onChange(String(target.checked))} />
        {about}
      </div>
    );
  }
  if (field.kind === "set")
    return <SetField field={field} text={text} problem={problem} onChange={onChange} about={about} />;
  return (
    <div className="relative">
      {field.kind === "choice" ? (
        <Choice
          label={title}
          labelled="above"
          error={problem}
          options={field.options.map((value) => ({ value, label: value }))}
          value={text}
          onChange={onChange}
        />
      ) : (
        <Field label={title} error={problem}>
          {(wiring) => (
            <Input
              {...wiring}
              {...(field.kind === "number" && {
                type: "number",
                min: field.min,
                max: field.max,
                step: field.integer ? 1 : "any",
              })}
              placeholder={field.default === undefined ? undefined : String(field.default)}
              value={text}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
        </Field>
      )}
      <span className="absolute top-0 right-0">{about}</span>
    </div>
  );
}

type SetProps = Omit<Props, "field"> & { field: Extract<Hyperparameter, { kind: "set" }>; about: ReactNode };

function SetField({ field, text, problem, onChange, about }: SetProps) {
  const chosen = splitList(text);
  const toggle = (option: string) =>
    onChange(field.options.filter((other) => chosen.includes(other) !== (other === option)).join(","));
  return (
    <fieldset className="min-w-0 max-lg:col-span-2">
      <legend className="mb-1 text-sm font-medium">
        {field.title} {about}
      </legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {field.options.map((option) => (
          <Checkbox key={option} label={option} checked={chosen.includes(option)} onChange={() => toggle(option)} />
        ))}
      </div>
      {chosen.length === 0 && <p className="text-xs text-muted">None: as usual, {field.default?.join(", ")}.</p>}
      {problem && <p className="text-xs text-bad">{problem}</p>}
    </fieldset>
  );
}
