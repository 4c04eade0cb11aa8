import type { SampleEpisode } from "#trainer/spec/sample.ts";
import type { RawRun, RunSeries } from "#server/domain/external/toSeries.ts";
import type { Unread } from "#server/domain/external/unread.ts";

/** One run as planned: read from one file or several. */
export type ForeignRun = RunSeries & {
  episodes: readonly SampleEpisode[];
  config: Readonly<Record<string, string>>;
};

/** One run as a file holds it. */
export type RunInFile = RawRun & {
  /** As the file calls it; empty where it does not. */
  name: string;
  /** What tells it from runs of the same name; runs of one name are one run where it is absent. */
  id?: string;
  /** Its configuration where the file holds one, flattened with dots, every value as JSON or text. */
  config?: Readonly<Record<string, string>>;
  /** Episodes that can be read. */
  episodes?: readonly SampleEpisode[];
};

export const foreignFormats = {
  events: "event log of this product",
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
  /** What a reader should know of how it was read. */
  notes: readonly string[];
  /** Lines, entries or rows that are no measurements. */
  unread: Unread;
};
