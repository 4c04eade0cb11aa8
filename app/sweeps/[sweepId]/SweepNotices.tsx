import { pages, runPage } from "#server/domain/pages.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "#app/_ui/Link.tsx";
import type { CellRow } from "#server/db/runs/runs.ts";
import { formatCount, formatSlotHours } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { describeResting } from "#server/domain/plan/stopping/restingRules.ts";
import type { PlannedSweep } from "#server/db/plan/sweeps.ts";
import type { Stopping, StoppingAccount } from "#server/domain/plan/stopping/stopping.ts";
import { countOver, type RunCounts } from "#server/domain/runs/progress.ts";
import { PriorityButtons } from "#app/_components/sweeps/SweepsHead.tsx";
import { formatPriority } from "#server/domain/fleet/queue/formatPriority.ts";
import { describeUntaught } from "#packages/detector";
import { Notice } from "#app/_ui/Notice.tsx";

/** Lists runs that were added to the sweep and then cancelled, which results ignore. */
export function TakenBack({ sweepId, cells }: { sweepId: string; cells: readonly CellRow[] }) {
  const trpc = useTrpc();
  const { data: runs = [] } = useQuery(trpc.run.takenBack.queryOptions({ sweepId }));
  if (runs.length === 0) return null;
  const nameOf = new Map(cells.map(({ id, method, label }) => [id, [method, label].filter(Boolean).join(" · ")]));
  return (
    <details className="mt-2 text-sm text-muted">
      <summary>{formatCount(runs.length, "added run")} removed, no longer counted in results</summary>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {runs.map(({ id, cellId, seed, latestIteration }) => (
          <li key={id}>
            <Link href={runPage(id)} className="underline">
              {nameOf.get(cellId)}, seed {seed}
            </Link>{" "}
            ({formatCount(latestIteration, "iteration")})
          </li>
        ))}
      </ul>
    </details>
  );
}

function StoppingView({ sweepId, isOpen }: { sweepId: string; isOpen: boolean }) {
  const trpc = useTrpc();
  const { data } = useQuery(
    trpc.sweep.stopping.queryOptions({ id: sweepId }, { refetchInterval: isOpen ? 10_000 : false }),
  );
  if (!data) return null;
  const { rule, account } = formatStopping(data);
  return (
    <p className="mb-4 rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      <span className="font-medium">{rule}</span> <span className="text-muted">{account}</span>
    </p>
  );
}

/** Says which rules of an imported sweep's plan start nothing, and how to start their runs; undefined without rules. */
export function describeImported({ importedAt, plan }: Pick<PlannedSweep, "importedAt" | "plan">): string | undefined {
  if (importedAt === null || !plan) return undefined;
  const rules = [
    plan.rescue && "its rescue rule opens no branches (a collapsed run's page can)",
    plan.search && "its search adds no trials until you set their number",
  ].filter(Boolean);
  return rules.length === 0 ? undefined : `Imported, so nothing starts by itself: ${rules.join("; ")}.`;
}

/** Shows the rules of a sweep's plan that act while it trains, or that rest because it is imported. */
export function RulesView({ sweep, isOpen }: { sweep: PlannedSweep; isOpen: boolean }) {
  const imported = describeImported(sweep);
  return (
    <>
      {imported && (
        <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-muted">
          <p>{imported}</p>
          {sweep.intent === "run" && <LetRulesAct id={sweep.id} />}
        </div>
      )}
      {sweep.plan?.stopping && <StoppingView sweepId={sweep.id} isOpen={isOpen} />}
    </>
  );
}

function LetRulesAct({ id }: { id: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <ActionButton onClick={() => setAsking(true)}>Let its rules act</ActionButton>
      {isAsking && <AskToAct id={id} onClose={() => setAsking(false)} />}
    </>
  );
}

/** States the number of runs that the rules start, which the request confirms. */
function AskToAct({ id, onClose }: { id: string; onClose: () => void }) {
  const trpc = useTrpc();
  const { data, error } = useQuery(
    trpc.sweep.restingRules.queryOptions(
      { id },
      { staleTime: 0, refetchInterval: ({ state }) => (state.data?.isJudging === true ? 3000 : false) },
    ),
  );
  const act = useAction(trpc.sweep.letRulesAct.mutationOptions(), {
    toast: ({ numRuns }) => `Its rules act now: ${formatCount(numRuns, "run")}`,
    onDone: onClose,
    showsError: true,
    stale: "everything",
  });
  const problem = act.error ?? error;
  const runs = formatCount(data?.numRuns ?? 0, "run");
  return (
    <Dialog
      open
      title="Let the rules of this sweep’s plan act?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Start nothing</Button>
          <Button
            kind="primary"
            disabled={!data || data.isJudging || act.isPending}
            onClick={() => act.mutate({ id, numRuns: data?.numRuns ?? 0 })}
          >
            {data && !data.isJudging ? `Start ${runs}` : "Counting runs…"}
          </Button>
        </>
      }
    >
      {data?.isJudging === true && <p>Runs are being labelled; branches are counted afterwards.</p>}
      {data && !data.isJudging && (
        <>
          <p>{data.numRuns === 0 ? "Now they start no run." : `Now they start ${runs}:`}</p>
          <ul className="list-disc pl-5">
            {describeResting(data).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
      <p className="mt-2 text-sm text-muted">
        Later, the rules act as in a sweep launched here: on runs that you retry or add, and on trials’ results.
      </p>
      {problem && <Notice tone="bad">{errorWords(problem)}</Notice>}
    </Dialog>
  );
}

export function TurnView({ sweepId, numPending }: { sweepId: string; numPending: number }) {
  const trpc = useTrpc();
  const isWaiting = numPending > 0;
  const [hadTurn] = useState(isWaiting);
  const { data: queue = [] } = useQuery(
    trpc.queue.list.queryOptions(undefined, { refetchInterval: 5000, enabled: isWaiting }),
  );
  const turn = prepareTurn(queue, sweepId);
  if (!isWaiting && !hadTurn) return null;
  // The line keeps its height after the last start, so that nothing below it moves.
  if (!turn || !isWaiting)
    return <p className="mb-4 min-h-8 text-sm text-muted">{!isWaiting && "No run waits for its start."}</p>;
  const { sweepName, priorityMinutes, isFirst, position, problem } = turn;
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <span>
        Priority: {formatPriority(priorityMinutes)}; {position} in the{" "}
        <Link href={pages.queue} className="text-accent underline">
          queue
        </Link>
      </span>
      <span className="flex gap-1">
        <PriorityButtons {...{ sweepId, sweepName, priorityMinutes, isFirst }} />
      </span>
      {problem !== null && <span className="text-bad">No node can run this sweep: {problem}</span>}
    </div>
  );
}

/** Warns, from the first evaluation on, of runs without any success and of metrics that the plan names in vain. */
export function EvaluationWarnings({ sweepId, counts }: { sweepId: string; counts: RunCounts }) {
  const numRuns = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const isOpen = countOver(counts) < numRuns;
  return (
    <>
      <UntaughtView {...{ sweepId, numRuns, isOpen }} />
      <MissingMetricsView {...{ sweepId, isOpen }} />
    </>
  );
}

type Watched = { sweepId: string; isOpen: boolean };

function UntaughtView({ sweepId, numRuns, isOpen }: Watched & { numRuns: number }) {
  const trpc = useTrpc();
  const { data = 0 } = useQuery(
    trpc.stability.untaught.queryOptions({ sweepId }, { refetchInterval: isOpen ? 15_000 : false }),
  );
  const sentence = describeUntaught(data, numRuns);
  if (sentence === undefined) return null;
  return (
    <div className="mb-4">
      <Notice tone="warn">{sentence}.</Notice>
    </div>
  );
}

function MissingMetricsView({ sweepId, isOpen }: Watched) {
  const trpc = useTrpc();
  const { data = [] } = useQuery(
    trpc.run.missingMetrics.queryOptions({ sweepId }, { refetchInterval: isOpen ? 15_000 : false }),
  );
  if (data.length === 0) return null;
  return (
    <div className="mb-4">
      <Notice tone="warn">
        <ul className="space-y-1 break-words">
          {data.map(({ text, numRuns }) => (
            <li key={text}>
              {formatCount(numRuns, "run")}: {text}.
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

type Waiting = {
  sweepId: string;
  sweepName: string;
  priorityMinutes: number;
  numPending: number;
  problem: string | null;
};

/** Returns a sweep's position in the queue of sweeps with waiting runs; undefined if none of its runs waits. */
export function prepareTurn(queue: readonly Waiting[], sweepId: string) {
  const waiting = queue.filter(({ numPending }) => numPending > 0);
  const at = waiting.findIndex((sweep) => sweep.sweepId === sweepId);
  const entry = waiting[at];
  if (!entry) return undefined;
  const position =
    waiting.length === 1 ? "alone" : at === 0 ? `first of ${waiting.length}` : `${at + 1} of ${waiting.length}`;
  return { ...entry, isFirst: at === 0, position };
}

/** Formats the rule and its effect in slot-hours; on nodes with GPUs, a slot is a GPU. */
export function formatStopping({ rule, account }: { rule: Stopping; account: StoppingAccount }) {
  const { at, iterations, letGoOnShare } = rule;
  const when = at === "collapsed" ? "has collapsed" : `has been unstable for ${formatCount(iterations, "iteration")}`;
  const share =
    letGoOnShare > 0
      ? `. ${Math.round(letGoOnShare * 100)} % of these runs continue as controls, to measure how many stops are wrong`
      : "";
  const { numStopped, numControls, numFalse, numJudged, savedMs, wastedMs } = account;
  const parts = [
    `${formatCount(numStopped, "run")} stopped, ${formatSlotHours(savedMs)} saved`,
    ...(numControls > 0
      ? [
          `${formatCount(numControls, "control")} continued; stopping would have been wrong for ${numFalse} of ${numJudged} judged controls`,
        ]
      : []),
    `${formatSlotHours(wastedMs)} used by runs after the rule applied to them`,
  ];
  return {
    rule: `A run is stopped once it ${when}${share}.`,
    account: numStopped + numControls === 0 ? "The rule has not applied to any run yet." : `${parts.join("; ")}.`,
  };
}
