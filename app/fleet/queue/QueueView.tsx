"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { pages, sweepPage } from "#server/domain/pages.ts";
import type { inferRouterOutputs } from "@trpc/server";
import { ButtonLink, Link } from "#app/_ui/Link.tsx";
import type { AppRouter } from "#server/api/root.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { CancelEvaluations } from "#app/_components/cancelling/CancelDialog.tsx";
import { Cell, Head, HeadCell, Table } from "#app/_ui/Table.tsx";
import { PriorityButtons } from "#app/_components/sweeps/SweepsHead.tsx";
import { formatPriority } from "#server/domain/fleet/queue/formatPriority.ts";

type Queue = inferRouterOutputs<AppRouter>["queue"]["list"];

export function QueueView() {
  // The orchestrator stores its observations twice a second, so a refetch every two seconds is enough.
  const { data: queue } = useSuspenseQuery(useTrpc().queue.list.queryOptions(undefined, { refetchInterval: 2000 }));
  return (
    <>
      <PageHead title="Queue" />
      <div className="mb-4">
        <AnswerSentence text={sayQueue(queue)} />
      </div>
      {queue.length === 0 ? (
        <EmptyState
          title="The queue is empty"
          actions={
            <ButtonLink href={pages.newSweep} kind="primary">
              New sweep
            </ButtonLink>
          }
        >
          Launched sweeps are listed here until all their runs have ended.
        </EmptyState>
      ) : (
        <Table caption="Sweeps in queue order">
          <Head
            cells={[
              "Sweep",
              "Runs",
              <HeadCell key="needs" className="max-sm:hidden">
                Each run needs
              </HeadCell>,
              <HeadCell key="launched" className="max-sm:hidden">
                Launched
              </HeadCell>,
              "Priority",
            ]}
          />
          <tbody>
            {queue.map((sweep, i) => (
              <QueueRow key={sweep.sweepId} sweep={sweep} isFirst={i === 0} />
            ))}
          </tbody>
        </Table>
      )}
      <details className="mt-4 text-sm text-muted">
        <summary className="w-fit cursor-pointer">How the order is decided</summary>
        <p className="mt-1 max-w-prose">
          A free slot goes to an evaluation of a finished run, or else to the first sweep in the queue whose runs fit
          into the slot. Sweeps are ordered by the time of their launch, and a priority of +2 h counts as two hours
          earlier. Sweeps launched later can therefore not delay a sweep forever. No running run is stopped for another
          sweep.
        </p>
      </details>
    </>
  );
}

/** Counts running and waiting runs, and names the sweep whose runs start next; empty for an empty queue. */
export function sayQueue(
  queue: readonly Pick<Queue[number], "sweepName" | "numPending" | "numLive" | "intent">[],
): string {
  if (queue.length === 0) return "";
  const [numLive, numPending] = [
    queue.reduce((sum, one) => sum + one.numLive, 0),
    queue.reduce((sum, one) => sum + one.numPending, 0),
  ];
  const next = queue.find((one) => one.intent === "run" && one.numPending > 0);
  const waits = numPending === 1 ? "1 run waits" : `${formatCount(numPending, "run")} wait`;
  const verb = numLive === 1 ? "is training" : "are training";
  return `${formatCount(numLive, "run")} ${verb}, ${numPending === 0 ? "none waits" : waits}${next ? `; next: ${next.sweepName}` : ""}.`;
}

function QueueRow({ sweep, isFirst }: { sweep: Queue[number]; isFirst: boolean }) {
  const { sweepId, sweepName, priorityMinutes, numPending, numLive, intent, labels, problem } = sweep;
  const { numEvaluating, numToEvaluate } = sweep;
  const needs = [needsOf(sweep), ...labels].join(", ");
  return (
    <tr>
      <Cell>
        <Link href={sweepPage(sweepId)} className="font-medium hover:underline">
          {sweepName}
        </Link>
        <div className="text-xs text-muted sm:hidden">
          {needs} a run, launched <Ago at={sweep.createdAt} />
        </div>
        {intent !== "run" && (
          <div className="text-xs text-warn">{intent === "pause" ? "paused" : "being cancelled"}</div>
        )}
        {problem !== null && numPending > 0 && (
          <div className="text-xs text-bad">No node can run this sweep: {problem}</div>
        )}
      </Cell>
      <Cell className="whitespace-nowrap">
        {numLive} running, <span className="max-sm:block">{numPending} waiting</span>
        {numEvaluating + numToEvaluate > 0 && (
          <div className="text-xs text-muted">
            Evaluations: {numEvaluating} running, {numToEvaluate} waiting
            <CancelEvaluations of={{ sweepIds: [sweepId] }} label="Cancel evaluations" />
          </div>
        )}
      </Cell>
      <Cell className="whitespace-nowrap max-sm:hidden">{needs}</Cell>
      <Cell className="whitespace-nowrap text-muted max-sm:hidden">
        <Ago at={sweep.createdAt} />
      </Cell>
      <Cell>
        <div className="flex items-center gap-1 max-sm:flex-wrap">
          <span className="min-w-14 tabular-nums">{formatPriority(priorityMinutes)}</span>
          <PriorityButtons {...{ sweepId, sweepName, priorityMinutes, isFirst }} />
        </div>
      </Cell>
    </tr>
  );
}

function needsOf({ slotsPerRun, gpusPerRun }: Queue[number]): string {
  return gpusPerRun === null ? formatCount(slotsPerRun, "slot") : formatCount(gpusPerRun, "GPU");
}
