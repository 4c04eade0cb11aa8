"use client";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { ComparedConfiguration } from "#server/db/comparedRuns.ts";
import { alignEpisodes, describeParting } from "#server/domain/comparison/alignEpisodes.ts";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import type { EpisodeColumn } from "./chooseColumns.ts";
import { EpisodeTurn } from "./EpisodeTurn.tsx";
import { TurnTable } from "./TurnTable.tsx";

type Props = { columns: readonly EpisodeColumn[]; configurations: readonly ComparedConfiguration[] };

/** Episodes turn by turn: a sentence on where they diverge, the actions of each, and the chosen turn as each policy saw it. */
export function SideBySide({ columns, configurations }: Props) {
  const trpc = useTrpc();
  const queries = useQueries({
    queries: columns.map(({ runId, head: { attempt, line } }) =>
      trpc.run.sample.queryOptions({ id: runId, attempt, line }, { staleTime: Infinity }),
    ),
  });
  const error = queries.find((query) => query.error)?.error;
  const episodes = queries.flatMap(({ data }) => data ?? []);
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (episodes.length < columns.length) return <Skeleton className="h-64" />;
  return <Aligned columns={columns} configurations={configurations} episodes={episodes} />;
}

function Aligned({ columns, configurations, episodes }: Props & { episodes: readonly SampleEpisode[] }) {
  const named = episodes.map((episode, i) => ({ ...episode, name: columns[i]?.name ?? "" }));
  const alignment = alignEpisodes(episodes);
  const [chosen, setChosen] = useState(alignment.partsAt ?? 0);
  const specOf = (runId: string) => configurations.find(({ runs }) => runs.some(({ id }) => id === runId))?.spec;
  return (
    <>
      <p className="mb-3 max-w-prose" role="status">
        {named.length === 1
          ? "Only one of them has an episode of this task here: nothing to compare it with."
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
