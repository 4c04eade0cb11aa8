import { groupBy } from "#packages/base";
import { toOutcome } from "#packages/detector";
import { finalWindow } from "#packages/statistics";
import { spendingOf } from "#trainer/spec/budget.ts";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { originOf, type Origin } from "#trainer/spec/origin.ts";
import type { Answering } from "../answer.ts";
import { judgeBranch } from "./branchOutcome.ts";
import type { BranchFacts } from "../facts.ts";
import { reportRescue, type RescueReport, type RescueRun } from "./rescue.ts";
import { nameArm } from "./rescueArms.ts";
import { summariseRescue, toRescueCsv, toRescueTable } from "./rescueTable.ts";
import { toRescueTable4 } from "./rescueTable4.ts";

const success = "evaluation/successRate";
const duration = "time/iterationMs";
export const branchKeys = [success, duration];

/**
 * Outcomes of branches (runs that continue another run with changed settings). `numOpen` is the number of unfinished
 * branches, which are omitted.
 */
export type RescueAnswer = RescueReport & { runs: RescueRun[] } & Pick<BranchFacts, "numOpen" | "leftOut">;

export const rescue = {
  answer({ branches, isFormer }) {
    const answer = judgeBranches(branches);
    return {
      answer,
      sentence: summariseRescue(answer),
      table: isFormer ? toRescueTable4(answer.runs) : toRescueTable(answer),
      longCsv: toRescueCsv(answer.runs),
      // The report's notes contain the sentences about equal runs.
      leftOut: answer.leftOut && { ...answer.leftOut, equal: [] },
    };
  },
} satisfies Answering<"rescue">;

export function judgeBranches({ branches: all, stability, awaited, curvesOf, ...rest }: BranchFacts): RescueAnswer {
  const branches = all.flatMap((branch) => {
    const origin = originOf(branch.spec);
    return origin ? [{ ...branch, origin }] : [];
  });
  const notYet = toOutcome(null, true);
  // An origin that still trains has no label, and need not have one.
  const originLabelOf = (id: string) => {
    const known = stability.get(id)?.hindsight;
    return awaited.has(id) ? notYet : known?.word === "not judged yet" ? undefined : known;
  };
  const methodOf = new Map(
    [...groupBy(branches, ({ sweepId }) => sweepId)].map(([id, own]) => [id, own.find(hasSameMethod)?.method]),
  );
  const runs = branches.map(({ id, sweepId, seed, method, spec, latestIteration, origin }): RescueRun => {
    const hindsight = awaited.has(id) ? notYet : (stability.get(id)?.hindsight ?? toOutcome(null, false));
    const alarm = stability.get(origin.run)?.alarm.iteration ?? null;
    const curve = curvesOf(id).get(success);
    const originMethod = methodOf.get(sweepId);
    return {
      runId: id,
      origin: origin.run,
      iteration: origin.iteration,
      lead: alarm === null ? null : alarm - origin.iteration,
      group: [originMethod ?? "", titleEnvironment(origin)].filter(Boolean).join(", "),
      arm: nameArm(spec, { method, origin: origin.spec, originMethod }),
      continuation: seed,
      outcome: judgeBranch(hindsight, originLabelOf(origin.run), origin.iteration),
      hindsight: hindsight.word,
      time: Math.max(0, (hindsight.iteration ?? latestIteration) - origin.iteration),
      success: curve ? finalWindow(curve).value : NaN,
      numIterations: Math.max(0, latestIteration - origin.iteration),
      numWhole: spendingOf(origin.spec).iterations,
      ms:
        curvesOf(id)
          .get(duration)
          ?.values.reduce((sum, time) => sum + time, 0) ?? NaN,
    };
  });
  const report = reportRescue(runs);
  return { ...report, notes: [...report.notes, ...(rest.leftOut?.equal ?? [])], runs, ...rest };
}

function hasSameMethod({ spec, origin }: { spec: { method: unknown }; origin: Origin }): boolean {
  return canonicalJson(spec.method) === canonicalJson(origin.spec.method);
}

function titleEnvironment({ spec: { environment } }: Origin): string {
  return titleOfEnvironment(nameOfEnvironment(environment));
}
