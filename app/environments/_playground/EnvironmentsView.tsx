"use client";
import { environments } from "#trainer/spec/environment.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Board } from "./Board.tsx";
import { EnvironmentPicker } from "./EnvironmentPicker.tsx";
import { SettingsForm } from "./SettingsForm.tsx";
import {
  checkSettings,
  defaultSettings,
  environmentIds,
  parseSettings,
  formatProblems,
  toQuery,
  type Settings,
} from "#app/_components/episode/settings.ts";

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
      {/* On a phone the board is between the task chooser and the settings. */}
      <div className="flex flex-col gap-4 lg:grid lg:grid-cols-[17rem_minmax(0,1fr)] lg:items-start">
        <SettingsForm settings={settings} problems={problems} onChange={change} />
        {start ? (
          <Board
            key={JSON.stringify(start)}
            start={start}
            onNextTask={() => change({ ...settings, task: String(Number(settings.task) + 1) })}
          />
        ) : (
          <Notice tone="warn">No episode can begin like this. {formatProblems(settings.environment, problems)}.</Notice>
        )}
      </div>
    </>
  );
}
