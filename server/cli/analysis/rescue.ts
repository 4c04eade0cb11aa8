import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { badInput, formatCount, formatP } from "#packages/base";
import { writeCollapses } from "#packages/detector";
import type { PairedEffect } from "#packages/statistics";
import type { Database } from "#server/db/storage/client.ts";
import { describeLatest } from "#server/domain/analysis/rescue/latestSaving.ts";
import type { ArmReport } from "#server/domain/analysis/rescue/rescue.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { iterationsToBranch, toKept } from "#server/domain/plan/rescue/branchingPoints.ts";
import { askAbove, refuseUnconfirmed } from "#server/domain/plan/sweep/confirmed.ts";
import { confirm, isInteractive } from "../confirm.ts";
import { toCount } from "../options.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { toColumns, toPlain } from "../views/columns.ts";
import { formatInterval, signed } from "../views/statsView.ts";

export function addRescue(program: Command, { performInStudio }: Performer): void {
  program
    .command("rescue")
    .description(
      "find changes that would have prevented a run's collapse: launch branches of it, unchanged and with one change each",
    )
    .argument("<RUN>")
    .option(
      "--iterations <K,…>",
      "branch after these iterations (default: at the first alarm or just before an earlier collapse, and 10 and 20 iterations before)",
      toIterations,
    )
    .option(
      "--continuations <M>",
      "number of branches per change, with the same random numbers in all changes",
      toCount,
      5,
    )
    .option("--num-runs <N>", `confirm the number of runs; necessary above ${askAbove}`, toCount)
    .option("--from", "print the results of existing branches, and launch nothing")
    .action((run, { iterations, continuations, from, numRuns: stated }) =>
      performInStudio(async (studio, screen) => {
        if (from === true) return printRescue(studio.database, run, screen);
        const [
          { readOrigin },
          { planRescue, sizeRescue },
          { checkPlanned, createChecked, readTranslate },
          { readSteps },
          { maxRuns },
        ] = await Promise.all([
          import("#server/db/plan/origins.ts"),
          import("#server/domain/plan/sweep/rescuePlan.ts"),
          import("../client/runSweep.ts"),
          import("#server/engine/trainers/originCheckpoints.ts"),
          import("#server/domain/plan/sweep/expand/widen.ts"),
        ]);
        const origin = await readOrigin(studio.database, run);
        const translate = await readTranslate(studio);
        const proposed = iterations ?? (await iterationsBeforeAlarm(studio.database, run));
        const { steps } = origin.spec.trainer && !iterations ? await readSteps(studio.database, run) : { steps: [] };
        const chosen = toKept(proposed, steps);
        const requests = chosen.map((iteration) => ({ iteration, continuations }));
        const { numRuns, numIterations } = sizeRescue(origin, requests, translate);
        // At a terminal, the question below states the number.
        const confirmed = stated ?? (isInteractive() ? numRuns : undefined);
        refuseUnconfirmed(numRuns, { field: "numRuns", unit: "run", confirmed, max: maxRuns });
        const plans = requests.map((request) => planRescue(origin, request, translate));
        const checked = await Promise.all(plans.map((plan) => checkPlanned(studio, plan)));
        const size = `${formatCount(numRuns, "run")} and ${formatCount(numIterations, "iteration")}, from iterations ${chosen.join(", ")}`;
        if (!(await confirm(`Launch ${size}?`))) return { text: "Nothing was launched", json: {}, exitCode: 1 };
        const sweeps = [];
        for (const one of checked) sweeps.push(await createChecked(studio, one));
        const pages = sweeps.map(({ id }) => `${studio.address ?? ""}${sweepPage(id)}`);
        const text = [`Launched ${size}`, ...pages, `Results: npx arlarena rescue ${run} --from`].join("\n");
        return { text, json: { sweeps }, exitCode: 0 };
      }),
    );
}

function toIterations(text: string): number[] {
  const all = text.split(",").map((one) => (/^ *\d{1,6} *$/.test(one) ? Number(one) : NaN));
  if (all.every((one) => Number.isInteger(one)) && all.length <= 10) return [...new Set(all)];
  throw new InvalidArgumentError("Write up to ten whole numbers, such as 6,12,18");
}

async function iterationsBeforeAlarm(database: Database, runId: string): Promise<number[]> {
  const { readStabilityFacts } = await import("#server/db/analysis/detections.ts");
  const [facts] = await readStabilityFacts(database.pool, { runId });
  const found = facts && iterationsToBranch(facts);
  if (found === undefined) {
    const message = `${runId} had no alarm: name the iterations to branch after, as in --iterations 6,12`;
    throw badInput([{ path: "iterations", message }]);
  }
  return found;
}

const columns = [
  { number: "AFTER" },
  "CHANGE",
  "COLLAPSED AFTER",
  { number: "SUCCESS" },
  "SUCCESS, MINUS UNCHANGED",
  { number: "P (HOLM)" },
  "ITERATIONS WITHOUT COLLAPSE, MINUS UNCHANGED",
];

async function printRescue(database: Database, run: string, screen: Screen): Promise<Outcome> {
  const { readRescueOfRun } = await import("#server/api/analysis/rescue.ts");
  const { readDiagnoses } = await import("#server/db/runs/diagnoses.ts");
  const diagnosis = (await readDiagnoses(database.pool, [run])).get(run);
  const answer = { ...(await readRescueOfRun(database, run)), diagnosis };
  const cause = diagnosis ? [`Cause: ${diagnosis.sentence}`] : [];
  if (answer.runs.length === 0) {
    const text = [...cause, `No finished branches of ${run} yet`].join("\n");
    return { text, json: answer, exitCode: 1 };
  }
  const rows = answer.iterations.flatMap(({ iteration, arms }) => arms.map((arm) => toRow(iteration, arm)));
  const latest = answer.latest.map((one) => toPlain(`  ${describeLatest(one, "after")}`));
  const lines = [
    ...cause,
    toColumns(columns, rows, screen),
    "95 % intervals: Wilson for shares, Student's t over continuations for success and iterations.",
    ...answer.notes,
    ...(latest.length > 0
      ? [
          "For each change, the latest branching point from which at least half of the branches did not collapse [95 % CI]:",
          ...latest,
        ]
      : []),
    ...(answer.numOpen > 0 ? [`${formatCount(answer.numOpen, "branch", "branches")} not complete yet`] : []),
  ];
  return { text: lines.join("\n"), json: answer, exitCode: 0 };
}

function toRow(iteration: number, report: ArmReport) {
  const { arm, isNothing, numJudged, collapsed, success, successDifference, timeDifference, pHolm } = report;
  const share = [writeCollapses(report), numJudged > 0 ? formatInterval(collapsed, percent) : ""].join(" ").trim();
  return [
    String(iteration),
    arm,
    share,
    Number.isNaN(success) ? "" : `${percent(success)} %`,
    isNothing ? "" : toEffect(successDifference, percent),
    Number.isNaN(pHolm) ? "" : formatP(pHolm),
    isNothing ? "" : toEffect(timeDifference, (x) => x.toFixed(1)),
  ];
}

const percent = (x: number): string => (100 * x).toFixed(0);

function toEffect({ difference, interval, numPairs }: PairedEffect, format: (x: number) => string): string {
  if (numPairs === 0) return "";
  return [signed(difference, format), formatInterval(interval, format)].join(" ").trim();
}
