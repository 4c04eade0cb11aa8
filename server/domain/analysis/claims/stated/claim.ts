import { readAt } from "#packages/base";
import type { Part, Side } from "../sides.ts";
import type { StudiedRun } from "../studiedRun.ts";

export type Claim = {
  id: string;
  /** The claim in the paper's words. */
  claim: string;
  source: string;
  /** Shipped preset sweep whose runs test the claim. */
  preset: string;
  /** Tests that must support the claim, by default all. */
  rule?: "any";
  /** Differences between compared groups beyond the one that the claim names. */
  note?: string;
  test: (runs: readonly StudiedRun[]) => Part[];
};

/** Allowed values of method dimensions, or of settings by dotted path. */
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

/** Reads the numeric setting at a dotted path; NaN if the run has no number there. */
export function levelAt(path: string): (run: StudiedRun) => number {
  return (run) => {
    const value = readOf(run, path);
    return typeof value === "number" ? value : NaN;
  };
}

function readOf({ levels, settings, point }: StudiedRun, path: string): unknown {
  return readAt(levels, path) ?? readAt({ ...settings, method: point }, path);
}

/** GRPO's advantage and sampling. */
export const plain = { advantage: "group", sampling: "all" } as const;
/** Clipping variants that pass gradients where a hard clip passes none. */
export const tolerant = ["sapo", "cispo"] as const;

export const final = ({ value }: StudiedRun): number => value;
export const early = (run: StudiedRun): number => run.early;
/** Returns the outcome in the metric's unit, to compare environments: their z-scores have equal means. */
export const asMeasured = ({ rawValue }: StudiedRun): number => rawValue;
