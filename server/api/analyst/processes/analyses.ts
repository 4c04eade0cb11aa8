import { setPriority } from "node:os";
import { z } from "zod";
import { serve } from "#trainer/confined/serve.ts";
import { makeDatabase, type Database } from "#server/db/storage/client.ts";
import { AppError } from "#packages/base";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { toProblem } from "../../problem.ts";
import { analyse } from "../analyses.ts";
import { analysisNames } from "#server/domain/analysis/analyses.ts";
import { listenToProgress, tellProgress } from "../../progress.ts";

const Request = z.object({
  databaseUrl: z.string(),
  variables: z.record(z.string(), z.string()),
  name: z.enum(analysisNames),
  input: z.unknown(),
});

let database: Database | undefined;

// A low priority leaves the processors of a small machine to the process that renders pages.
setPriority(5);
serve((request, tell) => {
  listenToProgress(tell);
  return answerOrRefuse(() => answer(Request.parse(request)));
});

async function answer({ databaseUrl, variables, name, input }: z.infer<typeof Request>): Promise<unknown> {
  Object.assign(process.env, variables);
  database ??= makeDatabase(databaseUrl, { maxConnections: 3 });
  tellProgress("Reading");
  try {
    return await analyse(database, name, input);
  } catch (error) {
    // Database errors would lose their codes on the way to another process, so they are converted to problems here.
    const { code, message, issues } = toProblem(error);
    throw code === "internal" ? error : new AppError(code, message, { issues });
  }
}
