"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SampleHead } from "#server/api/samples.ts";
import type { RunDetail } from "#server/db/runs.ts";
import { isOver } from "#server/domain/runStatus.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { classes } from "#app/_ui/classes.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Select } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Episode } from "./Episode.tsx";

/** Whole evaluation episodes of a run: pick an iteration and an episode, read what the policy saw, wrote and got. */
export function SamplesView({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const [iteration, setIteration] = useState<number>();
  const [place, setPlace] = useState(0);
  const refetchInterval = isOver(run.status) ? false : 5000;
  const { data, error } = useQuery(trpc.run.samples.queryOptions({ id: run.id }, { refetchInterval, staleTime: 0 }));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <p className="text-muted">Reading…</p>;
  const iterations = [...new Set(data.episodes.map((episode) => episode.iteration))];
  // Without a choice, the newest, also as newer ones come.
  const shown = iteration ?? iterations.at(-1);
  const episodes = data.episodes.filter((episode) => episode.iteration === shown);
  const head = episodes[Math.min(place, episodes.length - 1)];
  if (!head) {
    return (
      <EmptyState title="No sample episodes">
        {run.spec.execution.numSamples === 0
          ? "This run's specification asks for none (execution.numSamples is 0)."
          : "Whole episodes are written down at every evaluation; none is on this machine yet."}
      </EmptyState>
    );
  }
  return (
    <section aria-label="Samples">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <label className="inline-flex items-center gap-2 text-sm">
          Iteration
          <Select value={shown} onChange={({ target }) => setIteration(Number(target.value))}>
            {iterations.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </Select>
        </label>
        <div role="group" aria-label="Episodes" className="flex flex-wrap gap-1.5">
          {episodes.map((episode, i) => (
            <EpisodeChip
              key={`${episode.attempt} ${episode.line}`}
              episode={episode}
              isChosen={episode === head}
              onChoose={() => setPlace(i)}
            />
          ))}
        </div>
      </div>
      {data.numUnreadable > 0 && (
        <Notice tone="warn">{formatCount(data.numUnreadable, "line")} of samples.jsonl could not be read.</Notice>
      )}
      {data.isCut && (
        <Notice tone="warn">samples.jsonl is longer than is read here; later episodes are missing.</Notice>
      )}
      <Episode runId={run.id} head={head} />
    </section>
  );
}

type ChipProps = { episode: SampleHead; isChosen: boolean; onChoose: () => void };

function EpisodeChip({ episode, isChosen, onChoose }: ChipProps) {
  const { isSuccess, seed, episodeReward } = episode;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={classes(
        "inline-flex items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-sm",
        isChosen ? "border-accent bg-accent/10 font-medium" : "border-edge/60 hover:bg-sunken",
      )}
    >
      <Icon
        name={isSuccess ? "check" : "cross"}
        className={classes("size-3.5", isSuccess ? "text-good" : "text-bad")}
      />
      Task {seed}
      <span className="font-normal text-muted">
        {isSuccess ? "solved" : "failed"}, {formatValue(episodeReward)}
      </span>
    </button>
  );
}
