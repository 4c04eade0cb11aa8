/** What another trainer measured at one step, under the catalogue's keys where it has one. NaN and ±Infinity are values. */
export type ForeignPoint = { iteration: number; values: Readonly<Record<string, number>>; atMs?: number };

/** One run read from another trainer's file. */
export type ForeignRun = {
  /** As the file calls it; empty where it does not. */
  name: string;
  /** By iteration, each once. */
  points: readonly ForeignPoint[];
  /** The trainer's own key of each of the catalogue's. */
  originals: Readonly<Record<string, string>>;
};

export const foreignFormats = {
  events: "event log of this product",
  metrics: "JSON lines",
  verlConsole: "verl console log",
  verlFile: "verl file log",
  trlState: "TRL trainer_state.json",
  trlPrinted: "TRL printed log",
  wandbCsv: "W&B CSV export",
  mlflowCsv: "MLflow CSV export",
  tensorBoard: "TensorBoard event file",
} as const;
export type ForeignFormat = keyof typeof foreignFormats;

export type ForeignFile = {
  format: ForeignFormat;
  runs: readonly ForeignRun[];
  /** Lines and columns that are no measurements. */
  notes: readonly string[];
};
