import { groupBy } from "#packages/base";
import { holm, mean, pairedTTest, twoLevelInterval } from "#packages/statistics";
import { listArms, pairByUnit } from "./branchOutcome.ts";
import type { RescueRun } from "./rescue.ts";
import { nothing } from "./rescueArms.ts";
import { type BareTable, type Column, type Row, type TableCell, estimateCell } from "#packages/tables";

const columns = ["change", "origins", "collapsed", "success", "difference", "p"].map((key): Column => {
  return { key, header: key, better: "none", format: { shift: 0, decimals: 3 } };
});

/**
 * Computes the rescue table of tables-4, only to verify its proofs: every continuation and every collapse counts,
 * unclear branches do not, and over several origins intervals are of the two-level bootstrap.
 */
export function toRescueTable4(runs: readonly RescueRun[]): BareTable {
  const groups = [...groupBy(runs, ({ group }) => group)];
  const all = groups.length > 1 ? "All origins" : undefined;
  const ofGroups = groups.length > 1 ? groups.flatMap(([group, own]) => toRows(own, group)) : [];
  return { caption: "", columns, rows: [...toRows(runs, all), ...ofGroups], notes: [] };
}

function toRows(runs: readonly RescueRun[], heading: string | undefined): Row[] {
  const tested = listArms(runs).map((arm) => testArm(runs, arm));
  const adjusted = holm(tested.map(({ p }) => p));
  return tested.map(({ arm, cell }, i): Row => {
    const own = runs.filter((run) => run.arm === arm);
    const judged = own.filter(({ hindsight }) => !/^(not judged|unclear)/.test(hindsight));
    const k = judged.filter(({ hindsight }) => hindsight.startsWith("collapsed")).length;
    const cells: TableCell[] = [
      { kind: "text", text: arm },
      { kind: "number", value: new Set(own.map(({ origin }) => origin)).size },
      judged.length === 0 ? { kind: "missing" } : { kind: "share", k, n: judged.length },
      toNumber(mean(own.flatMap(({ success }) => (Number.isNaN(success) ? [] : [success])))),
      cell,
      toNumber(adjusted[i] ?? NaN),
    ];
    return { cells, runIds: own.map(({ runId }) => runId), ...(heading !== undefined && { heading, block: heading }) };
  });
}

function toNumber(value: number): TableCell {
  return Number.isNaN(value) ? { kind: "missing" } : { kind: "number", value };
}

function testArm(runs: readonly RescueRun[], arm: string): { arm: string; cell: TableCell; p: number } {
  if (arm === nothing) return { arm, cell: { kind: "missing" }, p: NaN };
  const groups = pairByUnit(runs, arm).map((pairs) =>
    pairs.flatMap((pair) => {
      const [x, y] = [pair.arm.success, pair.nothing.success];
      return Number.isFinite(x) && Number.isFinite(y) ? [{ x, y }] : [];
    }),
  );
  const pairs = groups.flat();
  const filled = groups.filter(({ length }) => length > 0);
  const units = filled.length > 1 ? filled : pairs.map((pair) => [pair]);
  const test = pairedTTest(
    units.map((some) => mean(some.map(({ x }) => x))),
    units.map((some) => mean(some.map(({ y }) => y))),
  );
  const p = units.length < 3 ? NaN : test.p;
  if (pairs.length === 0) return { arm, cell: { kind: "missing" }, p };
  const differences = groups.map((some) => some.map(({ x, y }) => x - y));
  if (groups.length < 2) {
    const interval = pairs.length < 3 ? { low: NaN, high: NaN } : test.interval;
    return { arm, cell: estimateCell(test.difference, pairs.length, interval), p };
  }
  const difference = mean(differences.filter(({ length }) => length > 0).map((own) => mean(own)));
  return { arm, cell: estimateCell(difference, pairs.length, twoLevelInterval(differences)), p };
}
