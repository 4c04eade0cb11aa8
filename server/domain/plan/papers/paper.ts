import type { TableOptions, TableWording } from "#server/domain/publish/tables/builder/options.ts";

export const paperIds = ["2602.21534", "2510.01132"] as const;
export type PaperId = (typeof paperIds)[number];

/** Small policies of the built-in trainer on this machine, or language models trained by the paper's own trainer. */
export const scales = ["embedded", "llm"] as const;
export type Scale = (typeof scales)[number];

/** A table or figure of a paper, with its recipe at each scale. */
export type PaperItem = {
  /** Id on the command line and in addresses; unique over both papers. */
  id: string;
  paper: PaperId;
  /** Number and subject in the paper. */
  title: string;
  scales: Readonly<Record<Scale, Recipe | Missing>>;
};

export type Recipe = {
  /** Files of `public/presets` without extension: one sweep each, in this order. */
  presets: readonly string[];
  result: PaperTable | PaperFigure | PaperTransfer;
  /** Differences from the paper with reasons, one sentence each. */
  differs: readonly string[];
  /** Recorded studies of these or similar plans: files of `studies` without extension. */
  recorded?: readonly string[];
};

export type PaperTable = { kind: "table"; options: TableOptions; wording: TableWording };

/** Curves by method, one chart per metric. */
export type PaperFigure = { kind: "figure"; metrics: readonly string[] };

/** Trained in by evaluated in: success. */
export type PaperTransfer = { kind: "transfer" };

/** Reason why a scale cannot reproduce it. */
export type Missing = { missing: string };

export function isMissing(recipe: Recipe | Missing): recipe is Missing {
  return "missing" in recipe;
}
