import type { TableOptions, TableWording } from "#server/domain/publish/tables/builder/options.ts";

export const paperIds = ["2602.21534", "2510.01132"] as const;
export type PaperId = (typeof paperIds)[number];

/**
 * Scale of a reproduction: small policies of the built-in trainer on this machine, or language models trained by the
 * paper's own trainer.
 */
export const scales = ["embedded", "llm"] as const;
export type Scale = (typeof scales)[number];

/** A table or figure of a paper, with its recipe at each scale. */
export type PaperItem = {
  /** Id on the command line and in URLs; unique over both papers. */
  id: string;
  paper: PaperId;
  /** Number and subject of the item in the paper. */
  title: string;
  scales: Readonly<Record<Scale, Recipe | Missing>>;
};

export type Recipe = {
  /** Files of `public/presets` without extension: one sweep each, in this order. */
  presets: readonly string[];
  result: PaperTable | PaperFigure | PaperTransfer;
  /** Differences from the paper, one sentence each, with the reason. */
  differs: readonly string[];
  /** Recorded studies of these plans or similar ones: files of `studies` without extension. */
  recorded?: readonly string[];
};

export type PaperTable = { kind: "table"; options: TableOptions; wording: TableWording };

/** Curves by method, one chart per metric. */
export type PaperFigure = { kind: "figure"; metrics: readonly string[] };

/** Matrix of success: environment of training by environment of evaluation. */
export type PaperTransfer = { kind: "transfer" };

/** Reason why this scale cannot reproduce the item. */
export type Missing = { missing: string };

export function isMissing(recipe: Recipe | Missing): recipe is Missing {
  return "missing" in recipe;
}
