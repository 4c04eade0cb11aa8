import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { parseChanges, type Changes } from "#server/domain/plan/sweep/changes.ts";
import { toCount, toWhole } from "../options.ts";
import type { Performer } from "../command.ts";

export function addBranch(program: Command, { performInStudio }: Performer): void {
  program
    .command("branch")
    .description("create a sweep that continues a run after an iteration, with changed settings if wanted")
    .argument("<RUN>")
    .requiredOption("--iteration <K>", "continue after this iteration", (text: string) => toWhole(text, 0, 1_000_000))
    .option("--set <SETTING=VALUE>", "change a setting; a comma separates values to compare", addChange, {})
    .option(
      "--continuations <M>",
      "number of runs per configuration; the first repeats the random numbers of the run, the others use new ones",
      toCount,
      1,
    )
    .option("--policy-only", "start from the policy alone, with a new optimizer, reference policy and iteration count")
    .action((run, { iteration, set: changes, continuations, policyOnly }) =>
      performInStudio(async (studio) => {
        const { readOrigin } = await import("#server/db/plan/origins.ts");
        const { planBranches } = await import("#server/domain/plan/sweep/branchPlan.ts");
        const { createFromPlan, sayCreated } = await import("../client/runSweep.ts");
        const origin = await readOrigin(studio.database, run);
        const kind = policyOnly === true ? "run" : "branch";
        const plan = planBranches(origin, { kind, iteration, continuations, changes });
        return sayCreated(await createFromPlan(studio, plan), studio);
      }),
    );
}

function addChange(text: string, before: Changes): Changes {
  const { changes, problem } = parseChanges(text);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return { ...before, ...changes };
}
