"use client";
import { knobOf } from "#server/domain/environments/environmentKnobs.ts";
import { environmentFields } from "#server/domain/plan/sweep/hyperparameters.ts";
import { numTasks, seedOf, splits } from "#server/domain/environments/taskSeed.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { KnobField } from "./KnobField.tsx";
import { defaultSettings, type Checked, type Settings } from "#app/_components/episode/settings.ts";

type Props = { settings: Settings; problems: Checked["problems"]; onChange: (settings: Settings) => void };

/** Task, difficulty and prompt settings. Every change begins a new episode. */
export function SettingsForm({ settings, problems, onChange }: Props) {
  const { split, task } = settings;
  const change = (changed: Partial<Settings>) => onChange({ ...settings, ...changed });
  const seed = seedOf(split, task.trim() === "" ? NaN : Number(task));
  return (
    <div className="flex flex-col gap-4 max-lg:contents">
      <Card title="Task">
        <div className="flex flex-col gap-3">
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

/** Settings of the environment and of its prompts. */
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
        <Field label="History (turns)" hint="Past turns in a windowed prompt." error={problems["historyLength"]}>
          {(wiring) => (
            <Input
              {...wiring}
              type="number"
              min={0}
              max={16}
              value={historyLength}
              onChange={({ target }) => change({ historyLength: target.value })}
            />
          )}
        </Field>
        {isChanged && (
          <Button className="self-end" onClick={() => change({ values: defaultSettings(environment).values })}>
            Defaults
          </Button>
        )}
      </div>
    </details>
  );
}
