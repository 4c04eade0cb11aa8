"use client";
import { Field } from "#app/_ui/Field.tsx";
import { Input, Select } from "#app/_ui/Input.tsx";
import type { DimensionId, LevelDraft } from "./draft.ts";
import { fieldsOfLevel, pathInLevel } from "./fields.ts";
import { optionalFields } from "./levels.ts";

type Props = {
  dimension: DimensionId;
  setting: LevelDraft;
  /** Set when the level has several settings, which can then be removed one by one. */
  title: string | undefined;
  problemOf: (path: string) => string | undefined;
  onChange: (setting: LevelDraft) => void;
  onRemove: () => void;
};

export function LevelFields({ dimension, setting, title, problemOf, onChange, onRemove }: Props) {
  const change = (path: string, text: string) => onChange({ ...setting, values: { ...setting.values, [path]: text } });
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
      {fieldsOfLevel(dimension, setting.kind).map((field) => {
        const path = pathInLevel(field);
        const text = setting.values[path] ?? "";
        return (
          <Field key={path} label={field.title} error={problemOf(path)}>
            {(wiring) =>
              field.kind === "choice" ? (
                <Select {...wiring} value={text} onChange={({ target }) => change(path, target.value)}>
                  {field.options.map((option) => (
                    <option key={option}>{option}</option>
                  ))}
                </Select>
              ) : (
                <Input
                  {...wiring}
                  value={text}
                  inputMode="decimal"
                  placeholder={optionalFields.includes(path) ? "off" : ""}
                  onChange={({ target }) => change(path, target.value)}
                />
              )
            }
          </Field>
        );
      })}
    </div>
  );
}
