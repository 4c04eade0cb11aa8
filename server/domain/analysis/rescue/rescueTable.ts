import { unclearSentence, writeCollapses } from "#packages/detector";
import { formatCount, type NumberFormat, lowerFirst, tellP } from "#packages/base";
import type { PairedEffect } from "#packages/statistics";
import { isCompared } from "./branchOutcome.ts";
import type { ArmReport, RescueReport, RescueRun } from "./rescue.ts";
import { writePoints } from "./writePoints.ts";
import { describeCost } from "./rescueCost.ts";
import {
  type BareTable,
  type Column,
  type CsvValue,
  type Row,
  type TableCell,
  estimateCell,
  toCsvText,
  pColumn,
} from "#packages/tables";

const percent: NumberFormat = { shift: 2, decimals: 0 };
const plain = { better: "none" } as const;

const columns: Column[] = [
  { key: "change", header: "Change", ...plain, format: percent },
  { key: "origins", header: "Origins", ...plain, format: { shift: 0, decimals: 0 } },
  { key: "collapsed", header: "Collapsed", ...plain, format: percent },
  { key: "unclear", header: "Unclear", ...plain, format: { shift: 0, decimals: 0 } },
  { key: "before", header: "Collapsed before", ...plain, format: { shift: 0, decimals: 0 } },
  { key: "success", header: "Success", unit: "%", ...plain, format: percent },
  { key: "difference", header: "Difference to unchanged", unit: "points", ...plain, format: percent },
  pColumn("p", "p (Holm)"),
];

/** Makes one row per change, first over all origins, then for each method and environment of the origins. */
export function toRescueTable(report: RescueReport & { runs: readonly RescueRun[] }): BareTable {
  const { overall, groups, cost } = report;
  const runs = report.runs.filter(isCompared);
  const all = groups.length > 0 ? "All origins" : undefined;
  return {
    caption:
      "Branches of collapsed runs with one change each: collapses after the change in hindsight, success in the final window, and the difference in success to unchanged branches.",
    columns,
    rows: [
      ...toRows(overall, runs, all),
      ...groups.flatMap(({ group, arms }) =>
        toRows(
          arms,
          runs.filter((run) => run.group === group),
          group,
        ),
      ),
    ],
    notes: [
      `Differences are paired by origin, iteration and continuation. Their 95 % CI and p (with Holm's correction over the changes) are Student's t over ${describeUnits(runs)}.`,
      unclearSentence,
      ...report.notes,
      ...(cost ? [describeCost(cost)] : []),
    ],
    isUnmarked: true,
  };
}

function describeUnits(runs: readonly RescueRun[]): string {
  const configurations = new Set(runs.flatMap(({ configuration }) => configuration ?? []));
  if (configurations.size === 0) return "the means of the origins, or over continuations for one origin";
  return `the means of ${formatCount(configurations.size, "configuration")} (cause and method), and a group with a single one has neither`;
}

function toRows(arms: readonly ArmReport[], runs: readonly RescueRun[], heading: string | undefined): Row[] {
  return arms.map((report) => {
    const { arm, isNothing, numJudged, numCollapsed, numUnclear, numBefore, success, successDifference, pHolm } =
      report;
    const own = runs.filter((run) => run.arm === arm);
    return {
      cells: [
        { kind: "text", text: arm },
        { kind: "number", value: new Set(own.map(({ origin }) => origin)).size },
        numJudged === 0 ? { kind: "missing" } : { kind: "share", k: numCollapsed, n: numJudged },
        { kind: "number", value: numUnclear },
        { kind: "number", value: numBefore },
        Number.isNaN(success) ? { kind: "missing" } : { kind: "number", value: success },
        isNothing ? { kind: "missing" } : toCell(successDifference),
        Number.isNaN(pHolm) ? { kind: "missing" } : { kind: "number", value: pHolm },
      ],
      runIds: own.map(({ runId }) => runId),
      ...(heading !== undefined && { heading, block: heading }),
    };
  });
}

function toCell({ difference, interval, numPairs }: PairedEffect): TableCell {
  return numPairs === 0 ? { kind: "missing" } : estimateCell(difference, numPairs, interval);
}

/** Maximum number of changes without an effect that are named if no change has one. */
const maxListed = 4;

/**
 * Says which changes are shown to raise or lower success, compared with unchanged branches, and if only half of these
 * or fewer collapsed, so that the collapse was chance.
 */
export function summariseRescue(report: RescueReport): string {
  const found = summariseEffects(report);
  const unchanged = report.overall.find(({ isNothing }) => isNothing);
  if (found === "" || !unchanged || unchanged.numJudged === 0) return found;
  if (2 * (unchanged.numCollapsed + unchanged.numUnclear) > unchanged.numJudged) return found;
  const did = unchanged.numCollapsed === 0 ? "did not repeat" : "rarely repeated";
  return `${found} Unchanged, ${writeCollapses(unchanged, "run")}: the recorded collapse ${did}.`;
}

function summariseEffects({ overall, origins, numAwaited }: RescueReport): string {
  const changes = overall.filter(({ isNothing, successDifference }) => !isNothing && successDifference.numPairs > 0);
  if (numAwaited > 0 || changes.length === 0) return "";
  const shown = changes
    .filter(({ pHolm }) => pHolm < 0.05)
    .toSorted((a, b) => b.successDifference.difference - a.successDifference.difference);
  const better = shown.filter(({ successDifference: { difference } }) => difference > 0);
  const worse = shown.filter((one) => !better.includes(one));
  const rest = changes.filter((one) => !shown.includes(one));
  const write = (arms: readonly ArmReport[]) =>
    listing.format(
      arms.map(({ arm, successDifference: { difference, interval } }) => {
        return `${lowerFirst(arm)} (${writePoints(difference, interval).join(" ")} points)`;
      }),
    );
  const runs = formatCount(origins.length, "run");
  const [largest] = changes.toSorted((a, b) => b.successDifference.difference - a.successDifference.difference);
  if (shown.length === 0 && changes.length > maxListed && largest) {
    const { pHolm, successDifference } = largest;
    const best = successDifference.difference > 0 ? "the largest gain" : "none has a gain, and the highest difference";
    const p = Number.isFinite(pHolm) ? `; ${tellP(pHolm)}` : "";
    return `Over ${runs}: no effect is shown for any of ${changes.length} changes (Holm’s correction); ${best} is that of ${write([largest]).replace(/\)$/, `${p})`)}.`;
  }
  const found = [
    ...(better.length > 0 ? [`${write(better)} ${better.length === 1 ? "raises" : "raise"} success`] : []),
    ...(worse.length > 0 ? [`${write(worse)} ${worse.length === 1 ? "lowers" : "lower"} success`] : []),
    ...(rest.length > 0 ? [`no effect is shown for ${listing.format(rest.map(({ arm }) => lowerFirst(arm)))}`] : []),
  ];
  return `Over ${runs}: ${found.join("; ")}.`;
}

const listing = new Intl.ListFormat("en-GB");

export function toRescueCsv(runs: readonly RescueRun[]): string {
  const lines = runs.map((run): CsvValue[] => {
    const { runId, origin, group, iteration, lead, arm, continuation, hindsight, outcome, time, success } = run;
    const place = [runId, origin, group, iteration, lead ?? "", arm, continuation];
    return [...place, hindsight, outcomeWords[outcome], time, success];
  });
  const heads = ["run", "origin", "method and environment", "after", "before the alarm", "change", "continuation"];
  return toCsvText([[...heads, "hindsight", "after the change", "iterations without a collapse", "success"], ...lines]);
}

const outcomeWords: Record<RescueRun["outcome"], string> = {
  collapsed: "collapsed",
  kept: "not collapsed",
  unclear: "unclear",
  before: "collapsed before",
  "not judged": "not judged",
  "not judged yet": "not judged yet",
};
