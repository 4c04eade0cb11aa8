import { AppError } from "#packages/base";
import {
  detectorVersion,
  findRules,
  type Half,
  type Hindsight,
  isInHalf,
  lookBack,
  toEffective,
} from "#packages/detector";
import type { Database } from "#server/db/storage/client.ts";
import { readRunPoints } from "#server/db/runs/points.ts";
import type { Facts, Parts } from "#server/domain/analysis/facts.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { tellProgress } from "../progress.ts";

/** Maximum number of iterations that one request evaluates again: about half a minute on one core. */
const maxSteps = 200_000;

/**
 * Returns the stored labels of the finished runs, or those of older rules, which are applied again to one run's points
 * after another. Runs have none if they logged no metric that the rules read.
 */
export async function judgeByRules(
  database: Database,
  { rules: version = detectorVersion, half = "all" }: { rules?: string; half?: Half },
  { runs, configurations }: Pick<Facts, "runs"> & Pick<Parts, "configurations">,
): Promise<ReadonlyMap<string, Hindsight>> {
  const { config } = findRules(version);
  const asked = runs.filter(({ run }) => isOver(run.status) && isInHalf(run, half));
  if (version === detectorVersion) {
    return new Map(
      asked.flatMap(({ run, detection }) => (detection?.hindsight ? [[run.id, detection.hindsight]] : [])),
    );
  }
  const numSteps = asked.reduce((sum, { detection }) => sum + (detection?.numSteps ?? 0), 0);
  if (numSteps > maxSteps) {
    const [given, limit] = [numSteps, maxSteps].map((n) => n.toLocaleString("en-US"));
    const message = `sweepIds: these runs have ${given} iterations to evaluate again, but the limit is ${limit}: choose fewer sweeps`;
    throw new AppError("bad_input", message);
  }
  const hindsights = new Map<string, Hindsight>();
  for (const [i, { run, cell }] of asked.entries()) {
    tellProgress("Comparing alarms with collapses", i + 1, asked.length);
    const spec = configurations.get(cell.id);
    const points = spec ? await readRunPoints(database.pool, run.id) : [];
    if (!spec || points.length === 0) continue;
    const effective = toEffective(samplingOf(spec, points.length), config);
    hindsights.set(run.id, lookBack(points, { effective, hasDiverged: run.reason === "diverged", config }));
  }
  return hindsights;
}
