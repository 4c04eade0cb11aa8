"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { parseStatement } from "#server/domain/plan/sweep/statement.ts";
import type { StatedGroup } from "#server/api/trainers/statements.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { GroupForm } from "./GroupForm.tsx";
import { noStatement, readDraft, toDraft, type StateDraft } from "./stateDraft.ts";

type Props = { scope: { sweepIds: string[] } | { runIds: string[] }; onClose: () => void };

/** Method, environment and settings of imported runs by their names: proposed, stated, withdrawn. */
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
          Tell the studio which method and settings these runs used. Every page marks them as stated. The logs stay
          unchanged, and you can undo it.
        </p>
        {!groups && !error && <Skeleton className="h-40" />}
        {groups?.length === 0 && <p>None of these runs was imported: their methods are known.</p>}
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
    toast: ({ numRuns }) => `${formatCount(numRuns, "run")} as imported again`,
  });
  return { stateAll, withdraw };
}

type Asked = { ids: string[]; statement: Record<string, unknown> };
type State = (input: { ids: string[]; statement: ReturnType<typeof parseStatement> }) => Promise<{ numRuns: number }>;

async function stateOneByOne(asked: readonly Asked[], state: State): Promise<number> {
  // All are validated before the first is stored.
  const checked = asked.map(({ ids, statement }) => ({ ids, statement: parseStatement(statement) }));
  let numRuns = 0;
  for (const one of checked) numRuns += (await state(one)).numRuns;
  return numRuns;
}

function openingDraft({ stated, proposal }: StatedGroup): StateDraft {
  return stated === undefined ? toDraft(proposal.statement) : noStatement;
}
