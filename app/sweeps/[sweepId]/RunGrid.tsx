"use client";
import Link from "next/link";
import type { CellRow, RunRow } from "#server/db/runs.ts";
import type { Status } from "#server/domain/stability/verdict/status.ts";
import { formatCount } from "#app/_charts/format.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { explainState, nameState, runLooks } from "#app/_charts/runLooks.ts";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";
import { statusLooks } from "#app/_components/stability/statusLooks.ts";

type Props = {
  cells: readonly CellRow[];
  runs: readonly RunRow[];
  /** By run: where it stands by the detector. */
  standings: ReadonlyMap<string, Status | null>;
  /** Runs of other trainers are read, not run. */
  canRetry: boolean;
};

const tones: Record<Tone, { text: string; fill: string }> = {
  neutral: { text: "text-muted", fill: "bg-edge/40" },
  accent: { text: "text-accent", fill: "bg-accent" },
  good: { text: "text-good", fill: "bg-good" },
  warn: { text: "text-warn", fill: "bg-warn" },
  bad: { text: "text-bad", fill: "bg-bad" },
};

/** Every run of the sweep at a glance: a row per configuration, a column per seed. */
export function RunGrid({ cells, runs, standings, canRetry }: Props) {
  const retry = useRetry();
  const legend = prepareLegend(cells);
  const seeds = [...new Set(runs.map((run) => run.seed))].sort((a, b) => a - b);
  const runOf = new Map(runs.map((run) => [`${run.cellId} ${run.seed}`, run]));
  return (
    <Table caption="Runs by configuration and seed">
      <thead>
        <tr>
          <HeadCell>Configuration</HeadCell>
          <HeadCell>Complete</HeadCell>
          {seeds.map((seed) => (
            <HeadCell key={seed}>seed {seed}</HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {cells.map((cell, i) => (
          <GridRow
            key={cell.id}
            cell={cell}
            name={legend[i]?.label ?? ""}
            color={legend[i]?.color ?? ""}
            seeds={seeds}
            runOf={runOf}
            standings={standings}
            retry={canRetry ? retry : undefined}
          />
        ))}
      </tbody>
    </Table>
  );
}

type RowProps = {
  cell: CellRow;
  name: string;
  color: string;
  seeds: readonly number[];
  /** By cell and seed. */
  runOf: ReadonlyMap<string, RunRow>;
  standings: Props["standings"];
  /** Absent where runs cannot be tried again. */
  retry: ReturnType<typeof useRetry> | undefined;
};

function GridRow({ cell, name, color, seeds, runOf, standings, retry }: RowProps) {
  const cellRuns = seeds.flatMap((seed) => runOf.get(`${cell.id} ${seed}`) ?? []);
  const gone = retry ? cellRuns.filter(isRetriable) : [];
  return (
    <tr>
      <th scope="row" className="border-t border-line px-3 py-1 text-left font-medium whitespace-nowrap">
        <span aria-hidden="true" className="mr-2 inline-block size-2.5 rounded-full" style={{ background: color }} />
        {name}
      </th>
      <Cell className="py-1 text-sm whitespace-nowrap">
        <Completeness runs={cellRuns} />
        {retry && gone.length > 1 && (
          <RetryButton
            label={`Retry ${gone.length} runs of ${name}`}
            disabled={retry.isPending}
            onClick={() => retry.mutate(gone.map(({ id }) => id))}
          />
        )}
      </Cell>
      {seeds.map((seed) => {
        const run = runOf.get(`${cell.id} ${seed}`);
        return (
          <Cell key={seed} className="px-1 py-1">
            {run ? (
              <span className="flex items-center">
                <RunTile run={run} iterations={cell.iterations} standing={standings.get(run.id) ?? null} />
                {retry && isRetriable(run) && (
                  <RetryButton
                    label={`Retry seed ${run.seed} of ${name}`}
                    disabled={retry.isPending}
                    onClick={() => retry.mutate([run.id])}
                  />
                )}
              </span>
            ) : (
              <span className="text-muted">–</span>
            )}
          </Cell>
        );
      })}
    </tr>
  );
}

function isRetriable({ status }: RunRow): boolean {
  return status === "failed" || status === "cancelled";
}

/** One more attempt for each of these runs. */
function useRetry() {
  const trpc = useTrpc();
  const client = useTrpcClient();
  return useAction(
    { mutationFn: (ids: string[]) => Promise.all(ids.map((id) => client.run.retry.mutate({ id }))) },
    {
      toast: (_, ids) => `One more attempt for ${formatCount(ids.length, "run")}`,
      stale: [trpc.run.grid.queryFilter(), trpc.sweep.byId.queryFilter()],
    },
  );
}

function RetryButton({ label, ...rest }: { label: string; disabled: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="ml-1 inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text disabled:opacity-50"
      {...rest}
    >
      <Icon name="retry" className="size-3.5" />
    </button>
  );
}

/** "4 of 5 seeds", and what became of the fifth where it is over. */
function Completeness({ runs }: { runs: readonly RunRow[] }) {
  const numFinished = runs.filter(({ status }) => status === "finished").length;
  const numGone = runs.filter(({ status }) => status === "failed" || status === "cancelled").length;
  const isWhole = numFinished === runs.length;
  return (
    <span className={isWhole ? "text-good" : numGone > 0 ? "text-bad" : "text-muted"}>
      {isWhole && <Icon name="check" className="mr-1 inline size-3.5" />}
      {numFinished} of {formatCount(runs.length, "seed")}
      {numGone > 0 && `, ${numGone} missing`}
    </span>
  );
}

type Tile = { run: RunRow; iterations: number; standing: Status | null };

function RunTile({ run, iterations, standing }: Tile) {
  const { icon, tone } = runLooks[run.status];
  const share = iterations > 0 ? Math.min(1, run.latestIteration / iterations) : 0;
  const state = nameState(run.status, run.reason);
  const progress = `iteration ${run.latestIteration} of ${iterations}`;
  const attempts = run.numAttempts > 1 ? `, attempt ${run.numAttempts}` : "";
  const alarm = standing && isWorthSaying(standing) ? statusLooks[standing] : undefined;
  const stands = alarm ? ` Detector: ${alarm.title.toLowerCase()}.` : "";
  return (
    <Link
      href={`/runs/${run.id}`}
      title={`${state}. ${explainState(run.status, run.reason, run.text)} ${progress}${attempts}.${stands}`}
      aria-label={`Seed ${run.seed}: ${state}, ${progress}${attempts}.${stands}`}
      className="block min-w-24 grow rounded-md px-2 py-1 hover:bg-sunken"
    >
      <span className={classes("flex items-center gap-1.5 text-xs font-medium whitespace-nowrap", tones[tone].text)}>
        <Icon name={icon} className="size-3.5" />
        {state}
        {alarm && (
          <span className={classes("flex items-center gap-0.5", tones[alarm.tone].text)}>
            <Icon name={alarm.icon} className="size-3" />
            {alarm.title}
          </span>
        )}
        <span className="ml-auto pl-2 font-normal text-muted">
          {run.latestIteration}/{iterations}
        </span>
      </span>
      <span className="mt-1 block h-1 overflow-hidden rounded-full bg-sunken">
        <span className={classes("block h-full", tones[tone].fill)} style={{ width: `${100 * share}%` }} />
      </span>
    </Link>
  );
}

function isWorthSaying(status: Status): boolean {
  return status !== "healthy" && status !== "warmup";
}
