import type { Command } from "@commander-js/extra-typings";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { SearchReport, ShownConfiguration, ShownTrial } from "#server/api/plan/searches.ts";
import type { Database } from "#server/db/storage/client.ts";
import { AppError, formatCount, formatSetting } from "#packages/base";
import { findSweep } from "../client/findSweep.ts";
import type { Outcome, Performer } from "../command.ts";

export function addSearch(program: Command, { performInStudio }: Performer): void {
  program
    .command("search")
    .description("list a search's trials with results and reasons, and check that each decision can be reproduced")
    .argument("<SWEEP>")
    .option("--trials <N>", "change the number of trials per configuration, from now on")
    .option(
      "--space <FILE.yaml>",
      "sample from the search space in this sweep file from now on; it must contain the previous space",
    )
    .action((sweep, { trials, space }) =>
      performInStudio(async ({ database }) => {
        if (space !== undefined) await widenSearch(database, sweep, space);
        if (trials !== undefined) await limitSearch(database, sweep, trials);
        return showSearch(database, sweep);
      }),
    );
}

async function limitSearch(database: Database, sweep: string, text: string): Promise<void> {
  const { maxTrials, setTrials } = await import("#server/db/plan/searchLimits.ts");
  const trials = z.coerce.number().int().min(1).max(maxTrials).safeParse(text);
  if (!trials.success) {
    throw new AppError("bad_input", `--trials is ${text}, must be a whole number from 1 to ${maxTrials}`);
  }
  await setTrials(database, (await findSweep(database, sweep)).id, trials.data);
}

async function widenSearch(database: Database, sweep: string, file: string): Promise<void> {
  const { setSpace } = await import("#server/db/plan/searchLimits.ts");
  const { parsePlan } = await import("#server/domain/plan/sweep/plan.ts");
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new AppError("bad_input", `--space: ${file} cannot be read`, { cause });
  });
  const { search } = parsePlan(text);
  if (!search) throw new AppError("bad_input", `--space: ${file} has no search`);
  await setSpace(database, (await findSweep(database, sweep)).id, search.space);
}

/** Recomputes each decision from the results known at the time. Exit code 1 if one differs from the stored one. */
async function showSearch(database: Database, sweep: string): Promise<Outcome> {
  const { readSearchReport } = await import("#server/api/plan/searches.ts");
  const { id } = await findSweep(database, sweep);
  const report = await readSearchReport(database, id);
  if (report === null) throw new AppError("conflict", `sweep ${id} has no search in its plan`);
  const numOther = report.configurations.reduce((sum, { differences }) => sum + differences.length, 0);
  const numDecided = report.configurations.reduce((sum, one) => sum + countDecisions(one), 0);
  const verdict =
    numOther === 0
      ? `${formatCount(numDecided, "decision")} recomputed from the stored results, all the same.`
      : `${numOther} of ${formatCount(numDecided, "decision")} would differ if recomputed from the stored results.`;
  const tables = report.configurations.map((configuration) =>
    [
      configuration.name,
      ...configuration.trials.map((one) => describe(report, one)),
      ...describeEnd(configuration),
    ].join("\n"),
  );
  const differences = report.configurations.flatMap(({ name, differences: texts }) =>
    texts.map((text) => `${name}: ${text}`),
  );
  const text = [...tables, ...describeAccount(report), [...differences, verdict].join("\n")].join("\n\n");
  return { text, json: { sweep: id, ...report }, exitCode: numOther === 0 ? 0 : 1 };
}

function countDecisions({ trials }: ShownConfiguration): number {
  return trials.reduce((sum, { reached }) => sum + 1 + reached.filter(({ verdict }) => verdict !== null).length, 0);
}

const verdicts = { promoted: "promoted", stopped: "stopped", letGoOn: "continued as control" } as const;

function describe({ objectives, parameters }: SearchReport, trial: ShownTrial): string {
  const { number, point, value, values: measured, state, iteration, reason, reached } = trial;
  const values = parameters.map(({ path }) => `${path} ${toText(point[path])}`);
  const results = objectives.flatMap(({ metric }, i) => {
    const one = i === 0 ? value : (measured[i] ?? null);
    return one === null ? [] : [`, ${metric} ${toText(one)}`];
  });
  const where = state === "collapsed" && iteration !== null ? ` by iteration ${Math.round(iteration)}` : "";
  const decided = reached.flatMap((one) =>
    one.reason === null || one.verdict === null ? [] : [`${verdicts[one.verdict]}: ${one.reason}`],
  );
  return `  trial ${number}: ${values.join(", ")} → ${state}${where}${results.join("")} (${[reason, ...decided].join("; ")})`;
}

function describeEnd({ limit, maxTrials, front }: ShownConfiguration): string[] {
  const undominated = front?.numbers.length ? [`  Pareto front: trials ${front.numbers.join(", ")}`] : [];
  return [...undominated, ...(limit ? [`  ${formatCount(maxTrials, "trial")} in all: ${limit.reason}`] : [])];
}

function describeAccount({ account }: SearchReport): string[] {
  if (account === null) return [];
  const { savedIterations, usedIterations, numStopped, numControls, numWrong, numJudged, wrong } = account;
  const interval = wrong ? `, 95 % ${(100 * wrong.low).toFixed(0)} to ${(100 * wrong.high).toFixed(0)} %` : "";
  return [
    `${formatCount(numStopped, "trial")} stopped, ${numControls} continued as controls; ${formatCount(usedIterations, "iteration")} used, ${savedIterations} saved; ` +
      `wrong stops: ${numWrong} of ${numJudged} controls ended better than the best trial${interval}`,
  ];
}

function toText(value: ShownTrial["point"][string] | undefined): string {
  return typeof value === "number" ? formatSetting(value) : String(value);
}
