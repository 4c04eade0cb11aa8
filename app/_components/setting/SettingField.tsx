import { type ReactNode, useId, useState } from "react";
import { Field } from "#app/_ui/Field.tsx";
import { Checkbox, Input } from "#app/_ui/Input.tsx";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { normaliseText, optionsOf, parseValues } from "./texts.ts";

export type SettingProps = {
  field: Hyperparameter;
  text: string;
  problem: string | undefined;
  /** Options that no node of the fleet can run, each with the reason. */
  absent?: Readonly<Record<string, string>> | undefined;
  suggestions?: readonly string[];
  /** Explanation; absent: the setting's description. */
  hint?: string;
  placeholder?: string;
  onChange: (text: string) => void;
};

/** Field of a setting: its value, or several values separated by commas, which are compared. */
export function SettingField({ field, hint = describeSetting(field), placeholder, ...props }: SettingProps) {
  const { text, problem, absent = {}, suggestions = [], onChange } = props;
  const list = useId();
  const [typed, setTyped] = useTyped(text, (one) => normaliseText(one, field));
  const { values } = parseValues(text, field);
  const label = (
    <span className="flex items-baseline gap-2">
      {field.title}
      {values.length > 1 && field.kind !== "set" && (
        <span className="text-xs font-normal text-accent">varied: {values.length} values</span>
      )}
    </span>
  );
  if (field.kind !== "number" && field.kind !== "text")
    return <Choice {...{ field, text, label, hint, problem, absent, onChange }} />;
  return (
    <Field label={label} hint={hint} error={problem}>
      {(wiring) => (
        <>
          <Input
            {...wiring}
            value={typed}
            inputMode="text"
            placeholder={placeholder}
            title={field.path}
            list={suggestions.length > 0 ? list : undefined}
            onChange={({ target }) => {
              setTyped(target.value);
              onChange(target.value);
            }}
          />
          {suggestions.length > 0 && (
            <datalist id={list}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

type ChoiceProps = Omit<SettingProps, "field"> & {
  field: Exclude<Hyperparameter, { kind: "number" | "text" }>;
  label: ReactNode;
  hint: string;
};

/** Checkboxes: one checked option sets the value, several become an axis (or a set), none means the default. */
function Choice({ field, text, label, hint, problem, absent = {}, onChange }: ChoiceProps) {
  const chosen = parseValues(text, field).values.map(String);
  const options = optionsOf(field);
  const toggle = (option: string) =>
    onChange(options.filter((other) => chosen.includes(other) !== (other === option)).join(", "));
  const usual = field.group === "method" || field.kind === "set" ? [] : [field.default ?? []].flat().map(String);
  const markOf = (option: string) => {
    if (absent[option] !== undefined) return " (not available on any node)";
    return usual.includes(option) ? " (default)" : "";
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1">
        {options.map((option) => (
          <Checkbox
            key={option}
            checked={chosen.includes(option)}
            onChange={() => toggle(option)}
            title={absent[option]}
            label={`${formatOption(field, option)}${markOf(option)}`}
          />
        ))}
      </div>
      {chosen
        .filter((option) => absent[option] !== undefined)
        .map((option) => (
          <p key={option} className="text-xs break-words text-warn">
            {option} is not available on any node: {absent[option]}
          </p>
        ))}
      {hint && <p className="text-xs text-muted">{hint}</p>}
      {field.kind === "set" && chosen.length === 0 && field.default && !problem && (
        <p className="text-xs text-muted">If no option is ticked, the default applies: {field.default.join(", ")}.</p>
      )}
      {problem && <p className="text-xs text-bad">{problem}</p>}
    </fieldset>
  );
}

/** Formats an option's label; a flag, which is true or false in a plan, is "on" or "off". */
function formatOption({ kind }: Hyperparameter, option: string): string {
  if (kind !== "flag") return option;
  return option === "true" ? "on" : "off";
}

/** Returns the description of a setting, with "off" for "null", because the user types "off" in the form. */
export function describeSetting({ isNullable, description }: Hyperparameter): string {
  return isNullable ? description.replace(/\bnull\b/, "off") : description;
}

/**
 * Text of a field: as typed, as long as it means the file's value, else that value as text. `normalise` returns the
 * text of the value that a typed text means.
 */
export function useTyped(text: string, normalise: (typed: string) => string): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(text);
  return [normalise(typed) === text ? typed : text, setTyped];
}
