import { readAt } from "#packages/base";
import type { Side } from "../matchSides.ts";
import type { Part } from "../sides.ts";
import type { StudiedRun } from "../studiedRun.ts";

export type Claim = {
  id: string;
  /** The claim in the paper's words. */
  claim: string;
  source: string;
  /** Name of the shipped preset sweep whose runs test the claim. */
  preset: string;
  /** Tests that must support the claim for it to count as supported: all or any. */
  rule: "all" | "any";
  /** Further differences between the compared groups, beyond the one that the claim names. */
  note?: string;
  test: (runs: readonly StudiedRun[]) => Part[];
};

/** Conditions that select runs. Maps a method dimension, or the dotted path of a setting, to the allowed values. */
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

/**
 * Returns a function that reads the numeric setting at a dotted path from a run; NaN if the run has no number there.
 */
export function levelAt(path: string): (run: StudiedRun) => number {
  return (run) => {
    const value = readOf(run, path);
    return typeof value === "number" ? value : NaN;
  };
}

function readOf({ levels, settings, point }: StudiedRun, path: string): unknown {
  return readAt(levels, path) ?? readAt({ ...settings, method: point }, path);
}

/** Conditions that select runs with GRPO's advantage (group-relative) and sampling (all tasks). */
export const plain = { advantage: "group", sampling: "all" } as const;
/** Clipping variants that pass gradients where a hard clip passes none. */
export const tolerant = ["sapo", "cispo"] as const;

export const final = ({ value }: StudiedRun): number => value;
export const early = (run: StudiedRun): number => run.early;
/**
 * Returns the outcome in the metric's own unit, to compare environments: z-scores within each environment would have
 * equal means.
 */
export const asMeasured = ({ rawValue }: StudiedRun): number => rawValue;
