import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { nameTask } from "#server/domain/environments/taskSeed.ts";
import type { EpisodeHead } from "#server/api/runs/episodes.ts";
import type { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { ShadeLegend } from "#app/_components/Tokens.tsx";
import type { PlayFrom } from "../_play/PlayView.tsx";
import { toTrainedRun, type TrainedRun } from "../trainedRun.ts";
import { formatValidity, repliesBefore } from "#app/_components/episode/turns.ts";
import { entropyScaleOf, type StoredTurn, type Shading } from "./prepareTurn.ts";
import { TurnView } from "./TurnView.tsx";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { useMoment } from "#app/_components/episode/useEpisode.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { classes } from "#app/_ui/classes.ts";

type Reading = {
  run: RunDetail;
  onRead: () => void;
  onPlay: (from: PlayFrom) => void;
};

export function Episode({ run, head, ...reading }: Reading & { head: EpisodeHead }) {
  const trpc = useTrpc();
  const { attempt, line } = head;
  const { data, error } = useQuery(
    // Recorded episodes do not change, so they are never refetched.
    trpc.run.episode.queryOptions({ id: run.id, attempt, line }, { staleTime: Infinity }),
  );
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <Skeleton className="h-96" />;
  return <Turns episode={data} run={run} {...reading} />;
}

const shadings = [
  { value: "probability", label: "Probability" },
  { value: "entropy", label: "Entropy" },
] as const;

function Turns({ episode, run, onRead, onPlay }: Reading & { episode: StoredEpisode }) {
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
    <article aria-label={`${nameTask(episode.seed)} at iteration ${episode.iteration}`} className="min-w-0">
      <Outcome episode={episode} />
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <TurnStrip turns={turns} at={at} onChoose={goTo} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {entropyScale === undefined ? (
            <span className="text-xs text-muted">Tokens shaded by probability (this run logged no entropies)</span>
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
      <div className={trained ? "xl:grid xl:grid-cols-[2fr_3fr] xl:items-start xl:gap-4" : undefined}>
        {/* The studio cannot replay environments of external trainers. */}
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
      </div>
    </article>
  );
}

function Outcome({ episode }: { episode: StoredEpisode }) {
  const { seed, iteration, taskType, isSuccess, score, episodeReward, turns } = episode;
  // Hides a score that repeats the success, as in an environment without a native score.
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
        {taskType && `${taskType}, `}
        {nameTask(seed)}, iteration {iteration}
      </span>
    </p>
  );
}

type Props = { run: TrainedRun; seed: number; turns: readonly StoredTurn[]; at: number; onPlay: () => void };

/** Draws the environment's state at a turn, obtained by replaying the recorded responses. */
function Seen({ run, seed, turns, at, onPlay }: Props) {
  const { environment, rollout } = run.spec;
  const { shape, historyLength } = rollout;
  const replies = repliesBefore(turns, at);
  const { data: moment, error } = useMoment({ environment, seed, shape, historyLength, replies });
  const isSame = moment?.turns.every(({ action, reward }, i) => {
    const recordedStep = turns[i];
    return recordedStep !== undefined && recordedStep.action === action && recordedStep.reward === reward;
  });
  return (
    <Card
      title="Observation"
      className="mb-3"
      actions={
        <Button onClick={onPlay}>
          <Icon name="play" /> Play on from this turn
        </Button>
      }
    >
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {isSame === false && (
        <Notice tone="warn">
          The replay of these turns differs from the recording, because the environment’s code has changed since this
          run.
        </Notice>
      )}
      {moment ? <Observation moment={moment} recorded={turns} /> : !error && <p className="text-muted">Replaying…</p>}
    </Card>
  );
}

type TurnStripProps = { turns: readonly StoredTurn[]; at: number; onChoose: (turn: number) => void };

function TurnStrip({ turns, at, onChoose }: TurnStripProps) {
  return (
    <div className="flex min-w-0 items-center gap-2">
      <ol aria-label="Turns" className="flex flex-wrap gap-1">
        {turns.map((turn, i) => {
          const validity = formatValidity(turn);
          return (
            <li key={i}>
              <button
                type="button"
                aria-current={i === at ? "step" : undefined}
                aria-label={`Turn ${i + 1}, ${validity}, reward ${formatValue(turn.reward)}`}
                onClick={() => onChoose(i)}
                className={classes(
                  "h-7 min-w-7 rounded border px-1 text-xs",
                  i === at ? "border-accent bg-accent/12 font-semibold" : "border-edge/60 hover:bg-sunken",
                  validity !== "valid" && "border-dashed text-warn",
                  turn.reward > 0 && "text-good underline decoration-2 underline-offset-2",
                )}
              >
                {i + 1}
              </button>
            </li>
          );
        })}
      </ol>
      <span className="text-xs whitespace-nowrap text-muted max-sm:hidden">← → change the turn</span>
    </div>
  );
}

/** Makes the left and right arrow keys step through the turns, except where these keys already have an effect. */
function useArrowKeys(onStep: (step: 1 | -1) => void): void {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : undefined;
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, [role=tab], dialog")) return;
    event.preventDefault();
    onStep(step);
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => listen(event);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
