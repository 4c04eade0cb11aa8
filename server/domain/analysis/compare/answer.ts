import { AppError, groupBy } from "#packages/base";
import { isRate } from "#packages/statistics";
import {
  type BareTable,
  estimateCell,
  numberCell,
  numberColumn,
  pColumn,
  type Row,
  shareColumn,
  type TableCell,
  textColumn,
  toCsvText,
} from "#packages/tables";
import { describeMetric } from "#trainer/spec/metric.ts";
import { shortLabel, titleOfLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { describeRankings } from "#server/domain/runs/headline/describe.ts";
import { type Configuration, rankConfigurations } from "#server/domain/runs/headline/rank.ts";
import { nameTasks } from "#server/domain/runs/headline/tasks.ts";
import type { Answering } from "../answer.ts";
import { type Facts, listConfigured, type Parts } from "../facts.ts";
import { type ComparedFinal, compareFinals, finalOf } from "./finals.ts";

type Compared = ReturnType<typeof listCompared>[number] & ComparedFinal;

/** Final values by configuration, with differences from a baseline. Throws `bad_input` for an unknown baseline. */
export const compare = {
  curves: ({ runs }, { metric }) => [{ runIds: runs.map(({ run }) => run.id), keys: [metric] }],
  answer(facts, { metric, baseline = "" }) {
    const described = describeMetric(metric);
    const listed = listCompared(facts, metric);
    const from = listed.find(({ title, key }) => baseline === "" || title === baseline || key === baseline);
    if (!from && listed.length > 0) {
      const titles = [...new Set(listed.map(({ title }) => title))].join(", ");
      throw new AppError("bad_input", `baseline: no configuration "${baseline}"; there are ${titles}`);
    }
    const asked = { metric, baseline: from?.cellId, isClipped: false };
    const finals = new Map(compareFinals(listed, asked).map((one) => [one.cellId, one]));
    const compared = listed.flatMap((one): Compared[] => {
      const final = finals.get(one.cellId);
      return final ? [{ ...one, ...final }] : [];
    });
    const lines = listed.flatMap(({ task, title, runs, values }) =>
      runs.map(({ id, seed }, i) => [id, seed, task, title, values[i] ?? NaN]),
    );
    return {
      sentence: describeRankings(rankConfigurations(listed.map(toRanked), described), described),
      table: toCompareTable(compared, { metric, isUncorrected: facts.isUncorrected }),
      undecided: compared.flatMap(({ title, baselineId, sweepId, needed }) => {
        const other = compared.find(({ cellId }) => cellId === baselineId);
        return needed && other
          ? [{ names: [title, other.title], sweepIds: [...new Set([sweepId, other.sweepId])], needed }]
          : [];
      }),
      longCsv: toCsvText([["run", "seed", "task", "configuration", metric], ...lines]),
      proved: { metric, baseline: from?.key ?? "" },
    };
  },
} satisfies Answering<"compare">;

const noCollapses = { numRuns: 0, numJudged: 0, numCollapsed: 0, numUnclear: 0, numAwaited: 0, numAlarmed: 0 };

/** Names a configuration by its short label, in which settings that a search sampled have four digits. */
function toRanked({ task, ...one }: ReturnType<typeof listCompared>[number]): Configuration {
  const name = one.label === "" ? one.method : `${one.method} · ${shortLabel(one.label)}`;
  return { ...one, name, task, environment: task, starts: [], collapses: noCollapses };
}

/** Lists the configurations with runs and their final values. Proofs contain the key, so it is the stored label. */
function listCompared(facts: Facts & Pick<Parts, "configurations">, metric: string) {
  const runsOf = groupBy(facts.runs, ({ cell }) => cell.id);
  const cells = listConfigured(facts).filter(({ id }) => runsOf.has(id));
  const tasks = nameTasks(
    cells.map(({ spec }) => spec),
    metric,
  );
  return cells.map(({ id: cellId, sweepId, method, label, spec }, i) => {
    const runs = (runsOf.get(cellId) ?? []).map(({ run }) => run);
    const name = (text: string) => (label === "" ? method : `${method} · ${text}`);
    const values = runs.map(({ id }) => finalOf(facts.curvesOf(id).get(metric)));
    return {
      cellId,
      sweepId,
      drawn: runs,
      method,
      label,
      spec,
      runs,
      values,
      task: tasks[i] ?? "",
      title: name(titleOfLabel(label)),
      key: name(label),
    };
  });
}

type Shown = { metric: string; isUncorrected: boolean };

function toCompareTable(compared: readonly Compared[], { metric, isUncorrected }: Shown): BareTable {
  const described = describeMetric(metric);
  const column = isRate(described) ? shareColumn : numberColumn;
  const ofValue = (key: string, header: string) => {
    const made = column(key, header);
    return { ...made, format: { ...made.format, decimals: isRate(described) ? 1 : 2 } };
  };
  const areSeveral = new Set(compared.map(({ task }) => task)).size > 1;
  const baseline = compared.find(({ cellId, baselineId }) => cellId === baselineId);
  return {
    caption: `${described.title} in the final window by configuration: mean [95 % CI] over seeds, and difference from the baseline.`,
    columns: [
      textColumn("configuration", "Configuration"),
      numberColumn("seeds", "Seeds"),
      { ...ofValue("mean", described.title), ...(described.min !== undefined && { min: described.min }) },
      {
        ...ofValue(
          "difference",
          `Difference from ${areSeveral ? "the baseline" : (baseline?.title ?? "the baseline")} [95 % CI, uncorrected]`,
        ),
        ...(isRate(described) && { unit: "points" }),
      },
      pColumn("p", isUncorrected ? "p (Welch)" : "p (Welch, Holm)"),
    ],
    rows: compared.map(
      ({ title, key, task, runs, n, mean, interval, difference, correctedP, cellId, baselineId }): Row => ({
        cells: [
          { kind: "text", text: title, key },
          { kind: "number", value: n },
          toCell({ value: mean, interval }, n),
          cellId === baselineId || !difference ? { kind: "missing" } : toCell(difference, n),
          numberCell((isUncorrected ? difference?.p : correctedP) ?? NaN),
        ],
        runIds: runs.map(({ id }) => id),
        ...(areSeveral && { heading: task, block: task }),
      }),
    ),
    notes: [
      "Differences are not paired by seed. p: two-sided Welch's t-test for configurations with at least three seeds, with Holm's correction over the differences of a task. Intervals are not corrected.",
      ...(areSeveral
        ? ["Each task has its own baseline: its configuration with the method of the baseline, or else its first."]
        : []),
    ],
    isUnmarked: true,
  };
}

function toCell({ value, interval }: { value: number; interval: ComparedFinal["interval"] }, n: number): TableCell {
  if (n === 0 || !Number.isFinite(value)) return { kind: "missing" };
  return estimateCell(value, n, interval ?? undefined);
}
