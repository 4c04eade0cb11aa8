"use client";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { ComparedConfiguration } from "#server/db/analysis/comparedRuns.ts";
import { alignEpisodes, describeParting } from "#server/domain/analysis/compare/differences.ts";
import type { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import type { EpisodeColumn } from "./chooseColumns.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { formatValue } from "#app/_charts/format.ts";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { formatValidity, repliesBefore } from "#app/_components/episode/turns.ts";
import { useMoment } from "#app/_components/episode/useEpisode.ts";
import { Card } from "#app/_ui/Card.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

type Props = { columns: readonly EpisodeColumn[]; configurations: readonly ComparedConfiguration[] };

/** Compares episodes of one task: where they diverge, their actions, and the chosen turn as each policy saw it. */
export function SideBySide({ columns, configurations }: Props) {
  const trpc = useTrpc();
  const queries = useQueries({
    queries: columns.map(({ runId, head: { attempt, line } }) =>
      trpc.run.episode.queryOptions({ id: runId, attempt, line }, { staleTime: Infinity }),
    ),
  });
  const error = queries.find((query) => query.error)?.error;
  const episodes = queries.flatMap(({ data }) => data ?? []);
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (episodes.length < columns.length) return <Skeleton className="h-64" />;
  return <Aligned columns={columns} configurations={configurations} episodes={episodes} />;
}

function Aligned({ columns, configurations, episodes }: Props & { episodes: readonly StoredEpisode[] }) {
  const named = episodes.map((episode, i) => ({ ...episode, name: columns[i]?.name ?? "" }));
  const alignment = alignEpisodes(episodes);
  const [chosen, setChosen] = useState(alignment.partsAt ?? 0);
  const specOf = (runId: string) => configurations.find(({ runs }) => runs.some(({ id }) => id === runId))?.spec;
  return (
    <>
      <p className="mb-3 max-w-prose" role="status">
        {named.length === 1
          ? "The studio's server stores an episode of this task for only one of these runs, so there is no comparison."
          : describeParting(named, alignment)}
      </p>
      <TurnTable episodes={named} partsAt={alignment.partsAt} chosen={chosen} onChoose={setChosen} />
      <div className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(min(18rem,100%),1fr))] gap-3">
        {columns.map(({ runId, name }, i) => {
          const episode = episodes[i];
          return episode ? (
            <EpisodeTurn key={`${runId} ${name}`} name={name} episode={episode} at={chosen} spec={specOf(runId)} />
          ) : null;
        })}
      </div>
    </>
  );
}

type EpisodeTurnProps = { name: string; episode: StoredEpisode; at: number; spec: StoredSpec | undefined };

function EpisodeTurn({ name, episode, at, spec }: EpisodeTurnProps) {
  const turn = episode.turns[at];
  return (
    <Card title={name}>
      {turn ? (
        <>
          {spec && !isImported(spec) ? (
            <Replayed spec={spec} episode={episode} at={at} />
          ) : (
            <pre
              tabIndex={0}
              role="region"
              aria-label={`Prompt of ${name}`}
              className="max-h-80 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap"
            >
              {turn.prompt}
            </pre>
          )}
          <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-3 text-sm">
            <dt className="text-muted">Action</dt>
            <dd className="font-mono break-words">{turn.action === "" ? "(none)" : turn.action}</dd>
            <dt className="text-muted">Reward</dt>
            <dd className="tabular-nums">{formatValue(turn.reward)}</dd>
          </dl>
        </>
      ) : (
        <p className="text-muted">
          The episode ended at turn {episode.turns.length}, {episode.isSuccess ? "with success" : "without success"}.
        </p>
      )}
    </Card>
  );
}

/** Draws the environment's state at a turn, obtained by replaying the recorded responses. */
function Replayed({ spec, episode, at }: { spec: CellSpec; episode: StoredEpisode; at: number }) {
  const { environment, rollout } = spec;
  const { shape, historyLength } = rollout;
  const replies = repliesBefore(episode.turns, at);
  const { data: moment, error } = useMoment({ environment, seed: episode.seed, shape, historyLength, replies });
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  return moment ? <Observation moment={moment} recorded={episode.turns} /> : <p className="text-muted">Replaying…</p>;
}

type TurnTableProps = {
  episodes: readonly (StoredEpisode & { name: string })[];
  partsAt: number | undefined;
  chosen: number;
  onChoose: (turn: number) => void;
};

function TurnTable({ episodes, partsAt, chosen, onChoose }: TurnTableProps) {
  const numTurns = Math.max(0, ...episodes.map(({ turns }) => turns.length));
  return (
    <Table caption="Actions by turn" className="max-h-96 overflow-y-auto">
      <thead>
        <tr>
          <HeadCell>Turn</HeadCell>
          {episodes.map(({ name, isSuccess }) => (
            <HeadCell key={name}>
              {name}, {isSuccess ? "succeeds" : "fails"}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: numTurns }, (_, i) => (
          <tr key={i} className={classes(i === chosen && "bg-sunken")}>
            <Cell className="whitespace-nowrap">
              <button
                type="button"
                aria-pressed={i === chosen}
                className="rounded px-1 text-accent hover:underline"
                onClick={() => onChoose(i)}
              >
                Turn {i + 1}
              </button>
              {i === partsAt && <span className="ml-2 text-sm font-medium">first difference</span>}
            </Cell>
            {episodes.map(({ name, turns }) => (
              <Cell key={name}>
                <TurnWords turn={turns[i]} />
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function TurnWords({ turn }: { turn: StoredEpisode["turns"][number] | undefined }) {
  if (!turn) return <span className="text-muted">episode over</span>;
  const validity = formatValidity(turn);
  return (
    <>
      <code className="font-mono text-sm break-words">{turn.action === "" ? "(none)" : turn.action}</code>
      {validity !== "valid" && <span className="block text-xs text-warn">{validity}</span>}
    </>
  );
}
