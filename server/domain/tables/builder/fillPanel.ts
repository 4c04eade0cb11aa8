import type { Estimate, TableCell } from "../table.ts";
import { listPanels, valueOf, type Panel } from "./columns.ts";
import { compare, estimate, type ColumnTest } from "./estimates.ts";
import { hasDiverged, remarkOn } from "./footnotes.ts";
import type { FullOptions } from "./options.ts";
import type { LaidRow } from "./rows.ts";

type Filled = { cells: TableCell[]; test: ColumnTest | undefined };
type Filling = { options: FullOptions; baseline: LaidRow | undefined; markOf: (text: string) => string };

/** Every row's cell of one column, compared with the baseline's. */
export function fillPanel(panel: Panel, rows: readonly LaidRow[], { options, baseline, markOf }: Filling): Filled {
  const runsOf = (row: LaidRow) => row.runs.get(panel.environment) ?? [];
  const samples = rows.map((row) =>
    runsOf(row)
      .map((run) => valueOf(run, panel, options.rule))
      .filter((x) => Number.isFinite(x)),
  );
  const collapsed = rows.map((row) => runsOf(row).filter(({ collapse }) => collapse?.hasCollapsed).length);
  const others = rows.filter((row) => row !== baseline);
  const test = toTest(
    options.test,
    collapsed.some((k) => k > 0),
  );
  const sides = {
    samples: others.map((row) => samples[rows.indexOf(row)] ?? []),
    baseline: (baseline && samples[rows.indexOf(baseline)]) ?? [],
    better: panel.metric.better,
  };
  const compared = test === undefined ? [] : compare(sides, test);
  const cells = rows.map((row, r): TableCell => {
    const runs = runsOf(row);
    const remark = remarkOn(runs, panel, {
      rule: options.rule,
      repeated: row.repeated.get(panel.environment) ?? [],
    });
    const isTold = remark !== "" && (panel.isMain || samples[r]?.length !== countMain(row, panel, options));
    const marks = isTold ? [markOf(remark)] : [];
    const values = samples[r] ?? [];
    if (values.length === 0) return { kind: "missing", marks, ...(hasDiverged(runs) && { isDiverged: true }) };
    const comparison = compared[others.indexOf(row)];
    const numCollapsed = options.collapse === "marks" && panel.isMain ? (collapsed[r] ?? 0) : 0;
    const own: Estimate = { ...estimate(values, options.interval), marks };
    return { kind: "estimate", ...own, ...comparison, ...(numCollapsed > 0 && { numCollapsed }) };
  });
  return { cells, test: compared.some((comparison) => comparison !== undefined) ? test : undefined };
}

/** Seeds of a row with a value in the environment's first column. */
function countMain(row: LaidRow, { environment }: Panel, options: FullOptions): number {
  const [main] = listPanels([row], [environment], { ...options, tasks: false });
  const runs = row.runs.get(environment) ?? [];
  return main ? runs.filter((run) => Number.isFinite(valueOf(run, main, options.rule))).length : 0;
}

function toTest(asked: FullOptions["test"], hasCollapses: boolean): ColumnTest | undefined {
  if (asked === "none") return undefined;
  // Collapsed seeds split the values in two heaps and inflate the variance that a t-test divides by.
  return asked === "auto" ? (hasCollapses ? "permutation" : "welch") : asked;
}
