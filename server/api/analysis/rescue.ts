import { finalWindow } from "#packages/statistics";
import { originOf } from "#trainer/spec/origin.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { readBranches } from "#server/db/analysis/branchRuns.ts";
import { readSeries } from "#server/db/runs/points.ts";
import type { Database } from "#server/db/storage/client.ts";
import { nameArm, reportRescue, type RescueReport, type RescueRun } from "#server/domain/analysis/rescue.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

const success = "evaluation/successRate";

/** Results of a run's branches. `numOpen`: branches that are not over, which are left out. */
export type RescueAnswer = RescueReport & { runs: RescueRun[]; numOpen: number };

export async function readRescue(database: Database, originId: string): Promise<RescueAnswer> {
  const branches = await readBranches(database, originId);
  const over = branches.filter(({ status }) => isOver(status));
  const runIds = over.map(({ id }) => id);
  const sweepIds = [...new Set(over.map(({ sweepId }) => sweepId))];
  const [facts, series] = await Promise.all([
    readStabilityFacts(database.pool, { sweepIds }),
    readSeries(database.pool, { runIds, keys: [success] }),
  ]);
  const factsOf = new Map(facts.map((one) => [one.runId, one.hindsight]));
  const curveOf = new Map(series.map((one) => [one.runId, one]));
  const runs = over.flatMap(({ id, seed, method, spec, latestIteration }): RescueRun[] => {
    const origin = originOf(spec);
    if (!origin) return [];
    const { iteration } = origin;
    const hindsight = factsOf.get(id);
    const isJudged = hindsight !== undefined && !/^(not judged|unclear)/.test(hindsight.word);
    const curve = curveOf.get(id);
    return [
      {
        runId: id,
        origin: originId,
        iteration,
        arm: nameArm(spec, { method, origin: origin.spec }),
        continuation: seed,
        collapsed: isJudged ? hindsight.iteration !== null && hindsight.word.startsWith("collapsed") : null,
        time: Math.max(0, (hindsight?.iteration ?? latestIteration) - iteration),
        success: curve ? finalWindow(curve).value : NaN,
      },
    ];
  });
  return { ...reportRescue(runs), runs, numOpen: branches.length - over.length };
}
