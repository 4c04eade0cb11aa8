"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunDetail } from "#server/db/runs.ts";
import type { SampleHead } from "#server/api/reports/samples.ts";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { ShadeLegend } from "#app/_components/Tokens.tsx";
import type { PlayFrom } from "../_play/PlayView.tsx";
import { toTrainedRun } from "../trainedRun.ts";
import { repliesBefore } from "#app/_components/episode/repliesBefore.ts";
import { entropyScaleOf, type Shading } from "./prepareTurn.ts";
import { Seen } from "./Seen.tsx";
import { TurnStrip } from "./TurnStrip.tsx";
import { TurnView } from "./TurnView.tsx";
import { useArrowKeys } from "./useArrowKeys.ts";

type Reading = {
  run: RunDetail;
  /** Called when the reader moves to another turn. */
  onRead: () => void;
  onPlay: (from: PlayFrom) => void;
};

export function Episode({ run, head, ...reading }: Reading & { head: SampleHead }) {
  const trpc = useTrpc();
  const { attempt, line } = head;
  const { data, error } = useQuery(
    // Recorded episodes do not change.
    trpc.run.sample.queryOptions({ id: run.id, attempt, line }, { staleTime: Infinity }),
  );
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <p className="text-muted">Reading…</p>;
  return <Turns episode={data} run={run} {...reading} />;
}

const shadings = [
  { value: "probability", label: "Probability" },
  { value: "entropy", label: "Entropy" },
] as const;

function Turns({ episode, run, onRead, onPlay }: Reading & { episode: SampleEpisode }) {
  const { turns } = episode;
  const [at, setAt] = useState(0);
  const [shading, setShading] = useState<Shading>("probability");
  const goTo = (turn: number) => {
    setAt(Math.min(Math.max(turn, 0), turns.length - 1));
    onRead();
  };
  useArrowKeys((step) => goTo(at + step));
  const turn = turns[at];
  if (!turn) return <p className="text-muted">This episode has no turns.</p>;
  const entropyScale = entropyScaleOf(episode);
  const shown = entropyScale === undefined ? "probability" : shading;
  const replies = repliesBefore(turns, at);
  const trained = toTrainedRun(run);
  return (
    <article aria-label={`Task ${episode.seed} at iteration ${episode.iteration}`} className="min-w-0">
      <Outcome episode={episode} />
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <TurnStrip turns={turns} at={at} onChoose={goTo} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {entropyScale === undefined ? (
            <span className="text-xs text-muted">Shaded by probability (this run wrote no entropies)</span>
          ) : (
            <Choice as="buttons" label="Shade tokens by" options={shadings} value={shading} onChange={setShading} />
          )}
          {shown === "probability" ? (
            <ShadeLegend hue="warn" from="p = 1" to="0" />
          ) : (
            <ShadeLegend hue="accent" from="0" to={`${formatValue(entropyScale)} nats`} />
          )}
        </div>
      </div>
      {/* The environment of an imported run cannot be replayed here. */}
      {trained && (
        <Seen
          run={trained}
          seed={episode.seed}
          turns={turns}
          at={at}
          onPlay={() => onPlay({ seed: episode.seed, replies })}
        />
      )}
      <TurnView
        key={at}
        number={at + 1}
        turn={turn}
        rewardSoFar={turns.slice(0, at + 1).reduce((sum, { reward }) => sum + reward, 0)}
        shading={shown}
        entropyScale={entropyScale ?? 1}
      />
    </article>
  );
}

function Outcome({ episode }: { episode: SampleEpisode }) {
  const { seed, iteration, taskType, isSuccess, score, episodeReward, turns } = episode;
  // Environments without their own score repeat the success.
  const isScoreNews = score !== undefined && score !== Number(isSuccess);
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusPill tone={isSuccess ? "good" : "bad"} icon={isSuccess ? "check" : "cross"}>
        {isSuccess ? "Solved" : "Not solved"}
      </StatusPill>
      <span>
        in {formatCount(turns.length, "turn")}, reward {formatValue(episodeReward)}
        {isScoreNews && `, score ${formatValue(score)}`}
      </span>
      <span className="text-muted">
        {taskType && `${taskType}, `}task {seed}, iteration {iteration}
      </span>
    </p>
  );
}
