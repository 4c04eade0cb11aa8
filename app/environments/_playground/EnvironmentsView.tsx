"use client";
import { type EnvironmentId, environments } from "#trainer/spec/environment.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { SettingsForm } from "./SettingsForm.tsx";
import {
  checkSettings,
  defaultSettings,
  environmentIds,
  formatProblems,
  parseSettings,
  type Settings,
  type Start,
  toQuery,
} from "#app/_components/episode/settings.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Card } from "#app/_ui/Card.tsx";
import { ActionPanel } from "#app/_components/episode/ActionPanel.tsx";
import { NotBegun } from "#app/_components/episode/NotBegun.tsx";
import { Observation } from "#app/_components/episode/Observation.tsx";
import { PromptCard } from "#app/_components/episode/PromptCard.tsx";
import { StatusLine } from "#app/_components/episode/StatusLine.tsx";
import { TurnList } from "#app/_components/episode/TurnList.tsx";
import { useEpisode } from "#app/_components/episode/useEpisode.ts";
import { classes } from "#app/_ui/classes.ts";

const settingsPart = {
  parse: (query: URLSearchParams) => parseSettings(Object.fromEntries(query)),
  write: (query: URLSearchParams, settings: Settings) =>
    new URLSearchParams([
      ...new URLSearchParams(toQuery(settings)),
      ...query.getAll("sweep").map((id) => ["sweep", id]),
    ]),
  continuous: [...new Set(environmentIds.flatMap((id) => Object.keys(defaultSettings(id).values))), "task", "history"],
};

export function EnvironmentsView() {
  const [settings, change] = useAddress(settingsPart);
  const { start, problems } = checkSettings(settings);
  return (
    <>
      <EnvironmentPicker chosen={settings.environment} onChoose={(id) => change(defaultSettings(id))} />
      <p className="mt-2 mb-4 text-muted">{environments[settings.environment].summary}</p>
      {/* On a phone the episode is between the task chooser and the settings. */}
      <div className="flex flex-col gap-4 lg:grid lg:grid-cols-[17rem_minmax(0,1fr)] lg:items-start">
        <SettingsForm settings={settings} problems={problems} onChange={change} />
        {start ? (
          <Board
            key={JSON.stringify(start)}
            start={start}
            onNextTask={() => change({ ...settings, task: String(Number(settings.task) + 1) })}
          />
        ) : (
          <Notice tone="warn">
            No episode can begin with these settings. {formatProblems(settings.environment, problems)}.
          </Notice>
        )}
      </div>
    </>
  );
}

function Board({ start, onNextTask }: { start: Start; onNextTask: () => void }) {
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

type Props = { chosen: EnvironmentId; onChoose: (id: EnvironmentId) => void };

/** Buttons are used instead of `Choice`, whose radio buttons would receive the arrow keys that play the episode. */
function EnvironmentPicker({ chosen, onChoose }: Props) {
  return (
    <div role="group" aria-label="Environment" className="flex flex-wrap gap-2">
      {environmentIds.map((id) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
          className={classes(
            "rounded-lg border px-4 py-2 font-medium max-sm:flex-1",
            id === chosen
              ? "border-accent bg-accent/12 text-text"
              : "border-line bg-surface text-muted hover:text-text",
          )}
        >
          {environments[id].title}
        </button>
      ))}
    </div>
  );
}
