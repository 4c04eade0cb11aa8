import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import type { DimensionId } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { fieldsOfLevel, formatEmpty, keysInLevel, optionalPartAt } from "./draft/fields.ts";
import { kindOf, partsOfLevel } from "./draft/levels.ts";
import { setPlanField } from "./draft/planFields.ts";
import { isPart, readIn, setIn, type Path } from "./draft/sweepFile.ts";
import { formatField, formatList, normaliseText, optionsOf, readValue } from "#app/_components/setting/texts.ts";
import { useTyped } from "#app/_components/setting/SettingField.tsx";
import { useForm } from "./form.tsx";
import { OptionalFields } from "./HyperparameterField.tsx";

type Props = {
  dimension: DimensionId;
  /** Path of the level in the file. */
  at: Path;
  /** Title of the setting; undefined if the level has a single setting, which then has no remove button. */
  title: string | undefined;
  onRemove: () => void;
};

export function LevelFields({ dimension, at, title, onRemove }: Props) {
  const { file, edit } = useForm();
  const kind = kindOf(readIn(file, at));
  const all = fieldsOfLevel(dimension, kind);
  const render = (field: Hyperparameter) => (
    <ValueField key={field.path} field={field} at={[...at, ...keysInLevel(field)]} />
  );
  return (
    <div className="mt-2 flex flex-col gap-2 border-t border-line pt-2 pl-6">
      {title && (
        <div className="flex justify-between text-xs">
          <span className="font-medium">{title}</span>
          <button type="button" className="text-muted hover:text-text hover:underline" onClick={onRemove}>
            Remove
          </button>
        </div>
      )}
      {all.filter(({ within }) => within === undefined).map(render)}
      {partsOfLevel(dimension, kind).map((part) => {
        const fields = all.filter(({ within }) => within === part);
        const { start } = optionalPartAt(part);
        const partAt = [...at, ...part.split(".").slice(2)];
        const values = fields.flatMap((field) => {
          const name = field.path.slice(part.length + 1);
          return start[name] === undefined ? [] : [[name, readValue(start[name], field)] as const];
        });
        return (
          <OptionalFields
            key={part}
            part={part}
            isOn={isPart(readIn(file, partAt))}
            onSwitch={(isOn) => edit(setIn(file, partAt, isOn ? Object.fromEntries(values) : null))}
          >
            <div className="mt-2 flex flex-col gap-2">{fields.map(render)}</div>
          </OptionalFields>
        );
      })}
    </div>
  );
}

type ValueProps = Omit<FieldProps, "text" | "problem" | "onChange"> & { at: Path };

/** Field of a level or of a correction's part at a path of the file; empty, it is off if it may be, else absent. */
export function ValueField({ at, field, ...rest }: ValueProps) {
  const { file, edit, problemOf } = useForm();
  const value = readIn(file, at);
  return (
    <LevelField
      {...rest}
      field={field}
      text={
        value === null ? "" : formatField(value === undefined && field.kind !== "number" ? field.default : value, field)
      }
      problem={problemOf(at.join("."))}
      onChange={(text) => edit(setIn(file, at, readValue(text, field) ?? (field.isNullable ? null : undefined)))}
    />
  );
}

type PlanProps = { field: Hyperparameter; describe: FieldProps["describe"] };

/** Field of search, early stopping, rescue or placement at its path in the file. */
export function PlanField({ field, describe }: PlanProps) {
  const { file, aside, edit, problemOf } = useForm();
  const [part = "", key = ""] = field.path.split(".");
  const change = (text: string) => {
    // Early stopping and rescue are off without their first field; their other settings are kept aside.
    const isSwitch = field.path === "stopping.at" || field.path === "rescue.on";
    if (isSwitch && text === "") return edit(setIn(file, [part], undefined), { ...aside, [part]: file[part] });
    const kept = isSwitch ? (file[part] ?? aside[part]) : undefined;
    return edit(isPart(kept) ? { ...file, [part]: { ...kept, [key]: text } } : setPlanField(file, field, text));
  };
  return (
    <LevelField
      field={field}
      text={formatField(readIn(file, field.path.split(".")), field)}
      problem={problemOf(field.path)}
      hint={field.description}
      describe={describe}
      isOptional
      onChange={change}
    />
  );
}

type FieldProps = {
  field: Hyperparameter;
  text: string;
  problem?: string | undefined;
  hint?: string;
  /** True if the field may be empty, which means the default. */
  isOptional?: boolean;
  /** True if options are typed, because the field may list several. */
  isText?: boolean;
  /** Returns an option's label and group; if undefined, the option itself is the label. */
  describe?: ((option: string) => { label: string; group?: string } | undefined) | undefined;
  className?: string;
  /** Meaning of an empty text; if undefined, the default or "off". */
  placeholder?: string;
  onChange: (text: string) => void;
};

export function LevelField({
  field,
  text,
  problem,
  describe,
  isOptional = false,
  isText = false,
  ...rest
}: FieldProps) {
  const { hint, className = "", placeholder, onChange } = rest;
  const shared = { label: field.title, hint, error: problem, className };
  const usual = field.default === undefined ? "" : formatList([field.default]);
  const [typed, setTyped] = useTyped(text, (one) => (text === "" && one === "off" ? "" : normaliseText(one, field)));
  if (field.kind !== "number" && field.kind !== "text" && !isText) {
    // Labels a flag, which is true or false in a plan, as "on" or "off".
    const flag = (value: string) => ({ label: value === "true" ? "on" : "off" });
    const optionOf = (value: string) => ({
      value,
      ...((field.kind === "flag" ? flag(value) : describe?.(value)) ?? { label: value }),
    });
    const empty = {
      value: "",
      label:
        usual === "" ? (field.kind === "flag" ? "off (default)" : "Choose…") : `${optionOf(usual).label} (default)`,
    };
    const options = optionsOf(field).map(optionOf);
    return (
      <ChoiceField {...shared} options={isOptional ? [empty, ...options] : options} value={text} onChange={onChange} />
    );
  }
  return (
    <TextField
      {...shared}
      value={typed}
      inputMode="text"
      placeholder={placeholder ?? (field.isNullable ? formatEmpty(field.path) || "off" : usual)}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(target.value);
      }}
    />
  );
}
