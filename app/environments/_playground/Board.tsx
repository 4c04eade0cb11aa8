"use client";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Card } from "#app/_ui/Card.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { ActionPanel } from "./ActionPanel.tsx";
import { NotBegun } from "./NotBegun.tsx";
import { Observation } from "./Observation.tsx";
import { PromptCard } from "./PromptCard.tsx";
import type { Start } from "./settings.ts";
import { StatusLine } from "./StatusLine.tsx";
import { TurnList } from "./TurnList.tsx";
import { useEpisode } from "./useEpisode.ts";

/** One episode, played by hand. */
export function Board({ start, onNextTask }: { start: Start; onNextTask: () => void }) {
  const episode = useEpisode(start);
  const { moment, error, optimalLength } = episode;
  if (!moment) return <NotBegun episode={episode} />;
  return (
    <section aria-label="Episode" className="grid min-w-0 gap-4 xl:grid-cols-[minmax(0,1fr)_20rem] xl:items-start">
      <div className="flex min-w-0 flex-col gap-4">
        <Card>
          <StatusLine moment={moment} optimalLength={optimalLength} />
          <Observation moment={moment} />
        </Card>
        {error && <Notice tone="bad">{errorWords(error)}</Notice>}
        <ActionPanel episode={episode} moment={moment} onNextTask={onNextTask} />
        <PromptCard moment={moment} />
      </div>
      <TurnList turns={moment.turns} isBusy={episode.isBusy} onGoBackTo={episode.goBackTo} />
    </section>
  );
}
