"use client";
import type { Reply } from "#server/playground/play.ts";
import { ActionPanel } from "#app/_components/episode/ActionPanel.tsx";
import { NotBegun } from "#app/_components/episode/NotBegun.tsx";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { PromptCard } from "#app/_components/episode/PromptCard.tsx";
import { StatusLine } from "#app/_components/episode/StatusLine.tsx";
import { TurnList } from "#app/_components/episode/TurnList.tsx";
import { useEpisode } from "#app/_components/episode/useEpisode.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Card } from "#app/_ui/Card.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { TrainedRun } from "../trainedRun.ts";
import { PolicyPanel } from "./PolicyPanel.tsx";

type Props = {
  run: TrainedRun;
  seed: number;
  replies: readonly Reply[];
  hasPolicy: boolean;
  onNextTask: () => void;
};

/** One episode, answered turn by turn by the policy, the expert or a person. */
export function PlayBoard({ run, seed, replies, hasPolicy, onNextTask }: Props) {
  const { environment, rollout } = run.spec;
  const { shape, historyLength } = rollout;
  const episode = useEpisode({ environment, seed, shape, historyLength }, replies);
  const { moment, error, optimalLength } = episode;
  if (!moment) return <NotBegun episode={episode} />;
  const isOngoing = moment.ending === "ongoing";
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-2 lg:items-start">
      <div className="flex min-w-0 flex-col gap-4">
        <Card>
          <StatusLine moment={moment} optimalLength={optimalLength} />
          <Observation moment={moment} />
        </Card>
        {error && <Notice tone="bad">{errorWords(error)}</Notice>}
        <ActionPanel episode={episode} moment={moment} onNextTask={onNextTask} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        {hasPolicy && isOngoing && <PolicyPanel run={run} seed={seed} episode={episode} />}
        <TurnList turns={moment.turns} isBusy={episode.isBusy} onGoBackTo={episode.goBackTo} />
        <PromptCard moment={moment} isProse={run.spec.policy.pretrained !== undefined} />
      </div>
    </div>
  );
}
