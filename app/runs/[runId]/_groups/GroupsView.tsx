"use client";
import { useQuery } from "@tanstack/react-query";
import type { GroupHead } from "#server/api/runs/groups.ts";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { FigureSourceProvider } from "#app/_charts/figureSource.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { ChoiceBeside } from "#app/_ui/Choice.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { GroupEpisodes } from "./GroupEpisodes.tsx";
import { TokenHeat } from "./TokenHeat.tsx";
import { prepareHeat } from "./prepareHeat.ts";
import { filterGroups, filters, findGroup, type GroupsAddress, groupsPart, sayGroup } from "./prepareGroups.ts";

/** Training groups that a run kept: what the loss did with every token. */
export function GroupsView({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const [address, setAddress] = useAddress(groupsPart);
  const refetchInterval = isOver(run.status) ? false : 10_000;
  const { data, error } = useQuery(trpc.run.groups.queryOptions({ id: run.id }, { refetchInterval }));
  const problem = error && <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return problem ?? <Skeleton className="h-96" />;
  if (data.groups.length === 0) return <NoGroups run={run} />;
  const shown = filterGroups(data.groups, address);
  const head = findGroup(shown, address);
  const heat = prepareHeat(data.groups);
  return (
    <section aria-label="Groups" className="flex flex-col gap-4">
      {problem}
      {data.numUnreadable > 0 && (
        <Notice tone="warn">{formatCount(data.numUnreadable, "line")} of groups.jsonl could not be read.</Notice>
      )}
      <Controls {...{ all: data.groups, shown, head, address }} onChange={setAddress} />
      {head ? (
        <Group run={run} head={head} />
      ) : (
        <EmptyState
          title="No matches"
          actions={<Button onClick={() => setAddress({ filter: "all" })}>Show all groups</Button>}
        />
      )}
      {heat.length > 0 && (
        <FigureSourceProvider names={[`${run.sweep.name}, ${run.cell.method} seed ${run.seed}`]}>
          <div className="order-2 grid gap-4 lg:grid-cols-2">
            <TokenHeat name="logRatio" columns={heat} />
            <TokenHeat name="advantage" columns={heat} />
          </div>
        </FigureSourceProvider>
      )}
    </section>
  );
}

function NoGroups({ run }: { run: RunDetail }) {
  const { spec } = run;
  const every = isImported(spec) ? undefined : (spec.execution.groups?.every ?? 5);
  return (
    <EmptyState title="No groups">
      {isImported(spec) || spec.trainer
        ? "The files of this run contain no training groups. Import TRL's completions_*.parquet or the files of verl's trainer.rollout_data_dir with the logs."
        : every === 0
          ? "This run keeps no groups (execution.groups.every is 0)."
          : isOver(run.status)
            ? "A group is the episodes of one task whose rewards are compared. None of this run are stored: recorded studies leave them out, and new runs keep one every five iterations."
            : `A group is kept every ${every} iterations. The studio's server has none of this run yet.`}
    </EmptyState>
  );
}

type ControlsProps = {
  all: readonly GroupHead[];
  shown: readonly GroupHead[];
  head: GroupHead | undefined;
  address: GroupsAddress;
  onChange: (address: GroupsAddress) => void;
};

function Controls({ all, shown, head, address, onChange }: ControlsProps) {
  const { filter, task } = address;
  const index = head ? shown.indexOf(head) : -1;
  const goTo = (next: GroupHead | undefined) => {
    if (next) onChange({ filter, ...(task !== undefined && { task }), iteration: next.iteration, group: next.group });
  };
  const numOfTask = head ? all.filter((group) => group.task === head.task).length : 0;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <ChoiceBeside
        label="Show"
        options={filters}
        value={filter}
        onChange={(next) => onChange({ ...address, filter: next })}
      />
      {head && (
        <div className="flex min-w-0 grow items-center gap-2 sm:max-w-xl">
          <Button aria-label="Previous group" disabled={index <= 0} onClick={() => goTo(shown[index - 1])}>
            ←
          </Button>
          <input
            type="range"
            aria-label="Iteration"
            aria-valuetext={`iteration ${head.iteration}, group ${head.group}`}
            className="min-w-0 grow accent-accent"
            min={0}
            max={shown.length - 1}
            value={index}
            onChange={({ target }) => goTo(shown[Number(target.value)])}
          />
          <Button aria-label="Next group" disabled={index >= shown.length - 1} onClick={() => goTo(shown[index + 1])}>
            →
          </Button>
          <span className="whitespace-nowrap text-muted" role="status">
            {index + 1} of {formatCount(shown.length, "group")}
          </span>
        </div>
      )}
      {task !== undefined ? (
        <Button kind="quiet" onClick={() => onChange({ ...address, task: undefined })}>
          Only task {task}: show all tasks
        </Button>
      ) : (
        head &&
        numOfTask > 1 && (
          <Button kind="quiet" onClick={() => onChange({ ...address, task: head.task })}>
            Task {head.task} over iterations ({formatCount(numOfTask, "group")})
          </Button>
        )
      )}
    </div>
  );
}

function Group({ run, head }: { run: RunDetail; head: GroupHead }) {
  const trpc = useTrpc();
  const { attempt, iteration, group } = head;
  const { data, error } = useQuery(
    trpc.run.group.queryOptions({ id: run.id, attempt, iteration, group }, { staleTime: Infinity }),
  );
  return (
    <>
      {/* On a phone the sentence follows the tokens, which are then on the first screen. */}
      <p className="max-w-prose text-base max-sm:order-1">{sayGroup(head)}</p>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {data ? (
        <GroupEpisodes key={`${attempt} ${iteration} ${group}`} head={head} detail={data} />
      ) : (
        !error && <Skeleton className="h-96" />
      )}
    </>
  );
}
