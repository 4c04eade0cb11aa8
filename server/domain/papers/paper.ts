import type { TableOptions, TableWording } from "#server/domain/tables/builder/options.ts";

export const paperIds = ["2602.21534", "2510.01132"] as const;
export type PaperId = (typeof paperIds)[number];

/** Small policies of the built-in trainer on this machine, or language models carried out by the paper's own trainer. */
export const scales = ["embedded", "llm"] as const;
export type Scale = (typeof scales)[number];

/** A table or figure of a paper, and how each scale comes to it. */
export type PaperItem = {
  /** As the command line and addresses name it; unique over both papers. */
  id: string;
  paper: PaperId;
  /** As the paper numbers it, and what it is about. */
  title: string;
  scales: Readonly<Record<Scale, Recipe | Missing>>;
};

export type Recipe = {
  /** Files of `public/presets`, without their ending: one sweep each, in this order. */
  presets: readonly string[];
  result: PaperTable | PaperFigure;
  /** What differs from the paper, and why: a sentence each. */
  differs: readonly string[];
};

export type PaperTable = { kind: "table"; options: TableOptions; wording: TableWording };

/** Curves by method, one chart a metric. */
export type PaperFigure = { kind: "figure"; metrics: readonly string[] };

/** Why a scale cannot make it. */
export type Missing = { missing: string };

export function isMissing(recipe: Recipe | Missing): recipe is Missing {
  return "missing" in recipe;
}
