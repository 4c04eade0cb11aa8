import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { EventList } from "#app/_components/stability/EventList.tsx";
import { LazyMount } from "#app/_charts/LazyDrawing.tsx";
import { iterationsToBranch } from "#server/domain/plan/rescue/branchingPoints.ts";
import { Rescue } from "./Rescue.tsx";
import { ReplayView } from "./_replay/ReplayView.tsx";
import { useState } from "react";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { StateKey } from "#app/_ui/StateKey.tsx";

type Props = {
  runId: string;
  sweepId: string;
  /** Iterations after which a branch can begin: any, only those with a checkpoint (external trainers), or none. */
  branching: "any" | "checkpoints" | "none";
  iterationMs: number | undefined;
  /** Colour of the run's configuration. */
  color: string;
  isOver: boolean;
};

export function RunStability({ runId, sweepId, branching, iterationMs, ...shown }: Props) {
  const trpc = useTrpc();
  const overview = useQuery(trpc.stability.runs.queryOptions({ sweepIds: [sweepId] }, { refetchInterval: 15_000 }));
  const events = useQuery(trpc.stability.events.queryOptions({ runId }));
  if (overview.error) return <Notice tone="bad">{errorWords(overview.error)}</Notice>;
  if (!overview.data || !events.data) return <Skeleton className="h-64" />;
  const run = overview.data.runs.find((one) => one.runId === runId);
  if (!run?.status)
    return <p className="text-muted">No data yet: the run has logged no metric that the detector reads.</p>;
  const hasFallen = run.hindsight.iteration !== null || run.alarm.word === "collapsed";
  const question = hasFallen
    ? "Which change would have prevented the collapse?"
    : "Would a change have made this run better?";
  const rescue = branching !== "none" && (
    <Rescue
      {...{ runId, iterationMs, question }}
      proposed={iterationsToBranch(run)?.toReversed() ?? [0]}
      needsCheckpoints={branching === "checkpoints"}
    />
  );
  return (
    <div className="space-y-6">
      {run.missing.length > 0 && (
        <Notice tone="warn">
          The detector cannot watch these metrics, because they were not logged:{" "}
          {run.missing.map(({ title, needs }) => (needs === title ? title : `${title} (needs ${needs})`)).join("; ")}.
        </Notice>
      )}
      {/* A link leads to this section, so nothing above it may grow. */}
      {hasFallen && rescue}
      <section aria-labelledby="replay">
        <h2 id="replay" className="mb-3 font-semibold">
          Replay
        </h2>
        <LazyMount height={480}>
          <ReplayView runId={runId} {...shown} />
        </LazyMount>
      </section>
      <section aria-labelledby="events">
        <h2 id="events" className="font-semibold">
          Events
        </h2>
        <EventList events={events.data} />
        <StateKey />
      </section>
      {!hasFallen && rescue}
      <ExternalChanges runId={runId} />
    </div>
  );
}

/** Lists external changes: a drop in success after one is not a collapse, and the detector restarts there. */
function ExternalChanges({ runId }: { runId: string }) {
  const trpc = useTrpc();
  const { data: changes = [] } = useQuery(trpc.stability.changes.queryOptions({ runId }));
  const unmark = useAction(trpc.stability.unmarkChange.mutationOptions(), { stale: [trpc.stability.pathFilter()] });
  return (
    <section aria-label="External changes" className="text-sm">
      <h2 className="font-semibold">External changes</h2>
      <p className="text-muted">
        Mark an iteration at which the data or the task changed. A drop of success after that iteration is then not
        counted as a collapse. A line of type “event” in the event log has the same effect.
      </p>
      <ul className="my-1">
        {changes.map((change) => (
          <li key={`${change.id} ${change.iteration}`} className="flex items-center gap-2">
            <span>
              From iteration {change.iteration.toLocaleString("en-US")}
              {change.text !== "" && `: ${change.text}`}
              <span className="text-muted"> ({changeSources[change.source]})</span>
            </span>
            {change.source === "person" && (
              <ActionButton kind="quiet" className="px-2 text-xs" onClick={() => unmark.mutate({ id: change.id })}>
                Remove
              </ActionButton>
            )}
          </li>
        ))}
      </ul>
      <MarkForm runId={runId} />
    </section>
  );
}

const changeSources = {
  log: "from the event log",
  person: "marked on this page",
  origin: "at or before the start of this branch",
};

function MarkForm({ runId }: { runId: string }) {
  const trpc = useTrpc();
  const [iteration, setIteration] = useState("");
  const [text, setText] = useState("");
  const mark = useAction(trpc.stability.markChange.mutationOptions(), {
    toast: "Change marked; the run is judged again",
    stale: [trpc.stability.pathFilter()],
    onDone: () => {
      setIteration("");
      setText("");
    },
  });
  const isNumber = /^\d{1,9}$/.test(iteration);
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (isNumber) mark.mutate({ runId, iteration: Number(iteration), text });
      }}
    >
      <div className="w-28">
        <Input
          aria-label="First iteration after the change"
          placeholder="Iteration"
          inputMode="numeric"
          value={iteration}
          onChange={({ target }) => setIteration(target.value)}
        />
      </div>
      <div className="w-64">
        <Input
          aria-label="Description of the change"
          placeholder="Description of the change"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <ActionButton type="submit" disabled={!isNumber || mark.isPending}>
        Mark
      </ActionButton>
    </form>
  );
}
