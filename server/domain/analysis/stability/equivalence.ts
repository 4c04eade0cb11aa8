import { formatCount } from "#packages/base";
import { methodCell } from "#server/domain/plan/sweep/labels/methodCell.ts";
import { type Equivalence, mean, testEquivalence } from "#packages/statistics";
import { looksOfPairs, pairWithin, type WatchedRun } from "#server/domain/analysis/stability/survival.ts";
import {
  type BareTable,
  type Column,
  intervalCell,
  pColumn,
  plainFormat,
  type Row,
  shareColumn,
  textCell,
  textColumn,
} from "#packages/tables";

/** Methods count as equivalent if their success rates differ by less. */
const equivalenceMargin = 0.05;

type EquivalenceGroup = {
  group: string;
  runIds: readonly string[];
  /** Mean final success over the pairs of runs. */
  success: number;
  baseline: number;
  test: Equivalence;
};

/** Tests equivalence with the baseline, paired by seed and setting. */
export function reportEquivalence(runs: readonly WatchedRun[], baseline: string): EquivalenceGroup[] {
  const base = runs.filter(({ group }) => group === baseline);
  const others = [...new Set(runs.map(({ group }) => group))].filter((group) => group !== baseline);
  return others.flatMap((group): EquivalenceGroup[] => {
    const members = runs.filter((run) => run.group === group);
    const pairs = pairWithin(members, base).filter(({ x, y }) => x.success !== null && y.success !== null);
    if (pairs.length === 0) return [];
    const [x, y] = [pairs.map((pair) => pair.x.success ?? NaN), pairs.map((pair) => pair.y.success ?? NaN)];
    const runIds = pairs.flatMap((pair) => [pair.x.runId, pair.y.runId]);
    const test = testEquivalence(x, y, { margin: equivalenceMargin, looks: looksOfPairs(pairs) });
    return [{ group, runIds, success: mean(x), baseline: mean(y), test }];
  });
}

const margin = `${100 * equivalenceMargin} points`;
const oneDecimal = { shift: 2, decimals: 1 };

const columns: Column[] = [
  textColumn("group", "Group"),
  { key: "pairs", header: "Pairs", better: "none", format: plainFormat },
  { ...shareColumn("success", "Success at the end"), format: oneDecimal },
  { ...shareColumn("baseline", "Success of the baseline"), format: oneDecimal },
  { ...shareColumn("difference", "Paired difference, 90 %"), unit: "points", format: oneDecimal },
  pColumn("notBelow", `p (H₀: loss ≥ ${margin})`),
  pColumn("notAbove", `p (H₀: gain ≥ ${margin})`),
  textColumn("verdict", `Within ${margin}`),
];

export function toEquivalenceTable(groups: readonly EquivalenceGroup[], baseline: string): BareTable {
  return {
    caption: `Equivalence of success at the end with ${baseline}: two one-sided tests with a margin of ${margin}`,
    columns,
    rows: groups.map(toRow),
    notes: [
      `Runs are paired by seed and settings, and collapsed runs are included. A group is equivalent to the baseline if both p are below .05, that is, if the 90 % interval of the difference lies within ±${margin}. p values are not corrected for multiple comparisons, because a claim that all groups are equivalent needs each test to reject. “Not shown” does not mean different. Compare tests differences, unpaired.`,
    ],
    isUnmarked: true,
    isWide: true,
  };
}

/** Names the groups that are shown to be as successful as the baseline. */
export function summariseEquivalence(groups: readonly EquivalenceGroup[], baseline: string): string {
  const alike = groups.filter(({ test: { p } }) => p < 0.05).map(({ group }) => group);
  if (groups.length === 0) return "";
  const counted = `${alike.length === 0 ? "None" : alike.length} of ${formatCount(groups.length, "group")}`;
  const named = alike.length > 0 ? `: ${new Intl.ListFormat("en-GB").format(alike)}` : "";
  return `${counted} ${alike.length > 1 ? "are" : "is"} shown to be within ${margin} of ${baseline} in success${named}.`;
}

function verdictOf({ p, difference, numPairs }: EquivalenceGroup["test"]): string {
  if (!Number.isNaN(p)) return p < 0.05 ? "equivalent" : "not shown";
  if (numPairs < 2) return "too few pairs";
  // Methods may act identically, for example because a correction had nothing to correct.
  return difference === 0 ? "equal in every pair" : "every pair differs alike";
}

function toRow({ group, runIds, success, baseline, test }: EquivalenceGroup): Row {
  const { difference, interval, notBelow, notAbove, numPairs } = test;
  const cellOf = (p: number) =>
    Number.isFinite(p) ? ({ kind: "number", value: p } as const) : ({ kind: "missing" } as const);
  return {
    runIds: [...runIds],
    cells: [
      methodCell(group),
      { kind: "number", value: numPairs },
      { kind: "number", value: success },
      { kind: "number", value: baseline },
      intervalCell(difference, numPairs, interval),
      cellOf(notBelow),
      cellOf(notAbove),
      textCell(verdictOf(test)),
    ],
  };
}
