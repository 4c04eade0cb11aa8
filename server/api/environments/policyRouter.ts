import { dirname } from "node:path";
import { z } from "zod";
import { readConfig } from "#server/config/config.ts";
import type { Database } from "#server/db/storage/client.ts";
import * as runs from "#server/db/runs/runs.ts";
import { AppError } from "#packages/base";
import { fetchPlanned } from "#server/engine/wheels/fetchPackages.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { Play } from "#server/engine/playground/play.ts";
import { players } from "#server/engine/playground/players.ts";
import type { PolicyFiles } from "#server/engine/playground/requests.ts";
import { findModelFolder, findNewest } from "../runs/artifacts.ts";
import { viewing, router } from "../trpc.ts";

export const policyRouter = router({
  /** Returns the response of a run's policy in the run's own environment. */
  propose: viewing
    .input(
      z.strictObject({
        runId: z.string(),
        seed: Play.shape.seed,
        replies: Play.shape.replies,
        /** Sampling temperature; 0 means greedy. */
        temperature: z.number().min(0).max(10),
        /** Index of the sample: each index gives a different response. */
        draw: z.int().min(0),
      }),
    )
    .mutation(async ({ ctx, input: { runId, seed, replies, temperature, draw }, signal }) => {
      const { spec, status } = await runs.readRun(ctx.database, runId);
      if (isImported(spec))
        throw new AppError("conflict", `run ${runId} was imported, so the studio has no policy of it`);
      const { pretrained, contextTokens } = spec.policy;
      const policy =
        pretrained === undefined
          ? { files: await findPolicy(ctx.database, runId, isOver(status)) }
          : {
              model: {
                folder: await findModel(ctx.database, runId, isOver(status)),
                ...(contextTokens && { contextTokens }),
              },
              memoryBytes: readConfig().playMemoryBytes,
            };
      const { shape, historyLength, maxResponseTokens } = spec.rollout;
      const episode = { environment: spec.environment, seed, shape, historyLength, replies };
      const packagesFolder = await fetchPlanned(readConfig().home, [spec.environment]);
      const position = await players().position(episode, { packagesFolder, signal });
      const stream = { seed, turn: replies.length, draw };
      return players().proposal({ ...policy, position, temperature, maxResponseTokens, stream }, signal);
    }),
});

/** Throws `conflict` if the model is missing, or if some weights are not on this machine. */
async function findModel(database: Database, runId: string, isRunOver: boolean): Promise<string> {
  const attempts = await runs.readAttemptFolders(database, runId);
  const whole = await findModelFolder(attempts);
  if (whole !== undefined) return whole;
  const config = await findNewest(attempts, "config.json");
  const folders = attempts.map(({ folder }) => folder).join(", ");
  throw new AppError(
    "conflict",
    config
      ? `some weights of run ${runId} are not on the studio's server: files of 64 MB and more stay on the node that trained the run. \`npx arlarena fetch ${runId}\` copies them from an ssh node; from any other node, copy them into ${dirname(config.path)} by hand`
      : isRunOver
        ? `the model of run ${runId} is not on the studio's server: there is no folder model in ${folders || "any folder, because the run had no attempt"}`
        : `run ${runId} has no model yet: the folder model is written when its training ends`,
  );
}

/** Returns the files of the latest attempt that has a policy. Throws `conflict` if one is missing. */
async function findPolicy(database: Database, runId: string, isRunOver: boolean): Promise<PolicyFiles> {
  const attempts = await runs.readAttemptFolders(database, runId);
  const model = await findNewest(attempts, "policy.onnx");
  if (!model) {
    const folders = attempts.map(({ folder }) => folder).join(", ");
    throw new AppError(
      "conflict",
      isRunOver
        ? `the policy of run ${runId} is not on the studio's server: there is no policy.onnx in ${folders || "any folder, because the run had no attempt"}`
        : `run ${runId} has no policy yet: policy.onnx is written when its training ends`,
    );
  }
  const sameAttempt = attempts.filter(({ number }) => number === model.attempt);
  const vocabulary = await findNewest(sameAttempt, "vocabulary.json");
  if (vocabulary) return { modelPath: model.path, vocabularyPath: vocabulary.path };
  throw new AppError(
    "conflict",
    `vocabulary.json is missing beside ${model.path}: without it the tokens cannot be decoded`,
  );
}
