import { describeMismatch, splitMismatch, type MismatchRow } from "#trainer/objective/mismatch.ts";
import { ageOf } from "#trainer/run/acting/staleness.ts";
import { meanOf } from "#trainer/spec/averages.ts";
import type { Versions } from "#trainer/run/acting/versions.ts";
import type { RolloutSpec } from "#trainer/spec/run.ts";
import { isRounded, maxLagOf } from "#trainer/spec/sampler.ts";
import type { TokenRow } from "./batch.ts";
import type { Learner } from "./learner.ts";

type WrittenRow = TokenRow & MismatchRow & { oldLogProbs: Float32Array; version?: number };

/** Computes metrics of the difference between sampler and trainer on an iteration's rows, before the update. */
export async function measureMismatch(
  { learner, versions, rollout }: { learner: Learner; versions: Versions; rollout: RolloutSpec },
  rows: readonly WrittenRow[],
): Promise<Record<string, number>> {
  // An extra pass separates staleness from rounding, needed only if the sampler has both.
  const isBoth = maxLagOf(rollout) > 0 && isRounded(rollout);
  return {
    ...describeMismatch(rows),
    ...(isBoth && splitMismatch(await scoreLagged(learner, versions, rows))),
    "policy/staleness": meanOf(rows.map((row) => ageOf(row, versions.newest()))),
  };
}

/** Adds to every row its log-probabilities under the policy version that sampled it, at the trainer's precision. */
async function scoreLagged(learner: Learner, versions: Versions, rows: readonly WrittenRow[]) {
  const scored: (WrittenRow & { lagLogProbs: Float32Array })[] = [];
  for (const version of new Set(rows.map((row) => row.version ?? versions.newest()))) {
    const written = rows.filter((row) => (row.version ?? versions.newest()) === version);
    // The newest version equals the old policy, whose log-probabilities are already computed.
    const scores = version === versions.newest() ? undefined : await learner.score(versions.exact(version), written);
    for (const [i, row] of written.entries()) {
      scored.push({ ...row, lagLogProbs: scores?.[i]?.logProbs ?? row.oldLogProbs });
    }
  }
  return scored;
}
