import { readAt } from "#server/domain/sweep/path.ts";
import type { Side } from "../matchSides.ts";
import type { Part } from "../sides.ts";
import type { StudiedRun } from "../studiedRun.ts";

export type Claim = {
  id: string;
  /** As the paper has it. */
  claim: string;
  source: string;
  /** Preset whose runs can tell. */
  preset: string;
  /** What the parts have to do for the claim. */
  rule: "all" | "any";
  /** Where the sides differ in more than the claim names, in what. */
  note?: string;
  test: (runs: readonly StudiedRun[]) => Part[];
};

/** A dimension as it acts, or a dotted path into a cell → what it may be. */
type Wanted = Readonly<Record<string, string | readonly string[] | ((x: number) => boolean)>>;

export function side(name: string, runs: readonly StudiedRun[], wanted: Wanted): Side {
  const fits = (run: StudiedRun) =>
    Object.entries(wanted).every(([path, accepted]) => {
      if (typeof accepted === "function") return accepted(levelAt(path)(run));
      const value = readOf(run, path);
      return typeof accepted === "string" ? value === accepted : accepted.some((one) => one === value);
    });
  return { name, runs: runs.filter(fits) };
}

/** The number at a path of a cell; NaN where there is none, which no comparison accepts. */
export function levelAt(path: string): (run: StudiedRun) => number {
  return (run) => {
    const value = readOf(run, path);
    return typeof value === "number" ? value : NaN;
  };
}

function readOf({ levels, settings, point }: StudiedRun, path: string): unknown {
  return readAt(levels, path) ?? readAt({ ...settings, method: point }, path);
}

/** GRPO's advantages and sampling. */
export const plain = { advantage: "group", sampling: "all" } as const;
/** Clippings that let through what a hard clip would not. */
export const tolerant = ["sapo", "cispo"] as const;

export const final = ({ value }: StudiedRun): number => value;
export const early = (run: StudiedRun): number => run.early;
/** Where the sides are of several environments: in each one's own standard deviations they would all be alike. */
export const asMeasured = ({ rawValue }: StudiedRun): number => rawValue;
