import { canonicalJson } from "#trainer/spec/canonical.ts";
import { isOver, type RunStatus } from "#server/domain/runs/runStatus.ts";
import type { TableQuery } from "./query.ts";
import { type Estimate, listRunIds, type Table, type TableCell } from "#packages/tables";

/**
 * Version of the computation, incremented when the same runs give a different number, which a test detects. Up to
 * tables-3, rows were in storage order and the interval of a restricted mean was not clipped. Up to tables-4, differences
 * had bootstrap intervals, and branches that had collapsed before their change counted. Up to tables-5, no p-value or interval
 * allowed for looks before seeds were added. Up to tables-6, those that did had a relative error up to 8e-4 (more below
 * p = 1e-4), those of Survival and Equivalence did not, and runs with groups not trained on or unread log lines were
 * not counted. Up to tables-7, Compare's p was not corrected, and Survival had paired differences of success. Up to
 * tables-8, responses and groups that other trainers drop were not counted. Up to tables-9, runs without reinforcement
 * learning had no final value. Up to tables-10, Transfer merged runs of different sweeps.
 */
export const tableCode = "tables-11";

/** Tables from before `tables-4` are verified with their original computation. */
export function isOfStoredOrder(code: string): boolean {
  return /^tables-[0-3]$/.test(code);
}

/** Tables from before `tables-5` are verified with bootstrap intervals of differences. */
export function isOfBootstrap(code: string): boolean {
  return /^tables-[0-4]$/.test(code);
}

/** Tables from before `tables-6` are verified without looks. */
export function isWithoutLooks(code: string): boolean {
  return /^tables-[0-5]$/.test(code);
}

/** Tables from before `tables-7` are verified without counts of dropped groups and unread log lines. */
export function isWithoutDropped(code: string): boolean {
  return /^tables-[0-6]$/.test(code);
}

/** Tables from before `tables-8` are verified with Compare's uncorrected p and Survival's differences of success. */
export function isUncorrected(code: string): boolean {
  return /^tables-[0-7]$/.test(code);
}

/** Tables from before `tables-9` are verified without counts of what other trainers dropped. */
export function isWithoutForeignDropped(code: string): boolean {
  return /^tables-[0-8]$/.test(code);
}

/** Tables from before `tables-10` are verified without values of runs that only cloned demonstrations. */
export function isWithoutUntrained(code: string): boolean {
  return /^tables-[0-9]$/.test(code);
}

/** Tables from before `tables-11` are verified with one row for equal names of several sweeps in Transfer. */
export function isMerged(code: string): boolean {
  return /^tables-([0-9]|10)$/.test(code);
}

/**
 * Returns the text whose hash is the proof: query, runs, every number unrounded, and code version. It excludes
 * formatting and wording.
 */
export function proofText(query: TableQuery, table: Table, code = tableCode): string {
  const { sweepIds } = query;
  // Seeds that were added and removed again change no number of the table.
  const { takenBack: _, ...ends } = table.provenance.ends ?? {};
  return canonicalJson({
    query: isOfStoredOrder(code) ? query : { ...query, sweepIds: sweepIds.toSorted() },
    code,
    runs: listRunIds(table.rows),
    columns: table.columns.map(({ key }) => key),
    rows: table.rows.map(({ cells }) => cells.map(toText)),
    ...(Object.keys(ends).some((key) => key !== "runs") && { ends }),
  });
}

/** True if all runs have ended, also those that are not yet in the table; numbers of an unfinished run may change. */
export function canBeProved(table: Table, statuses: ReadonlyMap<string, RunStatus>): boolean {
  const runIds = listRunIds(table.rows);
  return runIds.length > 0 && runIds.every((id) => statuses.has(id)) && [...statuses.values()].every(isOver);
}

/** Converts a cell to text, because JSON cannot represent NaN and infinities. */
function toText(cell: TableCell): string {
  switch (cell.kind) {
    case "text":
      return cell.key ?? cell.text;
    case "number":
      return String(cell.value);
    case "meanStd":
      return `${cell.mean} ${cell.std} ${cell.n}`;
    case "estimate": {
      const { mean, std, n, interval, shown, correctedP = "", stars, numCollapsed = "", marks } = cell;
      return [mean, std, n, range(interval), besideOf(shown), correctedP, stars, numCollapsed, ...marks].join(" ");
    }
    case "share":
      return `${cell.k}/${cell.n}`;
    case "change":
      return `${cell.value} ${cell.of}`;
    case "missing":
      return [cell.isDiverged === true ? "nan" : "", ...(cell.marks ?? [])].join(" ").trim();
  }
}

function range(of: { low: number; high: number } | undefined): string {
  return of ? `${of.low} ${of.high}` : "";
}

function besideOf(shown: Estimate["shown"]): string {
  switch (shown.kind) {
    case "none":
      return "";
    case "plusMinus":
      return String(shown.value);
    case "interval":
      return shown.halfWidth === undefined ? range(shown) : String(shown.halfWidth);
  }
}
