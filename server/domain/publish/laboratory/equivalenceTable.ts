import { equivalenceMargin, type EquivalenceGroup } from "./equivalence.ts";
import { methodCell, plainFormat, textCell, textColumn } from "../tables/builder/columnParts.ts";
import type { Column, Row, Table } from "../tables/table.ts";
import { intervalCell, pColumn, shareColumn } from "./shareCells.ts";

const margin = `${100 * equivalenceMargin} points`;
const oneDecimal = { shift: 2, decimals: 1 };

const columns: Column[] = [
  textColumn("group", "Group"),
  { key: "pairs", header: "Pairs", better: "none", format: plainFormat },
  { ...shareColumn("success", "Success at the end"), format: oneDecimal },
  { ...shareColumn("baseline", "Success of the baseline"), format: oneDecimal },
  { ...shareColumn("difference", "Difference, 90 %"), unit: "points", format: oneDecimal },
  pColumn("notBelow", `p (H₀: loss ≥ ${margin})`),
  pColumn("notAbove", `p (H₀: gain ≥ ${margin})`),
  textColumn("verdict", `Within ${margin}`),
];

/** Makes the table of equivalence tests of groups against a baseline. The caller adds the provenance. */
export function toEquivalenceTable(groups: readonly EquivalenceGroup[], baseline: string): Omit<Table, "provenance"> {
  return {
    caption: `Equivalence of success at the end with ${baseline}: two one-sided tests with a margin of ${margin}`,
    label: "equivalence",
    columns,
    rows: groups.map(toRow),
    notes: [
      `Runs are paired by seed and settings, and collapsed runs are included. A group is equivalent to the baseline if both p are below .05, that is, if the 90 % interval of the difference lies within ±${margin}. p values are not corrected for multiple comparisons, because a claim that all groups are equivalent needs each test to reject. “Not shown” does not mean different.`,
    ],
    isUnmarked: true,
    isWide: true,
  };
}

function verdictOf({ p, difference, numPairs }: EquivalenceGroup["test"]): string {
  if (!Number.isNaN(p)) return p < 0.05 ? "equivalent" : "not shown";
  if (numPairs < 2) return "too few pairs";
  // Without variance there is no test: methods may act identically, for example because a correction had nothing to
  // correct.
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
