"use client";
import { environments } from "#trainer/spec/environment.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { factorLevels } from "#server/domain/plan/sweep/factorLevels.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { dimensionTexts, type DimensionId } from "#server/domain/plan/sweep/dimensionTexts.ts";
import type { StatedGroup } from "#server/api/trainers/statements.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { isMethodChoice, type StateDraft } from "./stateDraft.ts";

type Props = {
  group: StatedGroup;
  draft: StateDraft;
  problem: string | undefined;
  onDraft: (draft: StateDraft) => void;
  onWithdraw: () => void;
};

const methodOptions = [
  { value: "", label: "Not stated" },
  { value: "levels", label: "Four dimensions by hand" },
  ...methodNames.map((name) => ({ value: name, label: methods[name].title, group: "Methods" })),
];

/** Form for the method, environment and settings of the imported runs of one name. */
export function GroupForm({ group, draft, problem, onDraft, onWithdraw }: Props) {
  return (
    <fieldset className="min-w-0 border-t border-line pt-3 first:border-t-0 first:pt-0">
      <legend className="sr-only">{group.name}</legend>
      <GroupHead group={group} onWithdraw={onWithdraw} />
      <div className="grid gap-3 sm:grid-cols-3">
        <Choice
          as="menu"
          labelled="above"
          label="Method"
          options={methodOptions}
          value={draft.method}
          onChange={(method) => {
            if (!isMethodChoice(method)) return;
            const levels = method === "" || method === "levels" ? draft.levels : factorLevels(methodOf(method));
            onDraft({ ...draft, method, levels });
          }}
        />
        <Field label="Environment" hint="Empty: as imported">
          {(wiring) => (
            <Input
              {...wiring}
              value={draft.environment}
              maxLength={100}
              placeholder={Object.keys(environments)[0]}
              onChange={({ target }) => onDraft({ ...draft, environment: target.value })}
            />
          )}
        </Field>
        <Field label="Hyperparameters" error={problem}>
          {(wiring) => (
            <Input
              {...wiring}
              value={draft.settings}
              placeholder="optimizer.learningRate=1e-6, update.klCoef=0"
              onChange={({ target }) => onDraft({ ...draft, settings: target.value })}
            />
          )}
        </Field>
      </div>
      {draft.method === "levels" && <LevelChoices draft={draft} onDraft={onDraft} />}
    </fieldset>
  );
}

function GroupHead({ group, onWithdraw }: Pick<Props, "group" | "onWithdraw">) {
  const { name, environment, runIds, stated, proposal } = group;
  const sources = proposal.sources.map((source) => `the ${source}`).join(" and ");
  return (
    <p className="mb-2 flex flex-wrap items-baseline gap-x-2">
      <span className="font-medium break-words">{name}</span>
      <span className="text-sm text-muted">
        {formatCount(runIds.length, "run")}, {environment}
        {sources !== "" && stated === undefined && `; proposed from ${sources}`}
      </span>
      {stated !== undefined && (
        <span className="ml-auto flex items-baseline gap-2 text-sm">
          Stated: {stated}
          <Button kind="quiet" onClick={onWithdraw} aria-label={`Withdraw the statement on ${name}`}>
            Withdraw
          </Button>
        </span>
      )}
    </p>
  );
}

function LevelChoices({ draft, onDraft }: Pick<Props, "draft" | "onDraft">) {
  return (
    <div className="mt-3 grid gap-3 sm:grid-cols-4">
      {dimensionTexts.map(({ id, title }) => (
        <Choice
          key={id}
          as="menu"
          labelled="above"
          label={title}
          options={levelOptions(id)}
          value={draft.levels[id]}
          onChange={(level) => onDraft({ ...draft, levels: { ...draft.levels, [id]: level } })}
        />
      ))}
    </div>
  );
}

const marks = { mask: "masked", correction: "corrected" };

/** Options of a dimension. Clipping also offers the levels that a method has with a sequence mask or a correction. */
function levelOptions(id: DimensionId) {
  const { levels } = dimensionTexts.find((one) => one.id === id) ?? { levels: [] };
  const marked = new Set(
    methodNames.map((name) => factorLevels(methodOf(name))[id]).filter((one) => one.includes("+")),
  );
  return levels.flatMap((level) => [
    { value: level.id, label: level.title },
    ...Object.entries(marks)
      .map(([mark, word]) => ({ value: `${level.id}+${mark}`, label: `${level.title}, ${word}` }))
      .filter(({ value }) => marked.has(value)),
  ]);
}
