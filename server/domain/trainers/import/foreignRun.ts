import type { SamplingSize } from "#packages/detector";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import type { RawRun, RunSeries, Unread } from "#packages/trainers";

/** A run to import, read from one or several files. */
export type ForeignRun = RunSeries & {
  episodes: readonly SampleEpisode[];
  config: Readonly<Record<string, string>>;
};

export type RunInFile = RawRun & {
  /** Name of the run in the file; empty if it has none. */
  name: string;
  /** Id that distinguishes runs with the same name. Absent: equal names mean one run. */
  id?: string;
  /** Configuration if the file contains one, flattened with dots; each value as JSON or text. */
  config?: Readonly<Record<string, string>>;
  /** Episodes that could be read. */
  episodes?: readonly SampleEpisode[];
};

export const foreignFormats = {
  events: "event log of ARLArena Studio",
  metrics: "JSON lines",
  verlConsole: "verl console log",
  verlFile: "verl file log",
  trlState: "TRL trainer_state.json",
  trlPrinted: "TRL printed log",
  wandb: "W&B offline run",
  wandbCsv: "W&B CSV export",
  mlflowCsv: "MLflow CSV export",
  csv: "CSV table",
  tensorBoard: "TensorBoard event file",
  rollouts: "verl rollout dump",
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
  /** Notes on how the file was read. */
  notes: readonly string[];
  /** Lines, entries or rows that are no measurements. */
  unread: Unread;
};

/** Number of episodes behind success rates, assumed if a run does not state it: as in the paper's runs. */
export const usualSampling = { numEpisodes: 128, groupSize: 8, numHeldOut: 128 } satisfies SamplingSize;
