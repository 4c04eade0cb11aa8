import { AppError, groupBy } from "#packages/base";
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
import { nameCauses } from "./causes.ts";
import type { OriginGrouping } from "./groupings.ts";
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
  answer({ branches, isFormer }, { run, by = "method" }) {
    const all = judgeBranches(branches, by);
    const choices = titleOrigins(all.runs, branches);
    if (run !== undefined && !choices.some((one) => one.run === run)) {
      const known = choices.length === 0 ? "no run has any" : `there are ${choices.map((one) => one.run).join(", ")}`;
      throw new AppError("bad_input", `run: no branches of a run "${run}"; ${known}`);
    }
    const own = branches.branches.filter(({ spec }) => originOf(spec)?.run === run);
    const answer = run === undefined ? all : judgeBranches({ ...branches, branches: own }, by);
    return {
      answer,
      /** Runs with branches, of which the option `run` chooses one. */
      choices,
      sentence: summariseRescue(answer),
      table: isFormer ? toRescueTable4(answer.runs) : toRescueTable(answer),
      longCsv: toRescueCsv(answer.runs),
      // The report's notes contain the sentences about equal runs.
      proved: { ...(run !== undefined && { run }), ...(by !== "method" && { by }) },
      leftOut: answer.leftOut && { ...answer.leftOut, equal: [] },
    };
  },
} satisfies Answering<"rescue">;

type Titled = { run: string; title: string };

/** Titles the runs with branches by method, environment and seed; equal titles also have the end of the run's id. */
function titleOrigins(runs: readonly RescueRun[], { branches }: BranchFacts): Titled[] {
  const origins = branches.flatMap(({ spec }) => originOf(spec) ?? []);
  const seedOf = new Map(origins.map((origin) => [origin.run, origin.spec.seed]));
  const titled = [...new Map(runs.map(({ origin, group }) => [origin, `${group}, seed ${seedOf.get(origin)}`]))];
  return titled.map(([run, title]) => {
    const isAlone = titled.filter(([, other]) => other === title).length === 1;
    return { run, title: isAlone ? title : `${title} (${run.replace(/^.*-(c\d+)-s\d+$/, "$1")})` };
  });
}

export function judgeBranches(
  { branches: all, stability, awaited, curvesOf, ...rest }: BranchFacts,
  by: OriginGrouping = "method",
): RescueAnswer {
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
  const causes = by === "cause" ? nameCauses(branches.map(({ origin }) => origin.spec)) : [];
  const runs = branches.map(({ id, sweepId, seed, method, spec, latestIteration, origin }, i): RescueRun => {
    const hindsight = awaited.has(id) ? notYet : (stability.get(id)?.hindsight ?? toOutcome(null, false));
    const alarm = stability.get(origin.run)?.alarm.iteration ?? null;
    const curve = curvesOf(id).get(success);
    const originMethod = methodOf.get(sweepId);
    const group = [originMethod ?? "", titleEnvironment(origin)].filter(Boolean).join(", ");
    const cause = causes[i];
    return {
      runId: id,
      origin: origin.run,
      iteration: origin.iteration,
      lead: alarm === null ? null : alarm - origin.iteration,
      group: cause ?? group,
      ...(cause !== undefined && { configuration: `${cause}, ${group}` }),
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
