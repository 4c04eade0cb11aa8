"use client";
import { useQueries } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import type { ComparedConfiguration } from "#server/db/analysis/comparedRuns.ts";
import { nameTask } from "#server/domain/environments/taskSeed.ts";
import { formatCount } from "#app/_charts/format.ts";
import { LazyMount } from "#app/_charts/LazyDrawing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { textPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ChoiceBeside } from "#app/_ui/Choice.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { chooseColumns, listIterations, listTasks, maxColumns, type SampledRun } from "./chooseColumns.ts";

// Dynamic import of the code that draws environments; it is loaded when there are episodes near the viewport.
const SideBySide = dynamic(() => import("./SideBySide.tsx").then((module) => module.SideBySide), {
  loading: () => <Skeleton className="h-64" />,
});

type Props = { configurations: readonly ComparedConfiguration[]; names: ReadonlyMap<number, string> };

const taskPart = textPart("task");
const iterationPart = textPart("at");
const overPart = textPart("over");

/** Returns up to `maxColumns` runs: of one configuration, else one of each with the first one's environment. */
function listRuns({ configurations, names }: Props): { runId: string; name: string }[] {
  const [first, ...others] = configurations;
  if (first && others.length === 0) {
    return first.runs.slice(0, maxColumns).map(({ id, seed }) => ({ runId: id, name: `seed ${seed}` }));
  }
  const environment = JSON.stringify(first?.spec.environment);
  return configurations
    .filter(({ spec }) => JSON.stringify(spec.environment) === environment)
    .slice(0, maxColumns)
    .flatMap(({ cellId, runs: [run] }) => (run ? [{ runId: run.id, name: names.get(cellId) ?? run.id }] : []));
}

/** Shows episodes of one task side by side: of several runs at one iteration, or of one run at several. */
export function ComparedEpisodes({ configurations, names }: Props) {
  const trpc = useTrpc();
  const runs = listRuns({ configurations, names });
  const queries = useQueries({ queries: runs.map(({ runId }) => trpc.run.episodes.queryOptions({ id: runId })) });
  const error = queries.find((query) => query.error)?.error;
  const sampled = runs.flatMap((run, i): SampledRun[] => {
    const episodes = queries[i]?.data?.episodes;
    return episodes ? [{ ...run, episodes }] : [];
  });
  return (
    <section aria-labelledby="episodes">
      <h2 id="episodes" className="mb-2 font-semibold">
        Episodes of the same task
      </h2>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {sampled.length < runs.length && !error ? (
        <Skeleton className="h-40" />
      ) : (
        <ChosenEpisodes
          runs={sampled}
          configurations={configurations}
          numLeftOut={configurations.length - runs.length}
        />
      )}
    </section>
  );
}

type ChosenProps = { runs: SampledRun[]; configurations: readonly ComparedConfiguration[]; numLeftOut: number };

function ChosenEpisodes({ runs, configurations, numLeftOut }: ChosenProps) {
  const [task, setTask] = useAddress(taskPart);
  const [at, setAt] = useAddress(iterationPart);
  const [over, setOver] = useAddress(overPart);
  const tasks = listTasks(runs);
  if (tasks.length === 0)
    return <p className="text-muted">The studio&apos;s server stores no episodes of these runs.</p>;
  const seed = tasks.find((one) => String(one) === task) ?? tasks[0] ?? 0;
  const iterations = listIterations(runs, seed);
  const iteration = iterations.find((one) => String(one) === at);
  const isOver = runs.some(({ runId }) => runId === over);
  const columns = chooseColumns(runs, { task: seed, iteration, over: isOver ? over : undefined });
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <ChoiceBeside
          label="Task"
          options={tasks.map((one) => ({ value: String(one), label: nameTask(one) }))}
          value={String(seed)}
          onChange={setTask}
        />
        <ChoiceBeside
          label="Compare"
          options={[
            { value: "", label: "runs side by side" },
            ...runs.map(({ runId, name }) => ({ value: runId, label: `${name} over iterations` })),
          ]}
          value={isOver ? over : ""}
          onChange={setOver}
        />
        {!isOver && (
          <ChoiceBeside
            label="Iteration"
            options={[
              { value: "", label: "each run’s last" },
              ...iterations.map((one) => ({ value: String(one), label: String(one) })),
            ]}
            value={iteration === undefined ? "" : String(iteration)}
            onChange={setAt}
          />
        )}
        {numLeftOut > 0 && configurations.length > 1 && (
          <span className="text-muted">
            Not shown: {formatCount(numLeftOut, "configuration")} with another environment or beyond the limit of{" "}
            {maxColumns} columns.
          </span>
        )}
      </div>
      <LazyMount height={256}>
        <SideBySide
          key={columns.map(({ runId, head }) => `${runId} ${head.attempt}.${head.line}`).join()}
          columns={columns}
          configurations={configurations}
        />
      </LazyMount>
    </>
  );
}
