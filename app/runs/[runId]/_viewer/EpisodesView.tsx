"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { PlayFrom } from "../_play/PlayView.tsx";

import { Episode } from "./Episode.tsx";
import { EpisodeFilters } from "./EpisodeFilters.tsx";
import { EpisodeList } from "./EpisodeList.tsx";
import { filterEpisodes, noFilter } from "./filterEpisodes.ts";

/** Recorded evaluation episodes of a run: choose one, then read its observations, responses and rewards turn by turn. */
export function EpisodesView({ run, onPlay }: { run: RunDetail; onPlay: (from: PlayFrom) => void }) {
  const trpc = useTrpc();
  const [filter, setFilter] = useState(noFilter);
  const [chosen, setChosen] = useState<string>();
  const refetchInterval = isOver(run.status) ? false : 5000;
  const { data, error } = useQuery(trpc.run.samples.queryOptions({ id: run.id }, { refetchInterval, staleTime: 0 }));
  const problem = error && <Notice tone="bad">{errorWords(error)}</Notice>;
  // Loaded episodes stay readable if newer ones cannot be fetched.
  if (!data) return problem ?? <p className="text-muted">Reading…</p>;
  if (data.episodes.length === 0) return <NoEpisodes run={run} />;
  const episodes = filterEpisodes(data.episodes, filter);
  // Without a choice, the newest episode; it changes as new ones arrive.
  const head = episodes.find((episode) => keyOf(episode) === chosen) ?? episodes[0];
  return (
    <section aria-label="Episodes">
      {problem}
      <EpisodeFilters all={data.episodes} numShown={episodes.length} filter={filter} onChange={setFilter} />
      {data.numUnreadable > 0 && (
        <Notice tone="warn">{formatCount(data.numUnreadable, "line")} of samples.jsonl could not be read.</Notice>
      )}
      {data.isCut && (
        <Notice tone="warn">samples.jsonl is too long to be read completely: later episodes are missing.</Notice>
      )}
      {head ? (
        <div className="mt-3 grid gap-4 lg:grid-cols-[17rem_minmax(0,1fr)]">
          <EpisodeList episodes={episodes} chosen={head} onChoose={(episode) => setChosen(keyOf(episode))} />
          <Episode key={keyOf(head)} run={run} head={head} onRead={() => setChosen(keyOf(head))} onPlay={onPlay} />
        </div>
      ) : (
        <EmptyState
          title="No matches"
          actions={<Button onClick={() => setFilter(noFilter)}>Show all {data.episodes.length}</Button>}
        />
      )}
    </section>
  );
}

function NoEpisodes({ run }: { run: RunDetail }) {
  return (
    <EmptyState title="No sample episodes">
      {isImported(run.spec)
        ? "The imported files contain no episodes. verl writes rollouts to trainer.rollout_data_dir: import those files with the logs."
        : run.spec.execution.numSamples === 0
          ? "This run records no episodes (execution.numSamples is 0)."
          : isOver(run.status)
            ? "This run has no episodes on this machine: none of its attempts' folders has a samples.jsonl."
            : "Episodes are recorded at every evaluation; there are none on this machine yet."}
    </EmptyState>
  );
}

function keyOf({ attempt, line }: { attempt: number; line: number }): string {
  return `${attempt}.${line}`;
}
