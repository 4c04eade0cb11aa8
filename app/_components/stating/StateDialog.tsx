"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "#app/_ui/Button.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { type DimensionId, dimensionTexts } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { parseStatement } from "#server/domain/plan/sweep/stored/statement.ts";
import type { StatedGroup } from "#server/api/trainers/statements.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { environments } from "#trainer/spec/environment.ts";
import { methodNames, methodOf, methods } from "#trainer/spec/method.ts";
import { isMethodChoice, noStatement, readDraft, type StateDraft, toDraft } from "./stateDraft.ts";

type Props = { scope: { sweepIds: string[] } | { runIds: string[] }; onClose: () => void };

/** Dialog in which the user states, or withdraws, the method and settings of imported runs, grouped by name. */
export function StateDialog({ scope, onClose }: Props) {
  const trpc = useTrpc();
  const { data: groups, error } = useQuery(trpc.statement.groups.queryOptions(scope));
  const [changed, setChanged] = useState<ReadonlyMap<number, StateDraft>>(new Map());
  const { stateAll, withdraw } = useStatements(onClose);
  const drafts = (groups ?? []).map((group) => ({ group, draft: changed.get(group.cellId) ?? openingDraft(group) }));
  const read = drafts.map(({ group, draft }) => ({ group, ...readDraft(draft) }));
  const asked = read.flatMap(({ group, statement }) => {
    const isOld = group.stated !== undefined && !changed.has(group.cellId);
    return statement && !isOld ? [{ ids: group.runIds, statement }] : [];
  });
  const numRuns = asked.reduce((sum, { ids }) => sum + ids.length, 0);
  const failure = stateAll.error ?? error;
  return (
    <Dialog
      open
      title="Set the method of these runs"
      onClose={onClose}
      footer={
        <ActionButton
          kind="primary"
          disabled={asked.length === 0 || stateAll.isPending || read.some(({ problem }) => problem !== undefined)}
          onClick={() => stateAll.mutate(asked)}
        >
          {asked.length === 0 ? "Save" : `Save ${formatCount(numRuns, "run")}`}
        </ActionButton>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Tell the studio which method and settings these runs used. Every page marks these settings as stated, that is,
          entered by a person. The logs stay unchanged, and you can withdraw these settings later.
        </p>
        {!groups && !error && <Skeleton className="h-40" />}
        {groups?.length === 0 && <p>None of these runs was imported, so their methods are already known.</p>}
        {drafts.map(({ group, draft }, i) => (
          <GroupForm
            key={group.cellId}
            group={group}
            draft={draft}
            problem={read[i]?.problem}
            onDraft={(next) => setChanged(new Map(changed).set(group.cellId, next))}
            onWithdraw={() => withdraw.mutate({ ids: group.runIds })}
          />
        ))}
        {failure && <Notice tone="bad">{errorWords(failure)}</Notice>}
      </div>
    </Dialog>
  );
}

function useStatements(onDone: () => void) {
  const trpc = useTrpc();
  const state = useMutation(trpc.statement.state.mutationOptions());
  const stateAll = useAction(
    { mutationFn: (asked: readonly Asked[]) => stateOneByOne(asked, state.mutateAsync) },
    {
      stale: "everything",
      showsError: true,
      toast: (numRuns) => `${formatCount(numRuns, "run")} saved`,
      onDone,
    },
  );
  const withdraw = useAction(trpc.statement.withdraw.mutationOptions(), {
    stale: "everything",
    toast: ({ numRuns }) => `Imported settings restored for ${formatCount(numRuns, "run")}`,
  });
  return { stateAll, withdraw };
}

type Asked = { ids: string[]; statement: Record<string, unknown> };
type State = (input: { ids: string[]; statement: ReturnType<typeof parseStatement> }) => Promise<{ numRuns: number }>;

async function stateOneByOne(asked: readonly Asked[], state: State): Promise<number> {
  // Validates all forms before the first one is stored.
  const checked = asked.map(({ ids, statement }) => ({ ids, statement: parseStatement(statement) }));
  let numRuns = 0;
  for (const one of checked) numRuns += (await state(one)).numRuns;
  return numRuns;
}

function openingDraft({ stated, proposal }: StatedGroup): StateDraft {
  return stated === undefined ? toDraft(proposal.statement) : noStatement;
}

type GroupFormProps = {
  group: StatedGroup;
  draft: StateDraft;
  problem: string | undefined;
  onDraft: (draft: StateDraft) => void;
  onWithdraw: () => void;
};

const methodOptions = [
  { value: "", label: "Not set" },
  { value: "levels", label: "Choose the four dimensions" },
  ...methodNames.map((name) => ({ value: name, label: methods[name].title, group: "Methods" })),
];

function GroupForm({ group, draft, problem, onDraft, onWithdraw }: GroupFormProps) {
  return (
    <fieldset className="min-w-0 border-t border-line pt-3 first:border-t-0 first:pt-0">
      <legend className="sr-only">{group.name}</legend>
      <GroupHead group={group} onWithdraw={onWithdraw} />
      <div className="grid gap-3 sm:grid-cols-3">
        <ChoiceField
          label="Method"
          options={methodOptions}
          value={draft.method}
          onChange={(method) => {
            if (!isMethodChoice(method)) return;
            const levels = method === "" || method === "levels" ? draft.levels : factorLevels(methodOf(method));
            onDraft({ ...draft, method, levels });
          }}
        />
        <TextField
          label="Environment"
          hint="Leave the field empty to keep the imported environment."
          value={draft.environment}
          maxLength={100}
          placeholder={Object.keys(environments)[0]}
          onChange={({ target }) => onDraft({ ...draft, environment: target.value })}
        />
        <TextField
          label="Hyperparameters"
          error={problem}
          value={draft.settings}
          placeholder="optimizer.learningRate=1e-6, update.klCoef=0"
          onChange={({ target }) => onDraft({ ...draft, settings: target.value })}
        />
      </div>
      {draft.method === "levels" && <LevelChoices draft={draft} onDraft={onDraft} />}
    </fieldset>
  );
}

function GroupHead({ group, onWithdraw }: Pick<GroupFormProps, "group" | "onWithdraw">) {
  const { name, environment, runIds, stated, proposal } = group;
  const sources = proposal.sources.map((source) => `the ${source}`).join(" and ");
  return (
    <p className="mb-2 flex flex-wrap items-baseline gap-x-2">
      <span className="font-medium break-words">{name}</span>
      <span className="text-sm text-muted">
        {formatCount(runIds.length, "run")}, {environment}
        {sources !== "" && stated === undefined && `; method proposed from ${sources}`}
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

function LevelChoices({ draft, onDraft }: Pick<GroupFormProps, "draft" | "onDraft">) {
  return (
    <div className="mt-3 grid gap-3 sm:grid-cols-4">
      {dimensionTexts.map(({ id, title }) => (
        <ChoiceField
          key={id}
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

/** Returns a dimension's levels. Clipping levels are repeated with the mask or correction of published methods. */
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
