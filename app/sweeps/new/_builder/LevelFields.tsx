import type { Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import type { DimensionId, LevelDraft } from "./draft/draft.ts";
import { fieldsOfLevel, formatEmpty, optionalPartAt, pathInLevel } from "./draft/fields.ts";
import { isPartOfLevelOn } from "./draft/levels.ts";
import { OptionalFields } from "./HyperparameterField.tsx";
import { optionsOf, formatList } from "./draft/texts.ts";

type Props = {
  dimension: DimensionId;
  setting: LevelDraft;
  /** Title of the setting; undefined if the level has a single setting, which then has no remove button. */
  title: string | undefined;
  problemOf: (path: string) => string | undefined;
  onChange: (setting: LevelDraft) => void;
  onRemove: () => void;
};

export function LevelFields({ dimension, setting, title, problemOf, onChange, onRemove }: Props) {
  const change = (changed: Readonly<Record<string, string>>) =>
    onChange({ ...setting, values: { ...setting.values, ...changed } });
  const all = fieldsOfLevel(dimension, setting.kind);
  const parts = [...new Set(all.flatMap(({ within }) => within ?? []))];
  const render = (field: Hyperparameter) => {
    const path = pathInLevel(field);
    return (
      <LevelField
        key={path}
        field={field}
        text={setting.values[path] ?? ""}
        problem={problemOf(path)}
        onChange={(text) => change({ [path]: text })}
      />
    );
  };
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
      {parts.map((part) => {
        const fields = all.filter(({ within }) => within === part);
        const { start } = optionalPartAt(part);
        const valueOf = (field: Hyperparameter) => start[field.path.slice(part.length + 1)] ?? "";
        return (
          <OptionalFields
            key={part}
            part={part}
            isOn={isPartOfLevelOn(setting, part)}
            onSwitch={(isOn) =>
              change(Object.fromEntries(fields.map((field) => [pathInLevel(field), isOn ? valueOf(field) : ""])))
            }
          >
            <div className="mt-2 flex flex-col gap-2">{fields.map(render)}</div>
          </OptionalFields>
        );
      })}
    </div>
  );
}

type FieldProps = {
  field: Hyperparameter;
  text: string;
  problem?: string | undefined;
  hint?: string;
  /** True if the field may be empty, which means the default. */
  isOptional?: boolean;
  /** Returns an option's label and group; if undefined, the option itself is the label. */
  describe?: (option: string) => { label: string; group?: string } | undefined;
  className?: string;
  onChange: (text: string) => void;
};

export function LevelField({ field, text, problem, describe, isOptional = false, ...rest }: FieldProps) {
  const { hint, className = "", onChange } = rest;
  const shared = { label: field.title, hint, error: problem, className };
  const usual = field.default === undefined ? "" : formatList([field.default]);
  if (field.kind !== "number" && field.kind !== "text") {
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
      value={text}
      inputMode="text"
      placeholder={field.isNullable ? formatEmpty(field.path) || "off" : usual}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
