"use client";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Card } from "#app/_ui/Card.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { ActionPanel } from "#app/_components/episode/ActionPanel.tsx";
import { NotBegun } from "#app/_components/episode/NotBegun.tsx";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { PromptCard } from "#app/_components/episode/PromptCard.tsx";
import type { Start } from "#app/_components/episode/settings.ts";
import { StatusLine } from "#app/_components/episode/StatusLine.tsx";
import { TurnList } from "#app/_components/episode/TurnList.tsx";
import { useEpisode } from "#app/_components/episode/useEpisode.ts";

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
