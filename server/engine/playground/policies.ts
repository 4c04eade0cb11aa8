import { stat } from "node:fs/promises";
import { z } from "zod";
import { openPolicy, type ExportedPolicy } from "#trainer/policy/exportedPolicy.ts";
import { AppError } from "#packages/base";
import { makeRecent } from "./recent.ts";
import type { PolicyFiles } from "./requests.ts";

/** Maximum size in bytes of a policy file that is loaded: six times the largest policy that is trained here. */
const maxBytes = 256e6;
const Key = z.tuple([z.string(), z.string(), z.number()]);

/** Cache of three small policies, which stay loaded for the next turn. */
const policies = makeRecent<ExportedPolicy>(3, {
  make: async (key) => {
    const [modelPath, vocabularyPath] = Key.parse(JSON.parse(key));
    try {
      return await openPolicy(modelPath, vocabularyPath);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new AppError("conflict", `${modelPath} and ${vocabularyPath} are not a playable policy: ${why}`, {
        cause,
      });
    }
  },
  close: (policy) => policy.close(),
});

/** Calls `use` with a policy, loaded unless in memory with unchanged files. Throws `conflict` if they are missing. */
export async function usePolicy<Result>(
  { modelPath, vocabularyPath }: PolicyFiles,
  use: (policy: ExportedPolicy) => Promise<Result>,
): Promise<Result> {
  const { mtimeMs, size } = await stat(modelPath).catch((cause: unknown) => {
    // The policy file existed when the run's latest policy was looked up, so it was removed since.
    throw new AppError("conflict", `there is no ${modelPath} any more: it was removed or cannot be read`, { cause });
  });
  if (size > maxBytes) throw new AppError("bad_input", `the policy has ${size} bytes, limit is ${maxBytes}`);
  return policies.use(JSON.stringify([modelPath, vocabularyPath, mtimeMs]), use);
}
