import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Reply } from "#server/engine/playground/play.ts";
import { hasWeights } from "#server/domain/runs/weightFiles.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { numTasks, seedOf, splits } from "#server/domain/environments/taskSeed.ts";
import { type Split, splitOf, taskSeeds } from "#trainer/spec/taskSeeds.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { TextField } from "#app/_ui/Field.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import type { TrainedRun } from "../trainedRun.ts";
import { ActionPanel } from "#app/_components/episode/ActionPanel.tsx";
import { NotBegun } from "#app/_components/episode/NotBegun.tsx";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { PromptCard } from "#app/_components/episode/PromptCard.tsx";
import { StatusLine } from "#app/_components/episode/StatusLine.tsx";
import { TurnList } from "#app/_components/episode/TurnList.tsx";
import { useEpisode } from "#app/_components/episode/useEpisode.ts";
import { Card } from "#app/_ui/Card.tsx";
import { PolicyPanel } from "./PolicyPanel.tsx";

/** Starting point of a played episode: the task's seed and the responses so far. */
export type PlayFrom = { seed: number; replies: readonly Reply[] };

export function PlayView({ run, from }: { run: TrainedRun; from: PlayFrom | undefined }) {
  const trpc = useTrpc();
  const begin = from?.seed ?? taskSeeds.seen.from;
  const [split, setSplit] = useState<Split>(splitOf(begin));
  const [task, setTask] = useState(String(begin - taskSeeds[splitOf(begin)].from));
  const { data: artifacts, error } = useQuery(
    trpc.run.artifacts.queryOptions({ id: run.id }, { refetchOnMount: "always" }),
  );
  const seed = task.trim() === "" ? undefined : seedOf(split, Number(task));
  const lastTask = numTasks(split) - 1;
  const { pretrained } = run.spec.policy;
  const names = (artifacts ?? []).map(({ name }) => name);
  const hasPolicy = pretrained === undefined ? names.includes("policy.onnx") : hasWeights(names);
  return (
    <section aria-label="Play">
      <div className="mb-3 flex flex-wrap items-start gap-x-4 gap-y-2">
        <TextField
          label={`Task of ${titleOfEnvironment(nameOfEnvironment(run.spec.environment))}`}
          error={seed === undefined ? `a whole number from 0 to ${lastTask.toLocaleString("en-US")}` : undefined}
          className="w-44"
          type="number"
          min={0}
          max={lastTask}
          value={task}
          onChange={({ target }) => setTask(target.value)}
        />
        <div className="flex flex-col gap-1">
          <span className="text-sm font-medium">Split</span>
          <Choice
            as="buttons"
            label="Split"
            options={splits.map((value) => ({ value, label: value }))}
            value={split}
            onChange={setSplit}
          />
        </div>
      </div>
      {error && !artifacts && <Notice tone="bad">{errorWords(error)}</Notice>}
      {artifacts && !hasPolicy && (
        <div className="mb-3">
          <Notice>
            {isOver(run.status)
              ? describeMissing(pretrained !== undefined, names.includes("config.json"))
              : "This run has no policy file yet: the file is written when training ends. Until then, you can play the environment yourself."}
          </Notice>
        </div>
      )}
      {seed !== undefined && artifacts && (
        <PlayBoard
          key={seed}
          run={run}
          seed={seed}
          replies={seed === from?.seed ? from.replies : []}
          hasPolicy={hasPolicy}
          onNextTask={() => setTask(String(Number(task) + 1))}
        />
      )}
    </section>
  );
}

/** Explains why the policy cannot act. `isPartial`: some of the language model's files are on this machine. */
function describeMissing(isModel: boolean, isPartial: boolean): string {
  const own = "You can play the environment yourself.";
  if (!isModel) {
    return `The trained policy of this run is not stored here; recorded studies leave it out. ${own}`;
  }
  return isPartial
    ? `The model's weights are still on the node that trained the model. The menu Files above shows how to fetch the weights. ${own}`
    : `The studio's server has no model of this run: no attempt's folder contains model/model.safetensors. ${own}`;
}

type Props = {
  run: TrainedRun;
  seed: number;
  replies: readonly Reply[];
  hasPolicy: boolean;
  onNextTask: () => void;
};

function PlayBoard({ run, seed, replies, hasPolicy, onNextTask }: Props) {
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
