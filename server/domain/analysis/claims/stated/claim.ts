import { readAt } from "#packages/base";
import type { Side } from "../matchSides.ts";
import type { Part } from "../sides.ts";
import type { StudiedRun } from "../studiedRun.ts";

export type Claim = {
  id: string;
  /** The claim in the paper's words. */
  claim: string;
  source: string;
  /** Preset whose runs test the claim. */
  preset: string;
  /** Number of parts that must be supported for the claim to be supported. */
  rule: "all" | "any";
  /** Further differences between the compared sides, beyond the one that the claim names. */
  note?: string;
  test: (runs: readonly StudiedRun[]) => Part[];
};

/** Conditions on runs: a dimension's effective value, or a dotted path into a cell → allowed values. */
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

/** Numeric setting of a run at a dotted path; NaN if there is none, which makes every comparison false. */
export function levelAt(path: string): (run: StudiedRun) => number {
  return (run) => {
    const value = readOf(run, path);
    return typeof value === "number" ? value : NaN;
  };
}

function readOf({ levels, settings, point }: StudiedRun, path: string): unknown {
  return readAt(levels, path) ?? readAt({ ...settings, method: point }, path);
}

/** GRPO's advantage and sampling, as conditions on runs. */
export const plain = { advantage: "group", sampling: "all" } as const;
/** Clippings that pass gradients where a hard clip has none. */
export const tolerant = ["sapo", "cispo"] as const;

export const final = ({ value }: StudiedRun): number => value;
export const early = (run: StudiedRun): number => run.early;
/** Value without z-scores: for sides in several environments, z-scores per environment would make them all alike. */
export const asMeasured = ({ rawValue }: StudiedRun): number => rawValue;
