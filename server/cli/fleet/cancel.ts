import type { Command } from "@commander-js/extra-typings";
import { formatCount } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { findSweep, isRunId } from "../client/findSweep.ts";
import { confirm } from "../confirm.ts";
import type { Outcome, Performer } from "../command.ts";

export function addCancel(program: Command, { performInStudio }: Performer): void {
  program
    .command("cancel")
    .description("stop a sweep or one run, or only evaluations of their policies in other environments")
    .argument("<SWEEP|RUN>")
    .option("--evaluations", "cancel only waiting and running evaluations; training continues")
    .option("--yes", "do not ask for confirmation (never asked without a terminal)")
    .action((target, { yes: isSure = false, evaluations = false }) =>
      performInStudio(async ({ database, person }) => {
        if (evaluations) return cancelEvaluationsOf(database, target);
        if (!isSure && !(await confirm(`Stop ${target} and its running trainers?`))) {
          return { text: "Nothing was cancelled", json: { cancelled: false }, exitCode: 1 };
        }
        const by = person === undefined ? "command line" : `${person}, command line`;
        return cancel(database, target, by);
      }),
    );
}

/** Requests that the orchestrator stop a sweep or a run. `by`: user named in the log of changes. */
export async function cancel(database: Database, target: string, by = "command line"): Promise<Outcome> {
  const { cancel: order } = await import("#server/db/fleet/cancellations.ts");
  if (isRunId(target)) {
    await order(database, { kind: "run", id: target }, { by });
    return { text: `Run ${target} is being cancelled`, json: { run: target, intent: "cancel" }, exitCode: 0 };
  }
  const { id } = await findSweep(database, target);
  await order(database, { kind: "sweep", id }, { by });
  return { text: `Sweep ${id} is being cancelled`, json: { sweep: id, intent: "cancel" }, exitCode: 0 };
}

export async function cancelEvaluationsOf(database: Database, target: string): Promise<Outcome> {
  const { cancelEvaluations } = await import("#server/db/runs/evaluations.ts");
  const of = isRunId(target) ? { runIds: [target] } : { sweepIds: [(await findSweep(database, target)).id] };
  const cancelled = await cancelEvaluations(database, of);
  return { text: `${formatCount(cancelled, "evaluation")} cancelled`, json: { cancelled }, exitCode: 0 };
}
