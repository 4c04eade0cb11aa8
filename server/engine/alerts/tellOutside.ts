import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "#server/db/storage/client.ts";
import { forgetNotices } from "#server/db/fleet/alerts.ts";
import type { AlertsFile } from "#server/domain/fleet/alerts/alertsFile.ts";
import type { BudgetsFile } from "#server/domain/fleet/cost/budgetsFile.ts";
import { collect } from "./collect.ts";
import { deliver } from "./deliver.ts";
import { watchBudgets } from "./watchBudgets.ts";

type Telling = {
  /** Current content of the alerts file; undefined if there are no channels. */
  read: () => AlertsFile | undefined;
  /** Current content of the budgets file; undefined without budgets. */
  readBudgets?: (() => BudgetsFile | undefined) | undefined;
  log: (text: string) => void;
  everyMs?: number;
};

const nobody: AlertsFile = { allowPrivate: [], channels: [] };
const forgetEveryMs = 3_600_000;

/**
 * Records events and sends alerts until `stop`, independent of the orchestrator's tick: a hanging mail server delays no
 * run. Events are recorded even without channels, so that a new channel does not receive old ones.
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
      // Logged once, not every three seconds.
      if (problem !== lastProblem) log(`alerts: ${problem}`);
      lastProblem = problem;
    }
    await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
}
