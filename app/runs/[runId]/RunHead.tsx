import { formatCount } from "#app/_charts/format.ts";
import { runPage, sweepPage } from "#server/domain/pages.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { chooseMetric, writeSpread } from "#packages/statistics";
import { stoppable } from "#app/_components/Analysing.tsx";
import { describeMetric } from "#trainer/spec/metric.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { describeIteration } from "#server/domain/runs/progress.ts";
import { describeFacts } from "#packages/detector";
import { MarkButtons, MarkNote } from "#app/_components/marks/MarksBar.tsx";
import { CancelButton } from "#app/_components/cancelling/CancelDialog.tsx";
import { CancelledNotice } from "#app/_components/cancelling/CancelledNotice.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { textTones } from "#app/_ui/StatusPill.tsx";
import { explainState, nameState, stateOf, states } from "#app/_ui/states.ts";
import { BranchButton } from "./_branch/BranchButton.tsx";
import { CauseLine } from "./CauseLine.tsx";
import { Downloads } from "./Downloads.tsx";
import { useState } from "react";
import type { Ending } from "#server/db/trainers/tracked.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";

/** Head of a run's page. A collapse and the first alarm come before the state of the process. */
export function RunHead({ run }: { run: RunDetail }) {
  return (
    <>
      <PageHead
        title={
          <>
            <Link href={sweepPage(run.sweep.id)} className="mr-3 text-sm font-normal text-accent hover:underline">
              {run.sweep.name}
            </Link>
            {`${[run.cell.method, run.cell.label].filter(Boolean).join(" · ")}, ${nameSeed(run)}`}
          </>
        }
        actions={
          <>
            <MarkButtons kind="run" id={run.id} />
            <BranchButton run={run} />
            <Downloads key={run.status} run={run} />
            <RunActions run={run} />
          </>
        }
      >
        <RunFactsLine run={run} />
        <RunState run={run} />
      </PageHead>
      <MarkNote kind="run" id={run.id} />
    </>
  );
}

/** Formats a run's seed: "seed 3"; for a branch "continuation 3", because its seed numbers the continuations. */
function nameSeed({ spec, seed }: RunDetail): string {
  const isBranch = !isImported(spec) && spec.initialisation.kind === "branch";
  return isBranch ? `continuation ${seed}` : `seed ${seed}`;
}

function RunFactsLine({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const { data } = useQuery(
    trpc.stability.standings.queryOptions({ runId: run.id }, { refetchInterval: isOver(run.status) ? false : 15_000 }),
  );
  const facts = data?.[0];
  if (!facts) return <p className="min-h-6" />;
  const { alarm, hindsight } = facts;
  const hasFallen = hindsight.word.startsWith("collapsed");
  const { icon, tone } = stateOf(facts);
  const hasAlarm = alarm.word === "unstable" || alarm.word === "collapsed";
  const told = describeFacts(facts);
  // A run that is healthy in hindsight is green, its alarm is not.
  const [happened = "", raised = ""] = hasFallen ? [told] : told.split("; ");
  const isExplained = hasFallen || (hindsight.word === "not judged yet" && hasAlarm);
  return (
    <>
      <p className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1">
        <span className={classes("flex items-center gap-1.5", textTones[tone], hasFallen && "text-base font-semibold")}>
          <Icon name={icon} className="size-4 shrink-0" />
          {happened}
        </span>
        {raised && <span className={hasAlarm ? textTones.warn : "text-muted"}>{raised}</span>}
        <RunResult run={run} />
        <FactsLinks run={run} hasFallen={hasFallen} hasAlarm={alarm.iteration !== null} />
      </p>
      {isExplained && <CauseLine runId={run.id} isOver={isOver(run.status)} />}
    </>
  );
}

type FactsLinksProps = { run: Pick<RunDetail, "id" | "spec">; hasFallen: boolean; hasAlarm: boolean };

/** Links to the replay and to the rescue, which an imported run's page does not have. */
export function FactsLinks({ run: { id, spec }, hasFallen, hasAlarm }: FactsLinksProps) {
  const address = `${runPage(id)}?tab=stability`;
  return (
    <>
      {(hasFallen || hasAlarm) && (
        <Link href={address} className="text-accent hover:underline">
          Replay
        </Link>
      )}
      {hasFallen && !isImported(spec) && (
        <Link href={`${address}#rescue`} className="text-accent hover:underline">
          What would have prevented it
        </Link>
      )}
    </>
  );
}

function RunResult({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const { data: keys = [] } = useQuery(trpc.series.keys.queryOptions({ scope: { runId: run.id } }));
  const metric = chooseMetric(keys);
  const input = { runIds: [run.id], cellIds: [], metric };
  const isAsked = keys.includes(metric) && isOver(run.status);
  const { data } = useQuery(trpc.comparison.finals.queryOptions(input, { enabled: isAsked, ...stoppable }));
  const [value] = data ?? [];
  if (!value || value.n === 0) return null;
  const described = describeMetric(metric);
  return (
    <span>
      {described.title} in the final window:{" "}
      <strong className="font-semibold">{writeSpread({ ...value, interval: null }, described)}</strong>
    </span>
  );
}

function RunState({ run }: { run: RunDetail }) {
  const { icon } = states[run.status];
  const last = run.statusEvents.find((event) => event.status === run.status);
  const isForeign = isImported(run.spec);
  const explanation = explainState(run.status, run.reason, isForeign ? null : (last?.text ?? null));
  // The iteration budget of another trainer's run is unknown; an import stores its last iteration.
  const known = isImported(run.spec) ? 0 : spendingOf(run.spec).iterations;
  const iterations = known > 0 ? Math.max(known, run.latestIteration) : 0;
  const integrity = formatIntegrity(run.attempts);
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="inline-flex items-center gap-1.5" title={explanation}>
          <Icon name={icon} className="size-3.5 shrink-0" />
          {nameState(run.status, run.reason)}
        </span>
        <span>{describeIteration(run.latestIteration, iterations)}</span>
        {integrity && (
          <span className="text-warn">
            <Icon name="warning" className="mr-1 inline size-3.5" />
            {integrity}
          </span>
        )}
      </p>
      {run.intent === "cancel" && !isOver(run.status) && (
        <CancelledNotice of={{ kind: "run", id: run.id }} by={run.cancelledBy} cancelAt={run.cancelAt} isOpen />
      )}
      {run.reason !== null && run.reason !== "completed" && <p className="text-sm">{explanation}</p>}
      {!isOver(run.status) && iterations > 0 && (
        <div className="mt-1.5 max-w-xl">
          <ProgressBar
            label="Iterations"
            parts={[{ label: "iterations", count: run.latestIteration, tone: states[run.status].tone }]}
            total={iterations}
          />
        </div>
      )}
    </>
  );
}

function RunActions({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const stale = [trpc.run.byId.queryFilter({ id: run.id })];
  const retry = useAction(trpc.run.retry.mutationOptions(), { toast: "One more attempt will start", stale });
  if (run.sweep.origin === "tracking" && !isOver(run.status)) return <EndButton runId={run.id} />;
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
    <CancelButton of={{ kind: "run", id: run.id }} label="Cancel run">
      The run stops after its current iteration. All measurements are kept, and you can retry the run.
    </CancelButton>
  );
}

/** Button that ends a run of an external trainer whose program no longer exists. The user states the result. */
function EndButton({ runId }: { runId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const trpc = useTrpc();
  const stale = [trpc.sweep.pathFilter(), trpc.run.pathFilter(), trpc.palette.pathFilter()];
  const end = useAction(trpc.run.end.mutationOptions(), { toast: "Run ended", stale });
  const confirm = (as: Ending) => {
    setIsAsking(false);
    end.mutate({ id: runId, as });
  };
  return (
    <>
      <ActionButton kind="danger" disabled={end.isPending} onClick={() => setIsAsking(true)}>
        <Icon name="stop" /> End run
      </ActionButton>
      <Dialog
        open={isAsking}
        title="End this run?"
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Keep the run open</Button>
            <Button onClick={() => confirm("finished")}>Mark as finished</Button>
            <Button kind="danger" onClick={() => confirm("failed")}>
              Mark as crashed
            </Button>
          </>
        }
      >
        A program normally reports the end of its run. If the program has stopped without a report, end the run here.
        The run then ends at its last measurement. A later report by the program replaces your choice.
      </Dialog>
    </>
  );
}

type Attempt = { numMetricLines: number; numRejected: number; done: { numMetricLines: number } | null };

/** Describes metric lines that are missing or unreadable in the newest attempt's stored log; null if none is. */
export function formatIntegrity(attempts: readonly Attempt[]): string | null {
  const [newest] = attempts;
  if (!newest) return null;
  const { numMetricLines: stored, numRejected, done } = newest;
  const parts = [
    ...(done && stored !== done.numMetricLines
      ? [`${formatCount(stored, "line")} stored ≠ ${done.numMetricLines.toLocaleString("en-US")} written`]
      : []),
    ...(numRejected > 0 ? [`${formatCount(numRejected, "line")} could not be read`] : []),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
