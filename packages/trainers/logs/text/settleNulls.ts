import type { LoggedStep } from "../point.ts";

/** Minimum number of rows before the first null to know how often a metric is measured. */
const minNumbers = 10;

type Tally = { numbers: number; nulls: number; isSparse: boolean };

/**
 * JSON null means "not measured", or NaN in many writers. If a metric has a number in each of its first rows and null
 * from some row to the end, it diverged: its nulls become NaN in `lines`. Other nulls stay gaps. Returns notes.
 */
export function settleNulls(lines: readonly LoggedStep[]): string[] {
  const tallies = new Map<string, Tally>();
  for (const { nulls = [] } of lines) {
    for (const key of nulls) if (!tallies.has(key)) tallies.set(key, { numbers: 0, nulls: 0, isSparse: false });
  }
  if (tallies.size === 0) return [];
  for (const { values, nulls = [] } of lines) {
    for (const [key, tally] of tallies) {
      if (!Number.isFinite(values[key])) continue;
      tally.numbers += 1;
      if (tally.nulls > 0) tally.isSparse = true;
    }
    for (const key of nulls) {
      const tally = tallies.get(key);
      if (tally) tally.nulls += 1;
    }
  }
  const isDiverged = ({ numbers, isSparse }: Tally) => numbers >= minNumbers && !isSparse;
  const diverged = [...tallies].filter(([, tally]) => isDiverged(tally)).map(([key]) => key);
  for (const { values, nulls = [] } of lines) {
    for (const key of nulls) if (diverged.includes(key)) values[key] = NaN;
  }
  const gaps = [...tallies].filter(([, tally]) => !isDiverged(tally));
  const numGaps = gaps.reduce((sum, [, tally]) => sum + tally.nulls, 0);
  return [
    ...(diverged.length > 0 ? [`${nameSome(diverged)}: null to the end of the log is read as NaN`] : []),
    ...(gaps.length > 0 ? [`${sayNulls(numGaps)} read as not measured: ${nameSome(gaps.map(([key]) => key))}`] : []),
  ];
}

function sayNulls(number: number): string {
  return number === 1 ? "1 null is" : `${number.toLocaleString("en-US")} nulls are`;
}

function nameSome(keys: readonly string[]): string {
  return keys.slice(0, 5).join(", ") + (keys.length > 5 ? ` and ${keys.length - 5} more` : "");
}
