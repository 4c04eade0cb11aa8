import { AppError } from "#packages/base";
import type { Answering } from "../answer.ts";
import { durationOf, type Facts, type Parts, type StudyRun } from "../facts.ts";
import { reportEquivalence, summariseEquivalence, toEquivalenceTable } from "./equivalence.ts";
import type { Grouping } from "./grouping.ts";
import { isOfOneSetting, titleOfGroup } from "./groups.ts";
import { reportSurvival, type WatchedRun } from "./survival.ts";
import { summariseSurvival, toDurationsCsv, toSurvivalTable } from "./survivalTable.ts";

/** Time to collapse by group of runs. An unknown baseline is replaced by the first group. */
export const survival = {
  answer(facts, { by, baseline }) {
    const { isFormer, isOfStoredOrder, isUncorrected } = facts;
    const runs = groupRuns(facts, by);
    const numAwaited = facts.runs.filter(({ run }) => facts.awaited.has(run.id)).length;
    const report = reportSurvival(runs, baseline, { isFormer, numAwaited });
    return {
      ...report,
      titles: Object.fromEntries(report.groups.map(({ group }) => [group, titleOfGroup(group, by)])),
      numAwaited,
      sentence: summariseSurvival(report),
      table: toSurvivalTable(report, { isCut: !isOfStoredOrder, isFormer, hasSuccessDifference: isUncorrected }),
      longCsv: toDurationsCsv(runs),
      proved: { by, baseline: report.baseline ?? "" },
    };
  },
} satisfies Answering<"survival">;

/** Equivalence to a baseline group (default: the first) in final success. Throws `bad_input` if it is unknown. */
export const equivalence = {
  answer(facts, { by, baseline }) {
    const runs = groupRuns(facts, by);
    const groups = [...new Set(runs.map(({ group }) => group))];
    const base = baseline === undefined || baseline === "" ? (groups[0] ?? "") : baseline;
    if (base !== "" && !groups.includes(base)) {
      throw new AppError("bad_input", `baseline: no group "${base}"; there are ${groups.join(", ")}`);
    }
    const report = reportEquivalence(runs, base);
    const table = toEquivalenceTable(report, base);
    return {
      sentence: summariseEquivalence(report, base),
      table,
      longCsv: toDurationsCsv(runs),
      proved: { by, baseline: base },
    };
  },
} satisfies Answering<"equivalence">;

/** Returns the runs whose group and time to collapse are known. */
function groupRuns(
  { runs, groups, settings, success, nowMs }: Facts & Pick<Parts, "groups" | "settings" | "success">,
  by: Grouping,
): WatchedRun[] {
  return runs.flatMap((one): WatchedRun[] => {
    const { run, cell, detection } = one;
    const [group, duration] = [groups.get(cell.id), durationOf(one)];
    if (group === undefined || duration === undefined) return [];
    return [
      {
        runId: run.id,
        group,
        stratum: isOfOneSetting(by) ? "" : (settings.get(cell.id) ?? ""),
        seed: run.seed,
        duration,
        isUnclear: detection?.hindsight?.label.kind === "ambiguous",
        success: success.get(run.id) ?? null,
        watched: detection?.iteration ?? 0,
        hours: hoursOf(one, nowMs),
        drawn: { addedAt: run.addedAt, startedAt: run.startedAt },
      },
    ];
  });
}

/** Returns the hours since the run began, up to its end; null before the run began. */
function hoursOf({ run: { startedAt, endedAt } }: StudyRun, nowMs: number): number | null {
  return startedAt === null ? null : ((endedAt?.getTime() ?? nowMs) - startedAt.getTime()) / 3_600_000;
}
