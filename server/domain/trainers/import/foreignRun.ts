import type { SamplingSize } from "#packages/detector";
import type { GroupToWrite } from "#trainer/spec/keptGroup.ts";
import type { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import type { RawRun, RunSeries, Unread } from "#packages/trainers";

export type ForeignRun = RunSeries & {
  episodes: readonly StoredEpisode[];
  groups: readonly GroupToWrite[];
  config: Readonly<Record<string, string>>;
};

export type RunInFile = RawRun & {
  name: string;
  /** Id that distinguishes runs with equal names. If absent, runs with equal names are the same run. */
  id?: string;
  /** Configuration of the run if the file contains one, flattened with dots; each value as JSON or text. */
  config?: Readonly<Record<string, string>>;
  episodes?: readonly StoredEpisode[];
  groups?: readonly GroupToWrite[];
};

export const foreignFormats = {
  events: "event log of ARLArena Studio",
  metrics: "JSON lines",
  columns: "JSON columns",
  verlConsole: "verl console log",
  verlFile: "verl file log",
  trlState: "TRL trainer_state.json",
  trlPrinted: "TRL printed log",
  wandb: "W&B offline run",
  wandbCsv: "W&B CSV export",
  mlflowCsv: "MLflow CSV export",
  mlflowMetric: "MLflow metric file",
  csv: "CSV table",
  tensorBoard: "TensorBoard event file",
  rollouts: "rollouts of verl, TRL, prime-rl or Tinker",
  openRlhfConsole: "OpenRLHF console log",
  skyRlConsole: "SkyRL console log",
  slimeConsole: "slime console log",
  nemoRlConsole: "NeMo RL console log",
  primeRlConsole: "prime-rl console log",
  rollConsole: "ROLL console log",
  arealConsole: "AReaL console log",
} as const;
export type ForeignFormat = keyof typeof foreignFormats;

export type ForeignFile = {
  format: ForeignFormat;
  runs: readonly RunInFile[];
  notes: readonly string[];
  /** Numbers of lines, entries or table rows that contain no measurements. */
  unread: Unread;
};

/** Assumed numbers of episodes behind success rates, as in the paper's runs, if a run does not state them. */
export const usualSampling = { numEpisodes: 128, groupSize: 8, numHeldOut: 128 } satisfies SamplingSize;

export type NamedFile = { fileName: string; file: ForeignFile };

/** A file that is not imported, and the reason. */
export type LeftOut = { file: string; reason: string };

/** `isEvaluation`: the file is one of evaluations by its name. */
export type Part = RunInFile & {
  fileName: string;
  isEvaluation: boolean;
  format: ForeignFile["format"];
  notes: readonly string[];
};
/** Files of one run, with the path of its only file if that does not name the run, or the folder that names it. */
export type Group = { id: string; name: string; parts: Part[]; path?: string; file?: string; folder?: string };
