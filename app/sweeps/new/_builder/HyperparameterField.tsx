import { useId, type ReactNode } from "react";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { Checkbox, Input } from "#app/_ui/Input.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { classes } from "#app/_ui/classes.ts";
import { fieldsOfEnvironment, formatEmpty, keysInEnvironment, optionalPartAt } from "./draft/fields.ts";
import { readIn, setIn, type Path } from "./draft/sweepFile.ts";
import { formatField, normaliseText, optionsOf, parseValues, readValue } from "./draft/texts.ts";
import { useForm, useTyped } from "./form.tsx";
import { formatLevels } from "./prepareGroups.ts";
import { formatHyperparameter } from "#packages/base";

type Props = {
  field: Hyperparameter;
  text: string;
  problem: string | undefined;
  /** Options that no node of the fleet can run, each with the reason. */
  absent?: Readonly<Record<string, string>> | undefined;
  suggestions?: readonly string[];
  onChange: (text: string) => void;
};

export function HyperparameterField({ field, text, problem, absent = {}, suggestions = [], onChange }: Props) {
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
  const hint = field.group === "method" ? formatLevels(field) : formatOff(field);
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
            placeholder={formatDefault(field)}
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

/** Returns the description of a setting, with "off" for "null", because the user types "off" in the form. */
function formatOff({ isNullable, description }: Hyperparameter): string {
  return isNullable ? description.replace(/\bnull\b/, "off") : description;
}

function formatDefault(field: Extract<Hyperparameter, { kind: "number" | "text" }>): string {
  if (field.group === "method") return field.isNullable ? "as in the method, or off" : "as in the method";
  if (field.default === undefined) return formatEmpty(field.path);
  return typeof field.default === "number" ? formatHyperparameter(field.default) : field.default;
}

type ChoiceProps = Omit<Props, "field"> & {
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
      {field.kind === "set" && chosen.length === 0 && (
        <p className="text-xs text-muted">If no option is ticked, the default applies: {field.default?.join(", ")}.</p>
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

type PartProps = {
  /** Path of an optional object in the specification, such as `budget.split`. */
  part: string;
  isOn: boolean;
  problem?: string | undefined;
  onSwitch: (isOn: boolean) => void;
  className?: string;
  children: ReactNode;
};

/** Switch for an optional object in the specification, such as `budget.split`, with its fields while it is on. */
export function OptionalFields({ part, isOn, problem, onSwitch, className, children }: PartProps) {
  const { title, hint } = optionalPartAt(part);
  return (
    <div className={classes("min-w-0", className)}>
      <Checkbox
        label={<span className="text-sm font-medium">{title}</span>}
        checked={isOn}
        onChange={({ target }) => onSwitch(target.checked)}
      />
      {hint && <p className="text-xs text-muted">{hint}</p>}
      {problem && <p className="text-xs text-bad">{problem}</p>}
      {isOn && children}
    </div>
  );
}

/** Fields of the settings of the environment at a path of the file. */
export function KnobFields({ at }: { at: Path }) {
  const { file, edit, problemOf } = useForm();
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
      {fieldsOfEnvironment(readIn(file, [...at, "id"])).map((field) => {
        const path = [...at, ...keysInEnvironment(field)];
        return (
          <HyperparameterField
            key={field.path}
            field={field}
            text={formatField(readIn(file, path), field)}
            problem={problemOf(path.join("."))}
            onChange={(text) => edit(setIn(file, path, readValue(text, field)))}
          />
        );
      })}
    </div>
  );
}
