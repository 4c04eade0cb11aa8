import type { ReactNode } from "react";
import { describeSetting, SettingField, type SettingProps } from "#app/_components/setting/SettingField.tsx";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { Checkbox } from "#app/_ui/Input.tsx";
import { classes } from "#app/_ui/classes.ts";
import { fieldsOfEnvironment, formatEmpty, keysInEnvironment, optionalPartAt } from "./draft/fields.ts";
import { readIn, setIn, type Path } from "./draft/sweepFile.ts";
import { formatField, readValue } from "#app/_components/setting/texts.ts";
import { useForm } from "./form.tsx";
import { formatLevels } from "./prepareGroups.ts";
import { formatHyperparameter } from "#packages/base";

/** Field of a setting in the sweep file; its placeholder is the default. */
export function HyperparameterField(props: Omit<SettingProps, "hint" | "placeholder">) {
  const { field } = props;
  const hint = field.group === "method" ? formatLevels(field) : describeSetting(field);
  const isTyped = field.kind === "number" || field.kind === "text";
  return <SettingField {...props} hint={hint} {...(isTyped && { placeholder: formatDefault(field) })} />;
}

function formatDefault(field: Extract<Hyperparameter, { kind: "number" | "text" }>): string {
  if (field.group === "method") return field.isNullable ? "as in the method, or off" : "as in the method";
  if (field.default === undefined) return formatEmpty(field.path);
  return typeof field.default === "number" ? formatHyperparameter(field.default) : field.default;
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
          // Options and their explanation need the full width, such as those of a reward.
          <div key={field.path} className={classes("min-w-0", field.kind === "choice" && "col-span-full")}>
            <HyperparameterField
              field={field}
              text={formatField(readIn(file, path), field)}
              problem={problemOf(path.join("."))}
              onChange={(text) => edit(setIn(file, path, readValue(text, field)))}
            />
          </div>
        );
      })}
    </div>
  );
}
