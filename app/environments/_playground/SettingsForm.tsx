"use client";
import { knobOf } from "#server/domain/environments/environmentKnobs.ts";
import { environmentFields, type Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { numTasks, seedOf, splits } from "#server/domain/environments/taskSeed.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Field, Hint, TextField } from "#app/_ui/Field.tsx";
import { Checkbox, Input } from "#app/_ui/Input.tsx";
import { Choice, ChoiceField } from "#app/_ui/Choice.tsx";
import { type Checked, defaultSettings, type Settings } from "#app/_components/episode/settings.ts";
import type { ReactNode } from "react";
import { splitList } from "#app/_components/splitList.ts";

type Props = { settings: Settings; problems: Checked["problems"]; onChange: (settings: Settings) => void };

/** Form with task, difficulty and prompt settings. Every change begins a new episode. */
export function SettingsForm({ settings, problems, onChange }: Props) {
  const { split, task } = settings;
  const change = (changed: Partial<Settings>) => onChange({ ...settings, ...changed });
  const seed = seedOf(split, task.trim() === "" ? NaN : Number(task));
  return (
    <div className="flex flex-col gap-4 max-lg:contents">
      <Card title="Task">
        <div className="flex flex-col gap-3 max-lg:grid max-lg:grid-cols-[auto_minmax(0,1fr)] max-lg:items-center">
          <Choice
            as="buttons"
            label="Split"
            options={splits.map((value) => ({ value, label: value }))}
            value={split}
            onChange={(changed) => change({ split: changed })}
            className="self-start"
          />
          <Field
            label="Number"
            hint={`Of ${numTasks(split).toLocaleString("en-US")} tasks${seed === undefined ? "" : `; seed ${seed}`}`}
            error={problems["task"]}
          >
            {(wiring) => (
              <Input
                {...wiring}
                type="number"
                min={0}
                max={numTasks(split) - 1}
                value={task}
                onChange={({ target }) => change({ task: target.value })}
              />
            )}
          </Field>
        </div>
      </Card>
      <Difficulty settings={settings} problems={problems} onChange={onChange} />
    </div>
  );
}

function Difficulty({ settings, problems, onChange }: Props) {
  const { environment, values, historyLength } = settings;
  const change = (changed: Partial<Settings>) => onChange({ ...settings, ...changed });
  const isChanged = JSON.stringify(values) !== JSON.stringify(defaultSettings(environment).values);
  return (
    <details className="rounded-lg border border-line bg-surface p-4 max-lg:order-last" open>
      <summary className="font-semibold">Difficulty</summary>
      <div className="mt-3 grid grid-cols-2 gap-3 lg:grid-cols-1">
        {environmentFields(environment).map((field) => {
          const knob = knobOf(field);
          return (
            <KnobField
              key={`${environment} ${knob}`}
              field={field}
              text={values[knob] ?? ""}
              problem={problems[knob]}
              onChange={(text) => change({ values: { ...values, [knob]: text } })}
            />
          );
        })}
        <TextField
          label="History (turns)"
          hint="Number of past turns in a windowed prompt."
          error={problems["historyLength"]}
          type="number"
          min={0}
          max={16}
          value={historyLength}
          onChange={({ target }) => change({ historyLength: target.value })}
        />
        {isChanged && (
          <Button className="self-end" onClick={() => change({ values: defaultSettings(environment).values })}>
            Restore defaults
          </Button>
        )}
      </div>
    </details>
  );
}

type KnobFieldProps = {
  field: Hyperparameter;
  text: string;
  problem: string | undefined;
  onChange: (text: string) => void;
};

function KnobField({ field, text, problem, onChange }: KnobFieldProps) {
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
        <ChoiceField
          label={title}
          error={problem}
          options={field.options.map((value) => ({ value, label: value }))}
          value={text}
          onChange={onChange}
        />
      ) : (
        <TextField
          label={title}
          error={problem}
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
      <span className="absolute top-0 right-0">{about}</span>
    </div>
  );
}

type SetProps = Omit<KnobFieldProps, "field"> & { field: Extract<Hyperparameter, { kind: "set" }>; about: ReactNode };

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
      {chosen.length === 0 && (
        <p className="text-xs text-muted">If no option is ticked, the default applies: {field.default?.join(", ")}.</p>
      )}
      {problem && <p className="text-xs text-bad">{problem}</p>}
    </fieldset>
  );
}
