import { BuiltInEnvironment, type EnvironmentId, type Split } from "#trainer/spec/environment.ts";
import { knobOf, readEnvironment, type KnobProblems } from "#server/domain/environments/environmentKnobs.ts";
import { defaultEnvironment, environmentFields } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { numTasks, seedOf, splits } from "#server/domain/environments/taskSeed.ts";
import type { Play } from "#server/engine/playground/play.ts";
import { readAt } from "#packages/base";

export type Settings = {
  environment: EnvironmentId;
  values: Readonly<Record<string, string>>;
  split: Split;
  /** Index of the task within its split, from 0. */
  task: string;
  historyLength: string;
};

/** Fields that determine an episode before its first response: environment, task and prompt settings. */
export type Start = Omit<Play, "replies">;

export type Checked =
  | { start: Start; problems: Record<string, never> }
  | {
      start: undefined;
      /** Error messages by form field: an environment setting's name, "task" or "historyLength". */
      problems: KnobProblems;
    };

const usual = { split: "train", task: "0", historyLength: "2" } as const;

export function defaultSettings(environment: EnvironmentId): Settings {
  const { id: _, ...knobs } = defaultEnvironment(environment);
  return { environment, values: Object.fromEntries(toTexts("", knobs)), ...usual };
}

/** Returns the texts of an environment's settings, one per path if they are nested. */
function toTexts(path: string, value: unknown): [path: string, text: string][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, child]) => toTexts(path === "" ? key : `${path}.${key}`, child));
}

export const environmentIds: readonly EnvironmentId[] = BuiltInEnvironment.options.map(
  (option) => option.shape.id.value,
);

/** Parses the episode's form from a URL query; missing values and unknown environments or splits get defaults. */
export function parseSettings(query: Readonly<Record<string, string>>): Settings {
  const environment = environmentIds.find((id) => id === query["environment"]) ?? environmentIds[0] ?? "sokoban";
  const { values, ...rest } = defaultSettings(environment);
  return {
    ...rest,
    values: Object.fromEntries(Object.entries(values).map(([knob, text]) => [knob, query[knob] ?? text])),
    split: splits.find((split) => split === query["split"]) ?? rest.split,
    task: query["task"] ?? rest.task,
    historyLength: query["history"] ?? rest.historyLength,
  };
}

/** Returns the URL query with the environment and all settings that differ from its defaults. */
export function toQuery({ environment, values, split, task, historyLength }: Settings): string {
  const usualSettings = defaultSettings(environment);
  const changed = Object.entries(values).filter(([knob, text]) => text !== usualSettings.values[knob]);
  return new URLSearchParams([
    ["environment", environment],
    ...changed,
    ...(split === usualSettings.split ? [] : [["split", split]]),
    ...(task === usualSettings.task ? [] : [["task", task]]),
    ...(historyLength === usualSettings.historyLength ? [] : [["history", historyLength]]),
  ]).toString();
}

export function checkSettings({ environment, values, split, task, historyLength }: Settings): Checked {
  const read = readEnvironment(environment, values);
  const seed = seedOf(split, task.trim() === "" ? NaN : Number(task));
  const history = historyLength.trim() === "" ? NaN : Number(historyLength);
  const isHistory = Number.isInteger(history) && history >= 0 && history <= 16;
  if (read.environment && seed !== undefined && isHistory) {
    return { start: { environment: read.environment, seed, shape: null, historyLength: history }, problems: {} };
  }
  return {
    start: undefined,
    problems: {
      ...read.problems,
      ...(seed === undefined && { task: `a whole number from 0 to ${(numTasks(split) - 1).toLocaleString("en-US")}` }),
      ...(!isHistory && { historyLength: "a whole number from 0 to 16" }),
    },
  };
}

/** Lists the form's error messages, each with its field's name, because the form may be scrolled out of view. */
export function formatProblems(environment: EnvironmentId, problems: Checked["problems"]): string {
  const titles = new Map(environmentFields(environment).map((field) => [knobOf(field), field.title]));
  const nameOf = (field: string) => titles.get(field) ?? { task: "Task number", historyLength: "History" }[field];
  return Object.entries(problems)
    .map(([field, problem]) => `${nameOf(field) ?? field}: ${problem}`)
    .join("; ");
}

/** Converts an environment of a sweep file to an episode's form, with the first of several values. */
export function fromTask(environment: EnvironmentId, task: Readonly<Record<string, unknown>>): Settings {
  const settings = defaultSettings(environment);
  const texts = environmentFields(environment).flatMap((field) => {
    const value = readAt(task, knobOf(field));
    const first: unknown = Array.isArray(value) && field.kind !== "set" ? value[0] : value;
    return first === undefined ? [] : toTexts(knobOf(field), first);
  });
  return { ...settings, values: { ...settings.values, ...Object.fromEntries(texts) } };
}
