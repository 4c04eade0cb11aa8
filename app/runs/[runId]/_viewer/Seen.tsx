"use client";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { useMoment } from "#app/_components/episode/useEpisode.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { TrainedRun } from "../trainedRun.ts";
import { repliesBefore } from "#app/_components/episode/repliesBefore.ts";
import type { SampleTurn } from "./prepareTurn.ts";

type Props = { run: TrainedRun; seed: number; turns: readonly SampleTurn[]; at: number; onPlay: () => void };

/** The environment at this turn, from a replay of the recorded responses. */
export function Seen({ run, seed, turns, at, onPlay }: Props) {
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
          <Icon name="play" /> Play on from here
        </Button>
      }
    >
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {isSame === false && (
        <Notice tone="warn">
          A replay of these turns differs from the recording: the environment has changed since this run.
        </Notice>
      )}
      {moment ? <Observation moment={moment} recorded={turns} /> : !error && <p className="text-muted">Replaying…</p>}
    </Card>
  );
}
