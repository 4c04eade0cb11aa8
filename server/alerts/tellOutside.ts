import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "#server/db/client.ts";
import { forgetNotices } from "#server/db/alerts.ts";
import type { AlertsFile } from "#server/domain/alerts/alertsFile.ts";
import type { BudgetsFile } from "#server/domain/cost/budgetsFile.ts";
import { collect } from "./collect.ts";
import { deliver } from "./deliver.ts";
import { watchBudgets } from "./watchBudgets.ts";

type Telling = {
  /** The file as it is now; undefined: nobody is told. */
  read: () => AlertsFile | undefined;
  /** Budgets as their file is now; undefined: there are none. */
  readBudgets?: (() => BudgetsFile | undefined) | undefined;
  log: (text: string) => void;
  everyMs?: number;
};

const nobody: AlertsFile = { allowPrivate: [], channels: [] };
const forgetEveryMs = 3_600_000;

/**
 * Notes what happens and tells it outside until `stop`. Beside the orchestrator's tick: a mail server that does not answer
 * holds up no run. Without a file things are noted all the same, so that a new channel is not told of what was before it.
 */
export async function tellOutside(
  pool: Pool,
  { read, readBudgets = () => undefined, log, everyMs = 3000 }: Telling,
  stop: AbortSignal,
): Promise<void> {
  const observingSince = new Date();
  const findSpent = watchBudgets(pool, { read: readBudgets, log });
  let lastProblem = "";
  let forgetAtMs = 0;
  while (!stop.aborted) {
    try {
      const alerts = read() ?? nobody;
      await collect(pool, alerts.channels, { observingSince, spent: await findSpent() });
      await deliver(pool, alerts);
      if (Date.now() >= forgetAtMs) {
        await forgetNotices(pool);
        forgetAtMs = Date.now() + forgetEveryMs;
      }
      lastProblem = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      // Said once, not every three seconds.
      if (problem !== lastProblem) log(`alerts: ${problem}`);
      lastProblem = problem;
    }
    await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
}
