"use client";
import { Link } from "#app/_ui/Link.tsx";
import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { defaultEnvironment } from "#server/domain/plan/sweep/hyperparameters.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { fromDraft, toQuery } from "#app/_components/episode/settings.ts";
import { draftEnvironment } from "#app/_components/episode/environmentDraft.ts";
import { isEnvironmentId, titleOfDraft, type Draft, type PlannedDraft } from "../draft/draft.ts";
import { fieldsOfEnvironment } from "../draft/fields.ts";
import { HyperparameterField } from "../fields/HyperparameterField.tsx";
import type { FieldIssue } from "../draft/levels.ts";
import { AttachedSettings } from "./AttachedSettings.tsx";

type Props = { draft: Draft; edit: (draft: Draft) => void; issues: readonly FieldIssue[] };

const known = BuiltInEnvironment.options.map((option) => option.shape.id.value);

export function EnvironmentsSection({ draft, edit, issues }: Props) {
  const all = draft.environments;
  const set = (changed: PlannedDraft[]) => edit({ ...draft, environments: changed });
  const refused = issues.flatMap(({ field, message }) => (field === "environments" ? [message] : []));
  const actions = known.map((id) => (
    <Button key={id} onClick={() => set([...all, draftEnvironment(defaultEnvironment(id))])}>
      <Icon name="plus" /> {environments[id].title}
    </Button>
  ));
  const own = (
    <Button key="custom" onClick={() => set([...all, { id: "custom", values: {} }])}>
      <Icon name="plus" /> Your own task
    </Button>
  );
  return (
    <Card title="Environments" actions={[...actions, own]}>
      <div className="flex flex-col gap-4">
        {all.length === 0 && <p className="text-sm text-bad">A sweep needs at least one environment.</p>}
        {all.length > 0 &&
          [...new Set(refused)].map((problem) => (
            <p key={problem} className="text-sm text-bad">
              {problem}
            </p>
          ))}
        {all.map((environment, i) => (
          <EnvironmentFields
            key={i}
            environment={environment}
            problemOf={(knob) => issues.find(({ field }) => field === `environments.${i}.${knob}`)?.message}
            onChange={(changed) => set(all.with(i, changed))}
            onRemove={all.length > 1 ? () => set(all.toSpliced(i, 1)) : undefined}
          />
        ))}
      </div>
    </Card>
  );
}

const summaries: Readonly<Record<string, string>> = {
  custom: "Data, reward function and loop are an external trainer's; choose one under Trainer.",
};

type FieldsProps = {
  environment: PlannedDraft;
  problemOf: (knob: string) => string | undefined;
  onChange: (environment: PlannedDraft) => void;
  onRemove: (() => void) | undefined;
};

function EnvironmentFields({ environment, problemOf, onChange, onRemove }: FieldsProps) {
  const { id, values, attached } = environment;
  const summary = isEnvironmentId(id) ? environments[id].summary : (summaries[id] ?? "Unknown environment.");
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 flex w-full items-baseline gap-2">
        <span className="font-medium">{titleOfDraft(environment)}</span>
        <span className="min-w-0 text-sm text-muted max-sm:hidden">{summary}</span>
        {isEnvironmentId(id) && (
          <Link
            href={`/environments?${toQuery(fromDraft(id, environment))}`}
            target="_blank"
            className="ml-auto text-sm whitespace-nowrap text-accent hover:underline"
          >
            Try it
          </Link>
        )}
        {onRemove && (
          <button type="button" className="text-sm text-muted hover:text-text hover:underline" onClick={onRemove}>
            Remove
          </button>
        )}
      </legend>
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
        {fieldsOfEnvironment(id).map((field) => {
          const knob = field.path.slice("environment.".length);
          return (
            <HyperparameterField
              key={knob}
              field={field}
              text={values[knob] ?? ""}
              problem={problemOf(knob)}
              onChange={(text) => onChange({ ...environment, values: { ...values, [knob]: text } })}
            />
          );
        })}
      </div>
      {attached && <AttachedSettings attached={attached} onRemove={() => onChange({ id, values })} />}
    </fieldset>
  );
}
