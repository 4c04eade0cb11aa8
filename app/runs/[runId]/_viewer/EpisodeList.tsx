"use client";
import { useState } from "react";
import type { SampleHead } from "#server/api/runs/samples.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { Button } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";

type Props = { episodes: readonly SampleHead[]; chosen: SampleHead; onChoose: (episode: SampleHead) => void };

/** Rows rendered at once; more on request. */
const page = 200;

export function EpisodeList({ episodes, chosen, onChoose }: Props) {
  const [numPages, setNumPages] = useState(1);
  const shown = episodes.slice(0, numPages * page);
  return (
    <nav aria-label="Choose an episode" className="min-w-0">
      <ul className="flex max-h-56 flex-col overflow-y-auto rounded-lg border border-line bg-surface lg:max-h-[40rem]">
        {shown.map((episode, i) => (
          <li key={`${episode.attempt} ${episode.line}`}>
            {episode.iteration !== shown[i - 1]?.iteration && (
              <p className="sticky top-0 border-b border-line bg-sunken px-3 py-1 text-xs text-muted">
                Iteration {episode.iteration}
              </p>
            )}
            <EpisodeRow episode={episode} isChosen={episode === chosen} onChoose={() => onChoose(episode)} />
          </li>
        ))}
        {shown.length < episodes.length && (
          <li className="p-2 text-center">
            <Button kind="quiet" onClick={() => setNumPages(numPages + 1)}>
              {shown.length} of {formatCount(episodes.length, "episode")}: show more
            </Button>
          </li>
        )}
      </ul>
    </nav>
  );
}

type RowProps = { episode: SampleHead; isChosen: boolean; onChoose: () => void };

function EpisodeRow({ episode, isChosen, onChoose }: RowProps) {
  const { isSuccess, seed, taskType, episodeReward, numTurns, numInvalid } = episode;
  return (
    <button
      type="button"
      aria-current={isChosen}
      onClick={onChoose}
      className={classes(
        "grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-2 px-3 py-1.5 text-left text-sm",
        isChosen ? "bg-accent/12" : "hover:bg-sunken",
      )}
    >
      <Icon
        name={isSuccess ? "check" : "cross"}
        className={classes("size-3.5 self-center", isSuccess ? "text-good" : "text-bad")}
      />
      <span className={classes("truncate", isChosen && "font-medium")}>
        {taskType && `${taskType}, `}task {seed}
      </span>
      <span className="text-muted">{formatValue(episodeReward)}</span>
      <span className="col-start-2 text-xs text-muted">
        {isSuccess ? "solved" : "not solved"}, {formatCount(numTurns, "turn")}
        {numInvalid > 0 && <span className="text-warn">, {numInvalid} invalid</span>}
      </span>
    </button>
  );
}
