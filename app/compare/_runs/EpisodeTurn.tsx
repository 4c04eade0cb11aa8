"use client";
import type { StoredSpec } from "#server/domain/import/storedSpec.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { formatValue } from "#app/_charts/format.ts";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { repliesBefore } from "#app/_components/episode/repliesBefore.ts";
import { useMoment } from "#app/_components/episode/useEpisode.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Card } from "#app/_ui/Card.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = { name: string; episode: SampleEpisode; at: number; spec: StoredSpec | undefined };

/** One turn of an episode: observation, response and reward. */
export function EpisodeTurn({ name, episode, at, spec }: Props) {
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
            <dd className="font-mono break-words">{turn.action === "" ? "nothing" : turn.action}</dd>
            <dt className="text-muted">Reward</dt>
            <dd className="tabular-nums">{formatValue(turn.reward)}</dd>
          </dl>
        </>
      ) : (
        <p className="text-muted">
          Its episode ended at turn {episode.turns.length}, {episode.isSuccess ? "with success" : "without success"}.
        </p>
      )}
    </Card>
  );
}

/** The environment at this turn, from a replay of the recorded responses. */
function Replayed({ spec, episode, at }: { spec: CellSpec; episode: SampleEpisode; at: number }) {
  const { environment, rollout } = spec;
  const { shape, historyLength } = rollout;
  const replies = repliesBefore(episode.turns, at);
  const { data: moment, error } = useMoment({ environment, seed: episode.seed, shape, historyLength, replies });
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  return moment ? <Observation moment={moment} recorded={episode.turns} /> : <p className="text-muted">Playing…</p>;
}
