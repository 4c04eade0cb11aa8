"use client";
import Link from "next/link";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { RunDetail } from "#server/db/runs.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import { isOver } from "#server/domain/runStatus.ts";
import { MarksBar } from "#app/_components/marks/MarksBar.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { explainState, nameState, runLooks } from "#app/_charts/runLooks.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { formatIntegrity } from "./prepareIntegrity.ts";

export function RunHead({ run }: { run: RunDetail }) {
  const { icon, tone } = runLooks[run.status];
  const last = run.statusEvents.find((event) => event.status === run.status);
  // A tracked run has no budget that we know.
  const iterations = isImported(run.spec)
    ? Math.max(run.spec.budget.iterations, run.latestIteration)
    : spendingOf(run.spec).iterations;
  const integrity = formatIntegrity(run.attempts);
  return (
    <>
      <p className="mb-1 text-sm">
        <Link href={`/sweeps/${run.sweep.id}`} className="text-accent hover:underline">
          {run.sweep.name}
        </Link>
      </p>
      <PageHead
        title={`${[run.cell.method, run.cell.label].filter(Boolean).join(" · ")}, seed ${run.seed}`}
        actions={<RunActions run={run} />}
      >
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusPill tone={tone} icon={icon}>
            {nameState(run.status, run.reason)}
          </StatusPill>
          <span>{explainState(run.status, run.reason, last?.text ?? null)}</span>
        </span>
      </PageHead>
      <MarksBar kind="run" id={run.id} />
      <div className="mb-4">
        <ProgressBar
          label="Iterations"
          parts={[{ label: "iterations", count: run.latestIteration, tone }]}
          total={iterations}
        />
        <p className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
          <span>
            Iteration {run.latestIteration.toLocaleString("en-US")} of {iterations.toLocaleString("en-US")}
            {run.intent === "cancel" && !isOver(run.status) && ", being cancelled"}
          </span>
          {integrity && (
            <span className={integrity.isWhole ? "" : "text-warn"}>
              {!integrity.isWhole && <Icon name="warning" className="mr-1 inline size-3.5" />}
              {integrity.text}
            </span>
          )}
        </p>
      </div>
    </>
  );
}

function RunActions({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const stale = [trpc.run.byId.queryFilter({ id: run.id })];
  const cancel = useAction(trpc.run.cancel.mutationOptions(), { toast: "Cancelling this run", stale });
  const retry = useAction(trpc.run.retry.mutationOptions(), { toast: "One more attempt will start", stale });
  if (run.sweep.origin !== "plan") return null;
  if (run.status === "failed" || run.status === "cancelled") {
    return (
      <ActionButton kind="primary" disabled={retry.isPending} onClick={() => retry.mutate({ id: run.id })}>
        <Icon name="retry" /> Retry
      </ActionButton>
    );
  }
  if (isOver(run.status) || run.intent === "cancel") return null;
  return (
    <ActionButton kind="danger" disabled={cancel.isPending} onClick={() => cancel.mutate({ id: run.id })}>
      <Icon name="stop" /> Cancel run
    </ActionButton>
  );
}
