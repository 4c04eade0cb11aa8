import type { Division, Outcome } from "#server/domain/analysis/behaviour/groupEpisodes.ts";
import type { TableOptions, TableWording } from "../tables/builder/options.ts";

export const paperIds = ["2602.21534", "2510.01132"] as const;
export type PaperId = (typeof paperIds)[number];

/** Scale of a reproduction: small policies and the built-in trainer, or language models and the paper's own trainer. */
export const scales = ["embedded", "llm"] as const;
export type Scale = (typeof scales)[number];

/** A table or figure of a paper, with the recipe that reproduces it at each scale. */
export type PaperItem = {
  /** Id of the table or figure on the command line and in URLs, unique over both papers. */
  id: string;
  paper: PaperId;
  title: string;
  scales: Readonly<Record<Scale, Recipe | Missing>>;
};

export type Recipe = {
  /** Presets that the recipe runs or describes: file names in `public/presets` without extension, one sweep each. */
  presets: readonly string[];
  result: PaperTable | PaperFigure | PaperAnswer | PaperFlow | PaperDefinition;
  /** Differences between the recipe and the paper's experiment with their reasons, one sentence each. */
  differs: readonly string[];
  /** Recorded studies of the same or similar sweep plans: names of files in `studies`, without extension. */
  recorded?: readonly string[];
  /** Why there is no recorded study yet. */
  unrecorded?: string;
};

export type PaperTable = { kind: "table"; options: TableOptions; wording: TableWording };

/** Curves of these methods; absent: of all methods of the sweeps. */
export type PaperFigure = { kind: "figure"; metrics: readonly string[]; methods?: readonly string[] | undefined };

/** Returns the cells that a figure draws, and the methods that it names and the cells lack. */
export function chooseCells<Cell extends { method: string }>(
  cells: readonly Cell[],
  methods: PaperFigure["methods"],
): { cells: readonly Cell[]; absent: string[] } {
  if (!methods) return { cells, absent: [] };
  const absent = methods.filter((name) => !cells.some(({ method }) => method === name));
  return { cells: cells.filter(({ method }) => methods.includes(method)), absent };
}

/** Table of a question: success before and after training, or by training and evaluation environment. */
export type PaperAnswer = { kind: "answer"; question: "beforeAfter" | "transfer" };

/** Flow of actions of one group of episodes in an environment. */
export type PaperFlow = { kind: "flow"; environment: string; by: Division; group: string; only?: Outcome };

/** Table without runs: the methods' definitions, or the settings of the recipe's presets beside the published ones. */
export type PaperDefinition = { kind: "definition"; of: "methods" | "settings" };

export type Missing = { missing: string };

export function isMissing(recipe: Recipe | Missing): recipe is Missing {
  return "missing" in recipe;
}
